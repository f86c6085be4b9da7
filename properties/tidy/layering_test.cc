// Violations planted on purpose: a check that has never failed is not a check.
#include "properties/tidy/layering.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace oddtile::tidy {
namespace {

std::vector<Arrow> arrows() {
  return parse_layering(make_file("layering.txt",
                                  "base : # nothing\n"
                                  "sim : base\n"
                                  "sim tests : dialect\n"
                                  "dialect : base sim\n"
                                  "{softmax,attention} : dialect\n"
                                  "library : {softmax,attention} base\n"));
}

// One file of `path` with `text` in a tree that has base, sim, softmax and attention.
std::vector<Finding> includes(const std::string& path, const std::string& text) {
  Tree tree;
  for (const char* other :
       {"base/bits.h", "sim/fiber.h", "dialect/words.h", "softmax/rows.h", "attention/tiles.h"}) {
    tree.files.push_back(make_file(other, ""));
  }
  tree.files.push_back(make_file(path, text));
  return check_includes(tree, arrows());
}

TEST(Includes, pass_along_the_arrows) {
  EXPECT_TRUE(includes("sim/memory.h", "#include \"base/bits.h\"\n").empty());
  EXPECT_TRUE(includes("sim/memory.h", "#include \"sim/fiber.h\"\n").empty());
  EXPECT_TRUE(includes("library/all.cc", "#include \"attention/tiles.h\"\n").empty());
  EXPECT_TRUE(includes("sim/deep/memory.h", "#  include \"base/bits.h\"\n").empty());
}

TEST(Includes, fail_against_the_arrows) {
  const std::vector<Finding> findings =
      includes("base/random.h", "#pragma once\n#include \"sim/fiber.h\"\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(to_text(findings[0]),
            "base/random.h:2: base may not include sim (layering.txt): sim/fiber.h");
}

TEST(Includes, of_siblings_fail) {
  EXPECT_EQ(includes("softmax/entry.cc", "#include \"attention/tiles.h\"\n").size(), 1u);
}

TEST(Includes, of_tests_have_arrows_of_their_own) {
  EXPECT_TRUE(includes("sim/fiber_test.cc", "#include \"dialect/words.h\"\n").empty());
  EXPECT_TRUE(includes("sim/litmus/pass/a.cu", "#include \"dialect/words.h\"\n").empty());
  EXPECT_EQ(includes("sim/fiber.cc", "#include \"dialect/words.h\"\n").size(), 1u);
}

TEST(Includes, must_name_a_file_from_the_root) {
  EXPECT_EQ(includes("sim/memory.h", "#include \"fiber.h\"\n").size(), 1u);
  EXPECT_EQ(includes("sim/memory.h", "#include \"../base/bits.h\"\n").size(), 1u);
}

TEST(Includes, of_generated_headers_need_their_script) {
  const std::string text = "#include \"sim/commit.h\"\n";
  Tree tree{{make_file("sim/memory.h", text), make_file("sim/commit.cmake", "")}};
  EXPECT_TRUE(check_includes(tree, arrows()).empty());
  EXPECT_EQ(includes("sim/memory.h", text).size(), 1u);
}

TEST(Includes, of_a_folder_without_arrows_fail) {
  const std::vector<Finding> findings = includes("basement/new.h", "#pragma once\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "its folder is not in layering.txt");
}

TEST(Arrows, may_not_form_a_cycle) {
  EXPECT_TRUE(check_acyclic(arrows()).empty());
  const auto cyclic = parse_layering(make_file("layering.txt", "a : b\nb : c\nc : a\nd : a\n"));
  EXPECT_EQ(check_acyclic(cyclic).size(), 3u);
}

TEST(Arrows, must_be_readable) {
  EXPECT_THROW(parse_layering(make_file("layering.txt", "base sim\n")), std::runtime_error);
  EXPECT_THROW(parse_layering(make_file("layering.txt", "base and sim : x\n")), std::runtime_error);
}

TEST(Arrows, name_folders_that_exist) {
  Tree tree;
  for (const char* path : {"base/bits.h", "sim/deep/fiber.h", "dialect/words.h", "softmax/rows.h",
                           "attention/tiles.h", "libraries/all.cc"}) {
    tree.files.push_back(make_file(path, ""));
  }
  const std::vector<Finding> findings = check_rooms(tree, arrows());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "there is no folder library");
  tree.files.push_back(make_file("library/all.cc", ""));
  EXPECT_TRUE(check_rooms(tree, arrows()).empty());
  const auto unknown = parse_layering(make_file("layering.txt", "base : attic\n"));
  EXPECT_EQ(check_rooms(tree, unknown).size(), 1u);
}

std::vector<Finding> third_party(const std::string& path, const std::string& header) {
  Tree tree;
  tree.files.push_back(make_file(path, "#include <" + header + ">\n"));
  const File rules = make_file("third_parties.txt",
                               "Eigen/ boost/multiprecision/ : oracles/\n"
                               "gtest/ : *_test.cc suites/\n");
  return check_third_parties(tree, parse_third_parties(rules));
}

TEST(ThirdParties, enter_at_one_place) {
  EXPECT_TRUE(third_party("oracles/exact/softmax.cc", "Eigen/Core").empty());
  EXPECT_EQ(third_party("kernels/base/bits.h", "Eigen/Core").size(), 1u);
  EXPECT_TRUE(third_party("kernels/base/bits_test.cc", "gtest/gtest.h").empty());
  EXPECT_EQ(third_party("properties/checks/check.cc", "gtest/gtest.h").size(), 1u);
}

TEST(ThirdParties, must_be_named) {
  EXPECT_EQ(third_party("oracles/exact/softmax.cc", "absl/types/span.h").size(), 1u);
  EXPECT_TRUE(third_party("oracles/exact/softmax.cc", "vector").empty());
}

TEST(Counting, sees_both_kinds) {
  Tree tree;
  tree.files.push_back(make_file("a/b.h", "#include <x>\n#include \"y\"\n// #include \"z\"\n"));
  EXPECT_EQ(count_includes(tree), 2);
}

}  // namespace
}  // namespace oddtile::tidy
