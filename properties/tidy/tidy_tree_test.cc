// The tree, checked. Runs from the root of the repository; each finding is `path:line: message`.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "properties/tidy/bans.h"
#include "properties/tidy/layering.h"
#include "properties/tidy/limits.h"
#include "properties/tidy/tree.h"

namespace oddtile::tidy {
namespace {

const Tree& the_tree() {
  static const Tree tree = read_tree(".");
  return tree;
}

const File& rules(const std::string& name) {
  for (const File& file : the_tree().files) {
    if (file.path == "properties/tidy/" + name) return file;
  }
  throw std::runtime_error("no properties/tidy/" + name + ": run from the root of the repository");
}

void expect_none(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_text(finding) + "\n";
  if (!findings.empty()) ADD_FAILURE() << findings.size() << " findings\n" << text;
}

TEST(Tree, is_really_read) {
  EXPECT_GT(the_tree().files.size(), 40u);
  EXPECT_GT(count_includes(the_tree()), 80);
  EXPECT_GT(parse_layering(rules("layering.txt")).size(), 20u);
  EXPECT_GT(parse_third_parties(rules("third_parties.txt")).size(), 8u);
  EXPECT_GT(parse_bans(rules("bans.txt")).size(), 15u);
}

TEST(Tree, includes_follow_the_arrows) {
  expect_none(check_includes(the_tree(), parse_layering(rules("layering.txt"))));
}

TEST(Tree, arrows_have_no_cycle) {
  expect_none(check_acyclic(parse_layering(rules("layering.txt"))));
}

TEST(Tree, arrows_name_folders_that_exist) {
  expect_none(check_rooms(the_tree(), parse_layering(rules("layering.txt"))));
}

TEST(Tree, third_parties_enter_at_one_place) {
  expect_none(check_third_parties(the_tree(), parse_third_parties(rules("third_parties.txt"))));
}

TEST(Tree, files_functions_and_lines_are_short) {
  expect_none(check_sizes(the_tree()));
}

TEST(Tree, names_name_a_concept) {
  expect_none(check_names(the_tree()));
}

TEST(Tree, every_folder_explains_itself) {
  expect_none(check_readmes(the_tree()));
}

TEST(Tree, every_header_is_read_once) {
  expect_none(check_headers(the_tree()));
}

TEST(Tree, banned_things_are_absent) {
  expect_none(check_bans(the_tree(), parse_bans(rules("bans.txt"))));
}

TEST(Tree, sources_without_a_test_become_fewer) {
  expect_none(check_tested(the_tree(), rules("untested.txt")));
}

}  // namespace
}  // namespace oddtile::tidy
