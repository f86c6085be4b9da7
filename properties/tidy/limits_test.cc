// Violations planted on purpose: a check that has never failed is not a check.
#include "properties/tidy/limits.h"

#include <gtest/gtest.h>

namespace oddtile::tidy {
namespace {

std::string repeated(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

Tree tree_of(std::vector<File> files) {
  return Tree{std::move(files)};
}

int too_long(const std::string& path, int lines) {
  return static_cast<int>(check_sizes(tree_of({make_file(path, repeated("\n", lines))})).size());
}

TEST(Sizes, of_files_end_at_their_limit) {
  const std::pair<const char*, int> limits[] = {
      {"README.md", 150},
      {"kernels/README.md", 200},
      {"kernels/a.h", 250},
      {"oracles/judge/a.cc", 400},
      {"kernels/softmax/a.cu", 450},
      {"kernels/tile/a.cuh", 450},
      {"fuzz/targets/fuzz_a.cc", 80},
      {"reports/peers/a.py", 400},
  };
  for (const auto& [path, most] : limits) {
    EXPECT_EQ(too_long(path, most), 0) << path;
    EXPECT_EQ(too_long(path, most + 1), 1) << path;
  }
  EXPECT_EQ(too_long("corpus/known_failures.txt", 9999), 0);
}

TEST(Sizes, of_functions_end_at_70) {
  const auto with_lines = [](int lines) {
    const std::string body = repeated("  f();\n", lines - 2);
    return check_sizes(tree_of({make_file("a.cc", "void g() {\n" + body + "}\n")})).size();
  };
  EXPECT_EQ(with_lines(70), 0u);
  EXPECT_EQ(with_lines(71), 1u);
}

TEST(Sizes, of_lines_end_at_100_columns) {
  const auto with_columns = [](const std::string& letter, int columns) {
    const std::string line = "//" + repeated(letter, columns - 2) + "\n";
    return check_sizes(tree_of({make_file("a.cc", line)})).size();
  };
  EXPECT_EQ(with_columns("x", 100), 0u);
  EXPECT_EQ(with_columns("x", 101), 1u);
  EXPECT_EQ(with_columns("\xC3\xA9", 100), 0u);
  EXPECT_EQ(check_sizes(tree_of({make_file("CMakeLists.txt", repeated("x", 101))})).size(), 1u);
  EXPECT_EQ(check_sizes(tree_of({make_file("a.md", repeated("x", 101))})).size(), 0u);
}

size_t bad_names(const std::string& path) {
  return check_names(tree_of({make_file(path, "")})).size();
}

TEST(Names, say_what_is_inside) {
  EXPECT_EQ(bad_names("kernels/base/bits.h"), 0u);
  EXPECT_EQ(bad_names("kernels/base/utils.h"), 1u);
  EXPECT_EQ(bad_names("kernels/base/bits_helper.h"), 1u);
  EXPECT_EQ(bad_names("kernels/common/bits.h"), 1u);
  EXPECT_EQ(bad_names("kernels/softmax/softmax_v2.cu"), 1u);
  EXPECT_EQ(bad_names("kernels/softmax/utility_of_rows.cu"), 0u);
}

TEST(Names, keep_the_top_level_fixed) {
  EXPECT_EQ(bad_names("CMakeLists.txt"), 0u);
  EXPECT_EQ(bad_names("NOTES.md"), 1u);
  EXPECT_EQ(bad_names("scripts/run.sh"), 1u);
  EXPECT_EQ(bad_names("kernels/tools/run.sh"), 1u);
}

TEST(Readmes, stand_in_every_room) {
  const File code = make_file("oracles/judge/judge.cc", "");
  EXPECT_EQ(check_readmes(tree_of({code})).size(), 2u);
  EXPECT_EQ(check_readmes(tree_of({code, make_file("oracles/README.md", ""),
                                   make_file("oracles/judge/README.md", "")}))
                .size(),
            0u);
  EXPECT_EQ(check_readmes(tree_of({make_file("corpus/README.md", ""),
                                   make_file("corpus/seeds/softmax/one.case", "")}))
                .size(),
            0u);
}

size_t bad_headers(const std::string& text) {
  return check_headers(tree_of({make_file("a.h", text)})).size();
}

TEST(Headers, are_read_once) {
  EXPECT_EQ(bad_headers("// why\n#pragma once\n#include <a>\n"), 0u);
  EXPECT_EQ(bad_headers("#ifndef A_H\n#define A_H\n#endif\n"), 0u);
  EXPECT_EQ(bad_headers("#ifndef A_H\n#define B_H\n#endif\n"), 1u);
  EXPECT_EQ(bad_headers("#include <a>\n#pragma once\n"), 1u);
  EXPECT_EQ(bad_headers(""), 1u);
}

TEST(Untested, may_only_shrink) {
  const Tree tree = tree_of({make_file("oracles/a.cc", ""), make_file("oracles/b.cc", ""),
                             make_file("oracles/b_test.cc", ""), make_file("kernels/c.cc", "")});
  EXPECT_EQ(check_tested(tree, make_file("untested.txt", "oracles/a.cc  # by b_test\n")).size(),
            0u);
  EXPECT_EQ(check_tested(tree, make_file("untested.txt", "")).size(), 1u);
  const File stale = make_file("untested.txt", "oracles/a.cc\noracles/b.cc\noracles/gone.cc\n");
  EXPECT_EQ(check_tested(tree, stale).size(), 2u);
}

}  // namespace
}  // namespace oddtile::tidy
