#include "oracles/case/case_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace oddtile::oracles {
namespace {

// What reading a file with this text gives: its complaint, without the folder.
std::string complaint_about(const std::string& text) {
  const std::string path = testing::TempDir() + "case_file_test.case";
  std::ofstream(path, std::ios::binary) << text;
  std::string complaint;
  const bool read = read_case_file(path, &complaint).has_value();
  EXPECT_EQ(read, complaint.empty());
  std::filesystem::remove(path);
  return complaint.empty() ? "" : complaint.substr(complaint.rfind('/') + 1);
}

TEST(case_file, is_text_and_case) {
  const std::string path = testing::TempDir() + "case_file_text.case";
  std::ofstream(path, std::ios::binary) << "# why: three.\nvector_add n=3\n";
  std::string complaint;
  const auto file = read_case_file(path, &complaint);
  std::filesystem::remove(path);
  ASSERT_TRUE(file.has_value()) << complaint;
  EXPECT_EQ(file->text, "# why: three.\nvector_add n=3\n");
  EXPECT_TRUE(file->subject == Case{VectorAddCase{.n = 3}});
}

TEST(case_file, is_complained_about_with_its_position) {
  EXPECT_EQ(complaint_about("vector_add n=3\n"), "");
  EXPECT_EQ(complaint_about("# why.\nvector_add m=3\n").rfind("case_file_test.case:18: ", 0), 0u)
      << complaint_about("# why.\nvector_add m=3\n");
  EXPECT_NE(complaint_about(""), "");
}

TEST(case_file, that_cannot_be_read_is_no_empty_case) {
  std::string complaint;
  EXPECT_FALSE(read_case_file("no/such.case", &complaint).has_value());
  EXPECT_EQ(complaint, "no/such.case: cannot be read");
  EXPECT_FALSE(read_case_file(testing::TempDir(), &complaint).has_value());  // a folder
  EXPECT_EQ(complaint, testing::TempDir() + ": cannot be read");
}

}  // namespace
}  // namespace oddtile::oracles
