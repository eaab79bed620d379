"""conan create packaging/conan: the headers and the CMake package of racefuzz."""

import os

from conan import ConanFile
from conan.tools.files import copy, load, save


class Racefuzz(ConanFile):
    name = "racefuzz"
    license = "MIT"
    description = "Race-directed fuzzer for C11 tests and unedited programs, in two headers"
    package_type = "header-library"
    no_copy_source = True

    def set_version(self):
        numbers = load(self, os.path.join(self.top(), "src/api/switches.h")).splitlines()
        self.version = ".".join(n.split()[2] for n in numbers if n.startswith("#define RF_VERSION_"))

    def top(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def export_sources(self):
        for pattern in ("racefuzz*.h", "LICENSE", "packaging/*.cmake"):
            copy(self, pattern, self.top(), self.export_sources_folder)

    def package(self):
        here, to = self.source_folder, self.package_folder
        copy(self, "racefuzz*.h", here, os.path.join(to, "include"))
        copy(self, "LICENSE", here, os.path.join(to, "licenses"))
        copy(self, "*.cmake", os.path.join(here, "packaging"), os.path.join(to, "cmake"))
        save(self, os.path.join(to, "cmake", "racefuzzConfig.cmake"),
             'set(RACEFUZZ_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include")\n'
             'include("${CMAKE_CURRENT_LIST_DIR}/racefuzz.cmake")\n')

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["cmake"]
