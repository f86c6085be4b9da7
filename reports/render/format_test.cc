#include "reports/render/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace oddtile::reports {
namespace {

TEST(Format, numbers_read_well) {
  EXPECT_EQ(size_text(781), "781");
  EXPECT_EQ(size_text(16384), "16k");
  EXPECT_EQ(size_text(int64_t(1) << 28), "256M");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(67108864), "67.1 MB");
  EXPECT_EQ(share_text(0.41234), "0.412");
  EXPECT_EQ(share_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(count_text(1234567), "1 234 567");
  EXPECT_EQ(count_text(123), "123");
}

}  // namespace
}  // namespace oddtile::reports
