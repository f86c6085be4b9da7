// Device time of launches. Only a machine with a clock of its own has a timer: the simulator's time
// says nothing about a GPU.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "properties/harness/harness.h"
#include "reports/record/record.h"

namespace oddtile::reports {

// Enqueues one launch on the machine's stream and returns without waiting.
using Launch = std::function<oddtile_status()>;

// Of `repeated`, for whoever asks for a number: a graph has a node for each.
inline constexpr int kMostRepeats = 10'000;

class Timer {
 public:
  virtual ~Timer() = default;
  // Microseconds of launches[order[0]], launches[order[1]], ... (indexed as `launches`), each after
  // its L2 was made cold. All of them are enqueued behind work that keeps the GPU busy, so that the
  // time of launching is hidden. NaN for a launch that did not return oddtile_ok.
  virtual std::vector<double> round(std::span<const Launch> launches,
                                    std::span<const int> order) = 0;
  // Reads and writes `bytes` once each: GB/s, bytes read plus bytes written; nullopt: no memory.
  virtual std::optional<double> copy_rate(int64_t bytes, int rounds) = 0;
  // A copy on the device, to be timed beside kernels.
  virtual Launch copying(void* to, const void* from, int64_t bytes) = 0;
  // `times` launches in a row as one, enqueued without the host's time between them.
  virtual Launch repeated(const Launch& launch, int times) = 0;
  // A square bf16 product through the vendor's library; nullopt and a reason where there is none.
  virtual std::optional<double> matmul_rate(int64_t side, int rounds, std::string* reason) = 0;
};

// nullptr and a one-line reason for a machine without a clock.
std::unique_ptr<Timer> make_timer(properties::Machine& machine, std::string* reason);

struct DeviceFacts {
  std::string device;
  std::string driver;
  std::string toolkit;
};
DeviceFacts device_facts();

}  // namespace oddtile::reports
