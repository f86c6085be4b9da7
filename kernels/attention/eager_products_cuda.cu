// The eager baseline's products on the GPU: cuBLAS, found at run time, so that nothing else of
// oddtile needs it.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <cstdint>
#include <initializer_list>

#include "kernels/attention/eager_products.h"

namespace oddtile::cuda {
namespace {

// The overload of cublasGemmStridedBatchedEx that cublas_v2.h exports under the plain name.
using MultiplyFunction = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                        int, int, const void*, const void*, cudaDataType, int,
                                        long long, const void*, cudaDataType, int, long long,
                                        const void*, void*, cudaDataType, int, long long, int,
                                        cublasComputeType_t, cublasGemmAlgo_t);

struct Cublas {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  MultiplyFunction* multiply = nullptr;
  cublasHandle_t handle = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Cublas load_cublas() {
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                           "/usr/local/cuda/lib64/libcublas.so"}) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    Cublas cublas;
    if (library && find(library, "cublasCreate_v2", cublas.create) &&
        find(library, "cublasSetStream_v2", cublas.set_stream) &&
        find(library, "cublasSetMathMode", cublas.set_math_mode) &&
        find(library, "cublasGemmStridedBatchedEx", cublas.multiply) &&
        cublas.create(&cublas.handle) == CUBLAS_STATUS_SUCCESS) {
      // Sums that are split over blocks stay in fp32 too.
      const auto mode =
          cublasMath_t(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
      if (cublas.set_math_mode(cublas.handle, mode) == CUBLAS_STATUS_SUCCESS) return cublas;
    }
  }
  return {};
}

// A handle belongs to one thread and one device. Never destroyed: at the thread's end the CUDA
// runtime may be gone.
const Cublas& cublas() {
  thread_local Cublas loaded;
  thread_local int loaded_for = -1;
  int device = -1;
  if (cudaGetDevice(&device) == cudaSuccess && device != loaded_for) {
    loaded = load_cublas();
    loaded_for = device;
  }
  return loaded;
}

}  // namespace

bool products_available() {
  return cublas().handle != nullptr;
}

// Seen on an H200: cuBLAS 13 multiplies matrices of depth 1 without a sum.
int64_t least_product_depth() {
  return 2;
}

ProductArithmetic product_arithmetic() {
  return {kMachineArithmetic.mma_products, kMachineArithmetic.mma_fraction_bits};
}

oddtile_status multiply(const Product& p, void* stream) {
  const Cublas& library = cublas();
  for (const int64_t size : {p.count, p.rows, p.columns, p.depth, p.left_row_stride,
                             p.right_row_stride, p.out_row_stride}) {
    if (size > INT32_MAX) return oddtile_unsupported;
  }
  const cudaDataType_t type = p.dtype == oddtile_fp16 ? CUDA_R_16F : CUDA_R_16BF;
  const cudaDataType_t out_type = p.out_fp32 ? CUDA_R_32F : type;
  const float one = 1.0f, zero = 0.0f;
  // cuBLAS counts columns first: the transposed product, operands exchanged.
  const bool done =
      library.set_stream(library.handle, static_cast<cudaStream_t>(stream)) ==
          CUBLAS_STATUS_SUCCESS &&
      library.multiply(library.handle, p.right_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N,
                       int(p.columns), int(p.rows), int(p.depth), &one, p.right, type,
                       int(p.right_row_stride), p.right_stride, p.left, type,
                       int(p.left_row_stride), p.left_stride, &zero, p.out, out_type,
                       int(p.out_row_stride), p.out_stride, int(p.count), CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
  return done ? oddtile_ok : oddtile_launch_failed;
}

}  // namespace oddtile::cuda
