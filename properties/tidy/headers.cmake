# One translation unit a header, which includes it first and last: it compiles alone, and twice.
# Only in the plain build; sanitizers would tell nothing new. CUDA's own headers (dialect/cuda and
# *_cuda.cuh) need nvcc.
if(ODDTILE_SANITIZE)
  return()
endif()

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/kernels/*.h ${PROJECT_SOURCE_DIR}/kernels/*.cuh
  ${PROJECT_SOURCE_DIR}/oracles/*.h ${PROJECT_SOURCE_DIR}/properties/*.h
  ${PROJECT_SOURCE_DIR}/fuzz/*.h ${PROJECT_SOURCE_DIR}/reports/*.h)
list(FILTER headers EXCLUDE REGEX "^kernels/dialect/cuda/|_cuda.cuh$")

set(units)
foreach(header ${headers})
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" unit ${header})
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/headers/${unit}.cc)
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
  list(APPEND units ${unit})
endforeach()

add_library(tidy_headers OBJECT ${units})
target_compile_options(tidy_headers PRIVATE -O0 -g0)
foreach(library fmt::fmt-header-only Eigen3::Eigen Boost::headers nlohmann_json::nlohmann_json)
  if(TARGET ${library})
    target_link_libraries(tidy_headers PRIVATE ${library})
  endif()
endforeach()
