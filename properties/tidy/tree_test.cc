#include "properties/tidy/tree.h"

#include <gtest/gtest.h>

#include <fstream>

namespace oddtile::tidy {
namespace {

namespace fs = std::filesystem;

class Reading : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    root_ = fs::path(testing::TempDir()) / ("oddtile tidy " + name);
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(Reading, skips_what_nobody_wrote) {
  write("kernels/a.h", "one\ntwo\n");
  write("build/b.h", "");
  write("elsewhere/CMakeCache.txt", "");
  write("elsewhere/c.h", "");
  write(".git/d.h", "");
  write("reports/__pycache__/e.py", "");
  const Tree tree = read_tree(root_);
  ASSERT_EQ(tree.files.size(), 1u);
  EXPECT_EQ(tree.files[0].path, "kernels/a.h");
  EXPECT_EQ(tree.files[0].lines, (std::vector<std::string>{"one", "two"}));
}

TEST_F(Reading, lists_binaries_without_their_contents) {
  write("corpus/picture.png", "\x01\n\x02\n");
  const Tree tree = read_tree(root_);
  ASSERT_EQ(tree.files.size(), 1u);
  EXPECT_TRUE(tree.files[0].lines.empty());
}

TEST(Patterns, are_a_prefix_or_a_suffix) {
  EXPECT_TRUE(matches("kernels/sim/fiber.cc", "kernels/sim/fiber"));
  EXPECT_TRUE(matches("kernels/sim/fiber_test.cc", "*_test.cc"));
  EXPECT_FALSE(matches("oracles/kernels/sim.h", "kernels/sim"));
}

TEST(Findings, name_their_place) {
  EXPECT_EQ(to_text({"a/b.h", 7, "wrong"}), "a/b.h:7: wrong");
  EXPECT_EQ(to_text({"a/b.h", 0, "wrong"}), "a/b.h: wrong");
}

}  // namespace
}  // namespace oddtile::tidy
