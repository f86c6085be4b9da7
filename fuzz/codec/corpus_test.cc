// The committed corpus: every file says why it exists, is written as print() writes it, and can be
// made by the fuzzer (so its bytes can seed a campaign).
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "fuzz/codec/codec.h"
#include "oracles/case/case_file.h"
#include "oracles/case/text.h"

namespace oddtile::fuzz {
namespace {

struct Entry {
  std::filesystem::path path;
  std::string text;
  oracles::Case subject;
};

// What holds no case is a failure of its own.
std::vector<Entry> files_under(const std::filesystem::path& folder) {
  std::vector<Entry> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".case") continue;
    std::string complaint;
    const auto file = oracles::read_case_file(entry.path().string(), &complaint);
    if (file) files.push_back({entry.path(), file->text, file->subject});
    EXPECT_TRUE(file) << complaint;
  }
  return files;
}

std::vector<Entry> corpus() {
  const std::filesystem::path root = CORPUS_FOLDER;
  auto files = files_under(root / "seeds");
  for (Entry& file : files_under(root / "regressions")) files.push_back(std::move(file));
  return files;
}

TEST(Corpus, EveryFileSaysWhyAndIsAsPrinted) {
  for (const Entry& file : corpus()) {
    EXPECT_EQ(file.text.rfind("# why: ", 0), 0u) << file.path;
    const size_t line = file.text.rfind('\n', file.text.size() - 2) + 1;
    EXPECT_EQ(file.text.substr(line), oracles::print(file.subject) + "\n") << file.path;
    EXPECT_EQ(file.path.parent_path().filename(), oracles::kernel_name(file.subject.kernel()));
  }
}

TEST(Corpus, SeedsAreManyDistinctAndInReachOfTheFuzzer) {
  std::map<std::string, int> counts;
  std::map<std::string, std::filesystem::path> seen;
  for (const Entry& file : files_under(std::filesystem::path(CORPUS_FOLDER) / "seeds")) {
    const oracles::Case& subject = file.subject;
    ++counts[std::string(oracles::kernel_name(subject.kernel()))];
    const auto [at, added] = seen.emplace(oracles::print(subject), file.path);
    EXPECT_TRUE(added) << file.path << " repeats " << at->second;
    EXPECT_TRUE(in_fuzz_range(subject)) << file.path;
    EXPECT_TRUE(decode(subject.kernel(), encode(subject)) == subject) << file.path;
  }
  EXPECT_GE(counts["vector_add"], 12);
  EXPECT_GE(counts["softmax"], 12);
  EXPECT_GE(counts["attention"], 25);
}

}  // namespace
}  // namespace oddtile::fuzz
