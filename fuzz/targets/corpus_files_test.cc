#include "fuzz/targets/corpus_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/codec/codec.h"

namespace oddtile::fuzz {
namespace {

// A folder with one file of that name and text.
struct Folder {
  Folder(const std::string& name, const std::string& text) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    std::ofstream(path / name, std::ios::binary) << text;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "corpus_files_test";
};

std::vector<CorpusFile> read(const std::string& name, const std::string& text, bool good = true) {
  const Folder folder(name, text);
  std::vector<CorpusFile> files;
  EXPECT_EQ(read_corpus({folder.path.string()}, &files), good);
  return files;
}

TEST(corpus_files, of_cases_are_encoded) {
  const auto files = read("a.case", "# why: three.\nvector_add n=3\n");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(decode(oddtile_kernel_vector_add, files[0].bytes) ==
              oracles::Case{oracles::VectorAddCase{.n = 3}});
}

TEST(corpus_files, out_of_reach_are_left_out_and_not_replayed_as_another_case) {
  testing::internal::CaptureStdout();
  const auto files = read("far.case", "vector_add n=100000000\n");
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(files.empty());
  EXPECT_NE(printed.find("far.case: out of the fuzzer's reach; replay.vector_add runs it\n"),
            std::string::npos)
      << printed;
}

TEST(corpus_files, of_anything_else_are_bytes) {
  const auto files = read("crash-1", std::string("\0\x01", 2));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].bytes, (std::vector<uint8_t>{0, 1}));
}

TEST(corpus_files, malformed_are_refused) {
  EXPECT_TRUE(read("a.case", "vector_add m=3\n", false).empty());
}

}  // namespace
}  // namespace oddtile::fuzz
