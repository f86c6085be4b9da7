// Numbers as a reader wants them: sizes in binary thousands, bytes and shares to three digits.
#pragma once

#include <cstdint>
#include <string>

namespace oddtile::reports {

std::string size_text(int64_t size);    // 781, 1k, 12672, 16k, 1M, 256M
std::string bytes_text(int64_t bytes);  // 512 B, 1.5 kB, 67.1 MB
std::string share_text(double share);   // 0, 0.412, 12.3, inf
std::string count_text(int64_t count);  // 1 234 567

}  // namespace oddtile::reports
