# cmake -DNVCC=... -DHOST_COMPILER=... -DROOT=<repository> -DSOURCE=<file.cu> -P ptxas_gate.cmake
#
# Compiles a source for sm_90a and fails where ptxas spills a register, or says (C75..) that it
# serialises wgmma or ignores setmaxnreg: such a kernel is right and at half its speed.
execute_process(
  COMMAND ${NVCC} -ccbin ${HOST_COMPILER} -I${ROOT} -O3 -DNDEBUG -std=c++20 -fmad=false
    --expt-relaxed-constexpr -gencode=arch=compute_90a,code=sm_90a -Xptxas=-v
    -cubin -o ${OUTPUT} ${SOURCE}
  OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
string(REGEX MATCHALL "Used [0-9]+ registers" kernels "${said}")
list(LENGTH kernels count)
string(REGEX MATCH "[^\n]*C75[0-9][0-9][^\n]*" complaint "${said}")
string(REGEX MATCH "[^\n]*[1-9][0-9]* bytes spill[^\n]*" spill "${said}")
if(count EQUAL 0 OR complaint OR spill)
  message(FATAL_ERROR "${count} kernels: ${complaint}${spill}")
endif()
message("${count} kernels, no spill, no complaint about wgmma or setmaxnreg")
