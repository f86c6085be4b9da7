# Finds nvcc and chooses the architectures; sets ODDTILE_HAS_CUDA. Without a GPU one architecture
# (sm_80) is enough to compile every kernel; the `gpu` preset names sm_80 and sm_90a. Who names
# architectures wants a CUDA side: without nvcc that is an error, otherwise a simulator-only build.
set(oddtile_cuda_wanted "${ODDTILE_CUDA_ARCHITECTURES}")
include(CheckLanguage)
if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER)
  find_program(ODDTILE_CUDA_HOST_COMPILER NAMES g++ REQUIRED)  # clang builds the simulator side
  set(CMAKE_CUDA_HOST_COMPILER ${ODDTILE_CUDA_HOST_COMPILER})
endif()
if(NOT ODDTILE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE oddtile_capability RESULT_VARIABLE oddtile_no_gpu ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(oddtile_no_gpu)
    set(ODDTILE_CUDA_ARCHITECTURES 80)
  else()
    string(REGEX MATCH "^[0-9]+\\.[0-9]" oddtile_capability "${oddtile_capability}")
    string(REPLACE "." "" ODDTILE_CUDA_ARCHITECTURES "${oddtile_capability}")
    if(ODDTILE_CUDA_ARCHITECTURES STREQUAL "90")
      set(ODDTILE_CUDA_ARCHITECTURES 90a)
    endif()
  endif()
endif()
set(CMAKE_CUDA_ARCHITECTURES ${ODDTILE_CUDA_ARCHITECTURES})
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit 12.4)
endif()
if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
  set(ODDTILE_HAS_CUDA ON)
  message(STATUS "oddtile: CUDA ${CUDAToolkit_VERSION} for sm_${CMAKE_CUDA_ARCHITECTURES}")
elseif(oddtile_cuda_wanted)
  message(FATAL_ERROR
    "oddtile: ODDTILE_CUDA_ARCHITECTURES=${oddtile_cuda_wanted} needs nvcc >= 12.4")
endif()
