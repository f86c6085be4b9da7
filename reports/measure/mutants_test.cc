#include "reports/measure/mutants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace oddtile::reports {
namespace {

namespace fs = std::filesystem;

class Mutants : public testing::Test {
 protected:
  Mutants() { fs::create_directories(folder_); }
  ~Mutants() override { fs::remove_all(folder_); }

  std::vector<Mutant> load(const std::string& index) {
    std::ofstream(folder_ / "index.txt") << index;
    return load_mutants(folder_.string(), &reason_, &built_);
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "oddtile mutants";
  std::string reason_;
  bool built_ = false;
};

TEST_F(Mutants, are_loaded_from_beside_their_index) {
  fs::copy_file(EXAMPLE_PLUGIN, folder_ / "no_maximum.so");
  const std::vector<Mutant> mutants = load("no_maximum\tsoftmax\tThe maximum is subtracted.\n");
  ASSERT_EQ(mutants.size(), 1u) << reason_;
  EXPECT_TRUE(built_);
  EXPECT_EQ(mutants[0].name, "no_maximum");
  EXPECT_EQ(mutants[0].kernel, "softmax");
  EXPECT_EQ(mutants[0].promise, "The maximum is subtracted.");
  EXPECT_STREQ(mutants[0].table->name, "example");
}

TEST_F(Mutants, without_an_index_they_were_not_built) {
  EXPECT_TRUE(load_mutants((folder_ / "none").string(), &reason_, &built_).empty());
  EXPECT_FALSE(built_);
  EXPECT_NE(reason_.find("mutant_plugins was not built"), std::string::npos) << reason_;
}

TEST_F(Mutants, one_that_is_missing_or_a_bad_index_leaves_none_and_a_reason) {
  EXPECT_TRUE(load("gone\tsoftmax\tIt is there.\n").empty());
  EXPECT_NE(reason_.find("gone.so does not exist"), std::string::npos) << reason_;
  EXPECT_TRUE(load("only a name\n").empty());
  EXPECT_NE(reason_.find("malformed: only a name"), std::string::npos) << reason_;
  EXPECT_TRUE(load("").empty());
  EXPECT_NE(reason_.find("lists nothing"), std::string::npos) << reason_;
  EXPECT_TRUE(built_);
}

TEST(MutantsFolder, stands_beside_the_program) {
  EXPECT_EQ(fs::path(mutants_folder()).filename(), "mutants");
  EXPECT_TRUE(fs::exists(fs::path(mutants_folder()).parent_path() / "unit_measure"));
}

}  // namespace
}  // namespace oddtile::reports
