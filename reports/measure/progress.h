// How far long work has come, on standard error: one line that updates itself on a terminal, a
// plain line every ten seconds elsewhere (a log keeps every line).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace oddtile::reports {

class Progress {
 public:
  Progress(std::string section, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const std::string& what);  // before each of the `total` pieces of work

 private:
  using Clock = std::chrono::steady_clock;

  std::string section_;
  int64_t total_;
  int64_t started_ = 0;
  bool terminal_;
  Clock::time_point begin_;
  Clock::time_point printed_;
};

}  // namespace oddtile::reports
