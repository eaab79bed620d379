# packaging/racefuzzDiscover.cmake: run by racefuzz_discover_tests: the tests of PROGRAM, for CTest.
execute_process(COMMAND "${PROGRAM}" --list OUTPUT_VARIABLE tests RESULT_VARIABLE result)
if(result)
    message(FATAL_ERROR "${PROGRAM} --list ended with ${result}")
endif()
string(REPLACE "\n" ";" tests "${tests}")
set(text "")
foreach(test ${tests})
    string(APPEND text "add_test([==[${PREFIX}${test}]==] [==[${PROGRAM}]==]"
        " [==[--filter=${test}]==] ${OPTIONS})\n"
        "set_tests_properties([==[${PREFIX}${test}]==] PROPERTIES SKIP_RETURN_CODE 77)\n")
endforeach()
file(WRITE "${LIST}" "${text}")
