// Violations planted on purpose: a check that has never failed is not a check.
#include "properties/tidy/bans.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace oddtile::tidy {
namespace {

size_t found(const std::string& path, const std::string& line, const std::string& rule) {
  const Tree tree{{make_file(path, line)}};
  return check_bans(tree, parse_bans(make_file("bans.txt", "## why\n\n" + rule + "\n"))).size();
}

TEST(Bans, find_words_but_not_parts_of_words) {
  EXPECT_EQ(found("a.cc", "int x = rand();", "rand( ;; ours"), 1u);
  EXPECT_EQ(found("a.cc", "int x = operand();", "rand( ;; ours"), 0u);
  EXPECT_EQ(found("a.cc", "// TODO: later", "TODO ;; now"), 1u);
  EXPECT_EQ(found("a.cc", "kTODOs", "TODO ;; now"), 0u);
  EXPECT_EQ(found("a.cc", "operand(); rand();", "rand( ;; ours"), 1u);
}

TEST(Bans, find_absolute_paths_only) {
  EXPECT_EQ(found("a.md", "see /tmp/x", "/tmp/ ;; relative"), 1u);
  EXPECT_EQ(found("a.md", "\"/tmp/\"", "/tmp/ ;; relative"), 1u);
  EXPECT_EQ(found("a.md", "${dir}/tmp/x and a/tmp/x", "/tmp/ ;; relative"), 0u);
}

TEST(Bans, find_spaced_directives) {
  EXPECT_EQ(found("a.h", "#  define X 1", "#define ;; constexpr"), 1u);
}

TEST(Bans, end_at_the_rooms_that_are_named) {
  const std::string rule = "__CUDACC__ ;; a word ;; kernels/dialect/ *_test.cc";
  EXPECT_EQ(found("kernels/dialect/words.h", "#if defined(__CUDACC__)", rule), 0u);
  EXPECT_EQ(found("kernels/base/bits_test.cc", "#if defined(__CUDACC__)", rule), 0u);
  EXPECT_EQ(found("kernels/softmax/rows.cu", "#if defined(__CUDACC__)", rule), 1u);
}

TEST(Bans, tell_what_to_write_instead) {
  const Tree tree{{make_file("a.cc", "\nrand();")}};
  const auto findings =
      check_bans(tree, parse_bans(make_file("bans.txt", "rand( ;; ours, seeded")));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(to_text(findings[0]), "a.cc:2: `rand(`: ours, seeded");
}

TEST(Bans, must_be_readable) {
  EXPECT_THROW(parse_bans(make_file("bans.txt", "rand(\n")), std::runtime_error);
}

}  // namespace
}  // namespace oddtile::tidy
