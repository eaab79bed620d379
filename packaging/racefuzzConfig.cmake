# find_package(racefuzz): see racefuzz.cmake beside this file, and docs/builds.md.
get_filename_component(RACEFUZZ_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../../../include" ABSOLUTE)
include("${CMAKE_CURRENT_LIST_DIR}/racefuzz.cmake")
