#include "reports/measure/matmul_cuda.h"

#include <dlfcn.h>
#include <library_types.h>

#include <vector>

#include "kernels/base/bits.h"
#include "kernels/base/random.h"

namespace oddtile::reports {
namespace {

// The three functions of cuBLAS that are needed, by their stable C interface (handles and streams
// are pointers, enumerations are int), so that its headers are not needed either.
struct Cublas {
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*set_stream)(void* handle, void* stream);
  int (*gemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
              const void* alpha, const void* a, int a_type, int lda, const void* b, int b_type,
              int ldb, const void* beta, void* c, int c_type, int ldc, int compute, int algorithm);
};
constexpr int kNoTranspose = 0;   // CUBLAS_OP_N
constexpr int kTranspose = 1;     // CUBLAS_OP_T
constexpr int kCompute32f = 68;   // CUBLAS_COMPUTE_32F
constexpr int kDefaultGemm = -1;  // CUBLAS_GEMM_DEFAULT

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool open_cublas(Cublas& cublas) {
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    return find(library, "cublasCreate_v2", cublas.create) &&
           find(library, "cublasDestroy_v2", cublas.destroy) &&
           find(library, "cublasSetStream_v2", cublas.set_stream) &&
           find(library, "cublasGemmEx", cublas.gemm);
  }
  return false;
}

class CublasProduct : public MatrixProduct {
 public:
  CublasProduct(properties::Machine& machine, int64_t side, const Cublas& cublas)
      : machine_(machine), side_(int(side)), cublas_(cublas) {}

  ~CublasProduct() override {
    if (handle_ != nullptr) cublas_.destroy(handle_);
    for (void* matrix : matrices_) {
      if (matrix != nullptr) machine_.release(matrix);
    }
  }

  // N(0, 1) data: zeros draw less power and raise the clocks by more than a tenth.
  std::string prepare() {
    const int64_t elements = int64_t(side_) * side_;
    std::vector<Bfloat16> row(size_t(side_) * 61);
    Random random(1);
    for (Bfloat16& value : row) value = float_to_bfloat16(float(random.normal()));
    for (void*& matrix : matrices_) {
      matrix = machine_.allocate(2 * elements);
      if (matrix == nullptr) return "no memory for the matrices";
      for (int64_t done = 0; done < elements; done += int64_t(row.size())) {
        const int64_t count = std::min<int64_t>(int64_t(row.size()), elements - done);
        machine_.copy_in(static_cast<Bfloat16*>(matrix) + done, row.data(), 2 * count);
      }
    }
    if (cublas_.create(&handle_) != 0) return "cuBLAS cannot be initialised";
    if (cublas_.set_stream(handle_, machine_.stream()) != 0) return "cuBLAS refuses the stream";
    return {};
  }

  oddtile_status launch() override {
    const float one = 1, zero = 0;
    const int status =
        cublas_.gemm(handle_, kTranspose, kNoTranspose, side_, side_, side_, &one, matrices_[0],
                     CUDA_R_16BF, side_, matrices_[1], CUDA_R_16BF, side_, &zero, matrices_[2],
                     CUDA_R_16BF, side_, kCompute32f, kDefaultGemm);
    return status == 0 ? oddtile_ok : oddtile_launch_failed;
  }

 private:
  properties::Machine& machine_;
  int side_;
  Cublas cublas_;
  void* handle_ = nullptr;
  void* matrices_[3] = {nullptr, nullptr, nullptr};
};

}  // namespace

std::unique_ptr<MatrixProduct> MatrixProduct::make(properties::Machine& machine, int64_t side,
                                                   std::string* reason) {
  Cublas cublas = {};
  if (!open_cublas(cublas)) {
    *reason = "cuBLAS was not found on this machine";
    return nullptr;
  }
  auto product = std::make_unique<CublasProduct>(machine, side, cublas);
  *reason = product->prepare();
  return reason->empty() ? std::move(product) : nullptr;
}

}  // namespace oddtile::reports
