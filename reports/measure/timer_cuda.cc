// Device time through CUDA events. Compiled only where there is nvcc; timer_absent.cc is the other
// half.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <fstream>
#include <limits>

#include "kernels/base/assert.h"
#include "reports/measure/matmul_cuda.h"
#include "reports/measure/ratio.h"
#include "reports/measure/timer.h"

namespace oddtile::reports {
namespace {

// Larger than any L2 (H200: 60 MB), so that writing it leaves nothing of a kernel's data behind.
constexpr size_t kColdBytes = size_t(256) << 20;

// Writes of that buffer before a round's first launch, a millisecond at 4 TB/s: the host enqueues
// the round meanwhile, and no event measures the host. A Python peer needs most of it.
constexpr int kLead = 16;

class CudaTimer : public Timer {
 public:
  explicit CudaTimer(properties::Machine& machine)
      : machine_(machine), stream_(static_cast<cudaStream_t>(machine.stream())) {}

  ~CudaTimer() override {
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    if (cold_ != nullptr) cudaFree(cold_);
  }

  std::string prepare() {
    const cudaError_t status = cudaMalloc(&cold_, kColdBytes);
    return status == cudaSuccess ? "" : cudaGetErrorString(status);
  }

  std::vector<double> round(std::span<const Launch> launches, std::span<const int> order) override {
    while (events_.size() < 2 * order.size()) {
      ODDTILE_ASSERT(cudaEventCreate(&events_.emplace_back()) == cudaSuccess);
    }
    std::vector<bool> good(order.size());
    for (int i = 0; i < kLead; ++i) make_cold();
    for (size_t i = 0; i < order.size(); ++i) {
      make_cold();
      cudaEventRecord(events_[2 * i], stream_);
      good[i] = launches[size_t(order[i])]() == oddtile_ok;
      cudaEventRecord(events_[2 * i + 1], stream_);
    }
    const bool arrived = cudaStreamSynchronize(stream_) == cudaSuccess;
    std::vector<double> us(launches.size(), std::numeric_limits<double>::quiet_NaN());
    for (size_t i = 0; i < order.size(); ++i) {
      float ms = 0;
      const bool timed =
          arrived && cudaEventElapsedTime(&ms, events_[2 * i], events_[2 * i + 1]) == cudaSuccess;
      if (timed && good[i]) us[size_t(order[i])] = double(ms) * 1e3;
    }
    return us;
  }

  std::optional<double> copy_rate(int64_t bytes, int rounds) override {
    void* from = machine_.allocate(bytes);
    void* to = machine_.allocate(bytes);
    std::optional<double> rate;
    if (from != nullptr && to != nullptr) {
      cudaMemsetAsync(from, 0x3C, size_t(bytes), stream_);
      const auto copy = [&] {
        const cudaError_t status =
            cudaMemcpyAsync(to, from, size_t(bytes), cudaMemcpyDeviceToDevice, stream_);
        return status == cudaSuccess ? oddtile_ok : oddtile_launch_failed;
      };
      const std::optional<double> us = median_us(copy, rounds);
      if (us) rate = 2.0 * double(bytes) / *us * 1e-3;
    }
    if (from != nullptr) machine_.release(from);
    if (to != nullptr) machine_.release(to);
    return rate;
  }

  Launch copying(void* to, const void* from, int64_t bytes) override {
    return [=, stream = stream_] {
      const cudaError_t status =
          cudaMemcpyAsync(to, from, size_t(bytes), cudaMemcpyDeviceToDevice, stream);
      return status == cudaSuccess ? oddtile_ok : oddtile_launch_failed;
    };
  }

  Launch repeated(const Launch& launch, int times) override {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    bool good = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    for (int i = 0; i < times && good; ++i) good = launch() == oddtile_ok;
    good = cudaStreamEndCapture(stream_, &graph) == cudaSuccess && good;
    good = good && cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess;
    if (graph != nullptr) cudaGraphDestroy(graph);
    if (!good) return [] { return oddtile_launch_failed; };
    const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> kept(ready, cudaGraphExecDestroy);
    return [kept, stream = stream_] {
      const cudaError_t status = cudaGraphLaunch(kept.get(), stream);
      return status == cudaSuccess ? oddtile_ok : oddtile_launch_failed;
    };
  }

  std::optional<double> matmul_rate(int64_t side, int rounds, std::string* reason) override {
    const auto product = MatrixProduct::make(machine_, side, reason);
    if (product == nullptr) return std::nullopt;
    const std::optional<double> us = median_us([&] { return product->launch(); }, rounds);
    if (!us) {
      *reason = "the library refused the product";
      return std::nullopt;
    }
    return 2.0 * double(side) * double(side) * double(side) / *us * 1e-6;
  }

 private:
  void make_cold() { cudaMemsetAsync(cold_, turn_++ & 0xFF, kColdBytes, stream_); }

  // nullopt where a launch failed.
  std::optional<double> median_us(const Launch& launch, int rounds) {
    const int only[] = {0};
    std::vector<double> us;
    for (int i = 0; i < rounds + 3; ++i) {  // three to warm up
      const double one = round({&launch, 1}, only)[0];
      if (i >= 3) us.push_back(one);
    }
    return median_of_finite(us);
  }

  properties::Machine& machine_;
  cudaStream_t stream_;
  void* cold_ = nullptr;
  int turn_ = 0;
  std::vector<cudaEvent_t> events_;
};

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  ..." holds the driver's own number.
std::string driver_number() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    if (word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos) {
      return word;
    }
  }
  return "unknown";
}

}  // namespace

std::unique_ptr<Timer> make_timer(properties::Machine& machine, std::string* reason) {
  if (machine.name() != "cuda") {
    *reason = fmt::format("the machine '{}' has no clock", machine.name());
    return nullptr;
  }
  auto timer = std::make_unique<CudaTimer>(machine);
  *reason = timer->prepare();
  return reason->empty() ? std::move(timer) : nullptr;
}

DeviceFacts device_facts() {
  DeviceFacts facts;
  cudaDeviceProp device = {};
  int runtime = 0, driver = 0;
  if (cudaGetDeviceProperties(&device, 0) == cudaSuccess) facts.device = device.name;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) {
    facts.toolkit = "CUDA " + version_text(runtime);
  }
  if (cudaDriverGetVersion(&driver) == cudaSuccess) {
    facts.driver = fmt::format("{} (CUDA {})", driver_number(), version_text(driver));
  }
  return facts;
}

}  // namespace oddtile::reports
