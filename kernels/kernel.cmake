# oddtile_kernel(<name> SOURCES <files.cu> [HOST_SOURCES <files.cc>]
#                [SIM_SOURCES <files.cc>] [CUDA_SOURCES <files.cu>])
#
# One kernel folder: every .cu of SOURCES is compiled for the simulator by the C++ compiler (through
# a one-line <file>.sim.cc, since a source's language is a property of its directory) and, where
# there is nvcc, for the GPU. HOST_SOURCES know no machine (argument checks, choices) and are
# compiled once. Makes the libraries kernel_<name>_host, kernel_<name>_sim and kernel_<name>_cuda.
function(oddtile_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HOST_SOURCES;SIM_SOURCES;CUDA_SOURCES")
  set(machines kernel_${name}_sim)
  set(sim_sources ${arg_SIM_SOURCES})
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${source}.sim.cc)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${path}\"\n" @ONLY)
    list(APPEND sim_sources ${wrapper})
  endforeach()
  add_library(kernel_${name}_sim STATIC ${sim_sources})
  target_link_libraries(kernel_${name}_sim PUBLIC kernels_sim)
  oddtile_fuzzed(kernel_${name}_sim)

  if(ODDTILE_HAS_CUDA)
    add_library(kernel_${name}_cuda STATIC ${arg_SOURCES} ${arg_CUDA_SOURCES})
    # CMake 3.25 drops CUDA_STANDARD 20 for nvcc 13 without a word, hence the plain flag.
    target_compile_options(kernel_${name}_cuda PRIVATE
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -fmad=false --expt-relaxed-constexpr -lineinfo>
      $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${ODDTILE_PTXAS_VERBOSE}>>:-Xptxas=-v>)
    target_link_libraries(kernel_${name}_cuda PUBLIC CUDA::cudart_static)
    list(APPEND machines kernel_${name}_cuda)
  endif()

  if(arg_HOST_SOURCES)
    add_library(kernel_${name}_host STATIC ${arg_HOST_SOURCES})
    oddtile_fuzzed(kernel_${name}_host)
    foreach(machine ${machines})
      target_link_libraries(${machine} PUBLIC kernel_${name}_host)
    endforeach()
  endif()
endfunction()
