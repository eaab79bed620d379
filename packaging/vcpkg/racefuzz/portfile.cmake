# An overlay port: vcpkg install racefuzz --overlay-ports=path/to/racefuzz/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
file(INSTALL "${SOURCE_PATH}/racefuzz.h" "${SOURCE_PATH}/racefuzz_mem.h"
    DESTINATION "${CURRENT_PACKAGES_DIR}/include")
set(share "${CURRENT_PACKAGES_DIR}/share/${PORT}")
file(INSTALL "${SOURCE_PATH}/packaging/racefuzz.cmake"
    "${SOURCE_PATH}/packaging/racefuzzDiscover.cmake" DESTINATION "${share}")
file(WRITE "${share}/racefuzzConfig.cmake"
    "set(RACEFUZZ_INCLUDE_DIR \"\${CMAKE_CURRENT_LIST_DIR}/../../include\")\n"
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/racefuzz.cmake\")\n")
file(INSTALL "${SOURCE_PATH}/LICENSE" DESTINATION "${share}" RENAME copyright)
