# packaging/racefuzz.cmake: racefuzz in builds made by CMake (docs/builds.md).
#
#     racefuzz::racefuzz    the headers
#     racefuzz::engine      the engine for tests (RF_TEST), compiled once
#     racefuzz::program     the engine for unedited programs, which takes plain accesses too
#     racefuzz_add_test(TARGET [NAME name] [LIBRARIES lib...] [OPTIONS --x...] [ARGUMENTS arg...])
#     racefuzz_discover_tests(TARGET [OPTIONS --x...])
#
# Read by find_package(racefuzz), and by add_subdirectory and FetchContent.
include_guard(GLOBAL)
cmake_minimum_required(VERSION 3.13)
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT C IN_LIST languages) # the engine's
    enable_language(C)
endif()

# Seen by the functions below from every folder.
set(RACEFUZZ_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "")
if(NOT DEFINED RACEFUZZ_INCLUDE_DIR)
    get_filename_component(RACEFUZZ_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
endif()

add_library(racefuzz_headers INTERFACE)
add_library(racefuzz::racefuzz ALIAS racefuzz_headers)
target_include_directories(racefuzz_headers SYSTEM INTERFACE "${RACEFUZZ_INCLUDE_DIR}")
target_compile_options(racefuzz_headers INTERFACE -pthread)
target_link_libraries(racefuzz_headers INTERFACE -pthread)

# What the project adds to its flags is not for the engine: -fsanitize least of all.
file(WRITE "${CMAKE_BINARY_DIR}/racefuzz/engine.c"
    "#define RF_IMPLEMENTATION\n#include \"racefuzz.h\"\n")
foreach(engine engine program)
    add_library(racefuzz_${engine} OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/racefuzz/engine.c")
    target_compile_options(racefuzz_${engine} PRIVATE -O2 -g -w -fno-sanitize=all -fno-lto)
    target_link_libraries(racefuzz_${engine} PUBLIC racefuzz_headers)
    set_target_properties(racefuzz_${engine} PROPERTIES
        C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON)
endforeach()
set(RACEFUZZ_HOOKS RF_HOOK_ALL RF_HOOK_COMPILER RF_PROGRAM CACHE INTERNAL "")
target_compile_definitions(racefuzz_program PRIVATE ${RACEFUZZ_HOOKS})
foreach(engine engine program)
    add_library(racefuzz_${engine}_linked INTERFACE)
    add_library(racefuzz::${engine} ALIAS racefuzz_${engine}_linked)
    add_dependencies(racefuzz_${engine}_linked racefuzz_${engine})
    target_sources(racefuzz_${engine}_linked INTERFACE $<TARGET_OBJECTS:racefuzz_${engine}>)
    target_link_libraries(racefuzz_${engine}_linked INTERFACE racefuzz_headers)
endforeach()

# The sources of a target with their paths, and of the project's libraries that it links: compiled
# again, for TO.
function(racefuzz_sources_of target to)
    get_target_property(seen ${to} RACEFUZZ_SEEN)
    if(target IN_LIST seen)
        return()
    endif()
    set_property(TARGET ${to} APPEND PROPERTY RACEFUZZ_SEEN ${target})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
        get_target_property(sources ${target} SOURCES)
        get_target_property(from ${target} SOURCE_DIR)
        foreach(source ${sources})
            if(NOT source MATCHES "^\\$<" AND NOT IS_ABSOLUTE "${source}")
                set(source "${from}/${source}")
            endif()
            target_sources(${to} PRIVATE "${source}")
        endforeach()
        target_include_directories(${to} PRIVATE
            "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
        target_compile_definitions(${to} PRIVATE
            "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
        target_compile_options(${to} PRIVATE "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
        target_compile_features(${to} PRIVATE "$<TARGET_PROPERTY:${target},COMPILE_FEATURES>")
        get_target_property(links ${target} LINK_LIBRARIES)
    else()
        get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    endif()
    foreach(library ${links})
        if(library STREQUAL "links-NOTFOUND" OR library MATCHES "NOTFOUND$")
            continue()
        endif()
        set(again FALSE)
        if(TARGET ${library})
            get_target_property(type ${library} TYPE)
            get_target_property(imported ${library} IMPORTED)
            if(NOT imported AND type MATCHES "STATIC|OBJECT|INTERFACE|SHARED")
                set(again TRUE)
            endif()
        endif()
        if(again)
            racefuzz_sources_of(${library} ${to})
        else()
            target_link_libraries(${to} PRIVATE ${library})
        endif()
    endforeach()
endfunction()

# What the linker is told where there is C++: each hooked name, as racefuzz-cc --wrap-flags has it,
# and that the C++ library's calls are to be led to the engine, too.
function(racefuzz_link_cxx to)
    set(flags -static-libstdc++ -static-libgcc -Wl,--wrap=main -Wl,--undefined=main)
    file(STRINGS "${RACEFUZZ_INCLUDE_DIR}/racefuzz.h" lines REGEX "^ *# *define .* __wrap_")
    foreach(line ${lines})
        string(REGEX REPLACE "^ *# *define ([A-Za-z_0-9]*).*$" "\\1" name "${line}")
        if(line MATCHES " __wrap_${name}(\\(.*)?$")
            list(APPEND flags "-Wl,--wrap=${name}")
        endif()
    endforeach()
    target_link_libraries(${to} PRIVATE ${flags})
    set_target_properties(${to} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# A test that runs an existing program as it is, under racefuzz: TARGET_racefuzz, made of the same
# sources.  The instrumentation is for objects only, the linker would bring another runtime.
function(racefuzz_add_test target)
    cmake_parse_arguments(PARSE_ARGV 1 asked "" "NAME" "LIBRARIES;OPTIONS;ARGUMENTS")
    set(made ${target}_racefuzz)
    if(NOT asked_NAME)
        set(asked_NAME ${made})
    endif()
    add_executable(${made})
    set_target_properties(${made} PROPERTIES RACEFUZZ_SEEN "" LINKER_LANGUAGE C)
    foreach(property C_STANDARD C_EXTENSIONS CXX_STANDARD CXX_EXTENSIONS)
        get_target_property(value ${target} ${property})
        if(NOT value MATCHES "NOTFOUND$")
            set_target_properties(${made} PROPERTIES ${property} ${value})
        endif()
    endforeach()
    racefuzz_sources_of(${target} ${made})
    get_target_property(sources ${made} SOURCES)
    if(sources MATCHES "\\.(cc|cpp|cxx|C|c\\+\\+)(;|$)")
        racefuzz_link_cxx(${made})
    endif()
    target_compile_definitions(${made} PRIVATE ${RACEFUZZ_HOOKS})
    target_compile_options(${made} PRIVATE
        $<$<COMPILE_LANGUAGE:C>:-g;-O0;-fsanitize=thread;-include;racefuzz.h>
        $<$<COMPILE_LANGUAGE:CXX>:-g;-O0;-fsanitize=thread;-include;racefuzz.h;-DRF_HOOK_CALLS>)
    target_link_libraries(${made} PRIVATE ${asked_LIBRARIES} racefuzz_headers
        $<TARGET_OBJECTS:racefuzz_program> -rdynamic -fno-sanitize=all)
    add_dependencies(${made} racefuzz_program)
    set(arguments ${asked_OPTIONS})
    if(asked_ARGUMENTS)
        list(APPEND arguments -- ${asked_ARGUMENTS})
    endif()
    add_test(NAME ${asked_NAME} COMMAND ${made} ${arguments})
    set_tests_properties(${asked_NAME} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# A program of RF_TESTs: each is a test of CTest, as --list names them when it has been built.
function(racefuzz_discover_tests target)
    cmake_parse_arguments(PARSE_ARGV 1 asked "" "" "OPTIONS")
    set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_racefuzz_tests.cmake")
    string(REPLACE ";" " " options "${asked_OPTIONS}")
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS "${list}"
        COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${target}>" "-DLIST=${list}"
        "-DOPTIONS=${options}" "-DPREFIX=${target}."
        -P "${RACEFUZZ_MODULE_DIR}/racefuzzDiscover.cmake")
    if(NOT EXISTS "${list}")
        file(WRITE "${list}" "add_test(${target}_is_not_built_yet false)\n")
    endif()
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${list}")
endfunction()
