# oddtile_instrumented(<name> <sources>...)
#
# An object library of kernels whose plain accesses are watched for races: every load and store
# calls one of the functions of access_hooks.cc. A program that links it (before the libraries of
# the same kernels, whose archives are then not asked) looks for races. clang only, and not beside
# AddressSanitizer, whose functions these are: ODDTILE_WATCHES_RACES says whether.
#
#   asan-opt-same-temp=0     else a store to what the same block has just loaded is skipped
#   -fno-...-vectorize       gathers would not be seen
set(ODDTILE_WATCHES_RACES OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT ODDTILE_SANITIZE)
  set(ODDTILE_WATCHES_RACES ON)
endif()

function(oddtile_instrumented name)
  add_library(${name} OBJECT ${ARGN})
  target_compile_options(${name} PRIVATE -g1 -fno-vectorize -fno-slp-vectorize
    -fsanitize=address -fno-sanitize-address-use-after-scope
    "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0" "SHELL:-mllvm -asan-opt-same-temp=0"
    "SHELL:-mllvm -asan-stack=0" "SHELL:-mllvm -asan-globals=0"
    "SHELL:-mllvm -asan-instrument-dynamic-allocas=0")
  target_link_libraries(${name} PUBLIC kernels_sim)
endfunction()

# oddtile_instrumented_kernels(<name> <kernel library>...): the same for all sources of libraries.
function(oddtile_instrumented_kernels name)
  set(all "")
  foreach(library ${ARGN})
    get_target_property(sources ${library} SOURCES)
    get_target_property(folder ${library} SOURCE_DIR)
    foreach(source ${sources})
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      list(APPEND all ${source})
    endforeach()
  endforeach()
  oddtile_instrumented(${name} ${all})
endfunction()
