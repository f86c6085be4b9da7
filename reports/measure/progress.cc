#include "reports/measure/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace oddtile::reports {

Progress::Progress(std::string section, int64_t total)
    : section_(std::move(section)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      printed_(begin_) {}

Progress::~Progress() {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (terminal_) fmt::print(stderr, "\r\033[K");
  fmt::print(stderr, "{}: {} of {} done in {:.1f} s\n", section_, started_, total_, seconds);
}

void Progress::step(const std::string& what) {
  ++started_;
  const Clock::time_point now = Clock::now();
  if (!terminal_ && now - printed_ < std::chrono::seconds(10)) return;
  printed_ = now;
  const std::string text = fmt::format("{}: {}/{} {}", section_, started_, total_, what);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", text.substr(0, 100));
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
}

}  // namespace oddtile::reports
