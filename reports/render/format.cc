#include "reports/render/format.h"

#include <fmt/format.h>

#include <cmath>

namespace oddtile::reports {

std::string size_text(int64_t size) {
  constexpr int64_t kilo = 1024, mega = 1024 * 1024;
  if (size >= mega && size % mega == 0) return fmt::format("{}M", size / mega);
  if (size >= kilo && size % kilo == 0) return fmt::format("{}k", size / kilo);
  return fmt::format("{}", size);
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = double(bytes);
  const char* unit = "B";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  const int decimals = value < 10 ? 2 : (value < 100 ? 1 : 0);
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

std::string share_text(double share) {
  if (std::isnan(share)) return "nan";
  if (std::isinf(share)) return "inf";
  if (share == 0) return "0";
  if (share < 0.001) return fmt::format("{:.1e}", share);
  return share < 10 ? fmt::format("{:.3f}", share) : fmt::format("{:.3g}", share);
}

std::string count_text(int64_t count) {
  std::string text = fmt::format("{}", count);
  for (int64_t at = int64_t(text.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) {
    text.insert(size_t(at), " ");
  }
  return text;
}

}  // namespace oddtile::reports
