// A CUDA device as a machine. Compiled only where there is nvcc (ODDTILE_HAS_CUDA); see
// cuda_machine_absent.cc for the other half.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <map>
#include <memory>

#include "kernels/library/library.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

class CudaMachine : public Machine {
 public:
  explicit CudaMachine(const cudaDeviceProp& device, int driver)
      : hardware_(oracles::hardware_of_device(device.name)) {
    description_ = fmt::format("{}, compute {}.{}, {} SMs, {} MiB, driver API {}.{}", device.name,
                               device.major, device.minor, device.multiProcessorCount,
                               device.totalGlobalMem >> 20, driver / 1000, driver % 1000 / 10);
    // A stream that does not wait for the default one: a kernel that ignores its stream argument
    // then reads inputs that have not arrived, or is read back too early.
    note(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }

  std::string name() const override { return "cuda"; }
  std::string description() const override { return description_; }

  // Freed blocks of up to kKeptBytes are kept: cudaMalloc and cudaFree cost more than a small case.
  void* allocate(int64_t bytes) override {
    int64_t size = kSmallestBytes;
    while (size < bytes && size < kKeptBytes) size *= 2;
    size = size < bytes ? bytes : size;
    std::vector<void*>& kept = kept_[size];
    void* address = nullptr;
    if (!kept.empty()) {
      address = kept.back();
      kept.pop_back();
    } else if (cudaMalloc(&address, size_t(size)) != cudaSuccess) {
      cudaGetLastError();  // out of memory is not sticky; the caller is told by the nullptr
      return nullptr;
    }
    size_of_[address] = size;
    return address;
  }
  void release(void* address) override {
    const auto found = size_of_.find(address);
    if (found == size_of_.end()) return;
    if (found->second <= kKeptBytes) {
      kept_[found->second].push_back(address);
    } else {
      note(cudaFree(address));
    }
    size_of_.erase(found);
  }

  void copy_in(void* to, const void* from, int64_t bytes) override {
    note(cudaMemcpyAsync(to, from, size_t(bytes), cudaMemcpyHostToDevice, stream_));
    note(cudaStreamSynchronize(stream_));
  }
  void copy_out(void* to, const void* from, int64_t bytes) override {
    note(cudaMemcpyAsync(to, from, size_t(bytes), cudaMemcpyDeviceToHost, stream_));
    note(cudaStreamSynchronize(stream_));
  }
  void fill(void* to, int value, int64_t bytes) override {
    note(cudaMemsetAsync(to, value, size_t(bytes), stream_));
  }
  void* stream() override { return stream_; }
  std::string synchronise() override {
    note(cudaGetLastError());
    note(cudaStreamSynchronize(stream_));
    std::string error;
    error.swap(error_);
    return error;
  }
  bool lost() const override { return lost_; }
  std::vector<const oddtile_implementation*> implementations() const override {
    return {&cuda::fused(), &cuda::eager()};
  }
  const oracles::HardwareProfile* hardware() const override { return hardware_; }
  const ArithmeticProbes* probes() const override { return &cuda::arithmetic_probes(); }
  const oddtile_implementation* copies() const override { return &cuda::copies(); }

 private:
  static constexpr int64_t kSmallestBytes = 4096;
  static constexpr int64_t kKeptBytes = int64_t(1) << 26;

  // Keeps the first error's text. After an error of the device every later call fails: lost.
  void note(cudaError_t status) {
    if (status == cudaSuccess) return;
    if (error_.empty()) {
      error_ = fmt::format("{}: {}", cudaGetErrorName(status), cudaGetErrorString(status));
    }
    cudaGetLastError();
    if (cudaStreamQuery(stream_) != cudaSuccess && cudaGetLastError() != cudaErrorNotReady) {
      lost_ = true;
    }
  }

  const oracles::HardwareProfile* hardware_;
  std::string description_;
  cudaStream_t stream_ = nullptr;
  std::map<int64_t, std::vector<void*>> kept_;
  std::map<void*, int64_t> size_of_;
  std::string error_;
  bool lost_ = false;
};

struct Found {
  std::unique_ptr<CudaMachine> machine;
  std::string absence;
};

Found find_device() {
  int count = 0;
  cudaDeviceProp device = {};
  int driver = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) status = cudaGetDeviceProperties(&device, 0);
  if (status != cudaSuccess) {
    // Without a driver the runtime speaks of one that is too old.
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
      return {nullptr, "no CUDA device: no driver is installed"};
    }
    return {nullptr, fmt::format("no CUDA device: {}", cudaGetErrorString(status))};
  }
  if (count == 0) return {nullptr, "no CUDA device: the driver lists none"};
  cudaDriverGetVersion(&driver);
  return {std::make_unique<CudaMachine>(device, driver), {}};
}

// Never destroyed: the CUDA runtime may be gone before static destructors run.
const Found& found() {
  static const Found& result = *new Found(find_device());
  return result;
}

}  // namespace

Machine* cuda_machine() {
  return found().machine.get();
}
std::string cuda_absence_reason() {
  return found().absence;
}

}  // namespace oddtile::properties
