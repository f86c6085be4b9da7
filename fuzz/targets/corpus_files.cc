#include "fuzz/targets/corpus_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/codec/codec.h"
#include "oracles/case/case_file.h"

namespace oddtile::fuzz {

namespace {

// False, with the reason printed, for a malformed .case file.
bool read_file(const std::filesystem::path& path, std::vector<CorpusFile>* files) {
  if (path.extension() != ".case") {
    std::ifstream stream(path, std::ios::binary);
    files->push_back({path.string(), {std::istreambuf_iterator<char>(stream), {}}});
    return true;
  }
  std::string complaint;
  const auto file = oracles::read_case_file(path.string(), &complaint);
  if (!file) {
    std::fprintf(stderr, "%s\n", complaint.c_str());
    return false;
  }
  if (!in_fuzz_range(file->subject)) {  // its bytes would be those of another, clamped case
    const std::string kernel(oracles::kernel_name(file->subject.kernel()));
    std::printf("SKIPPED %s: out of the fuzzer's reach; replay.%s runs it\n", path.c_str(),
                kernel.c_str());
    return true;
  }
  files->push_back({path.string(), encode(file->subject)});
  return true;
}

}  // namespace

bool read_corpus(const std::vector<std::string>& places, std::vector<CorpusFile>* files) {
  bool good = true;
  for (const std::string& place : places) {
    if (std::filesystem::is_regular_file(place)) {
      good &= read_file(place, files);
      continue;
    }
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(place, absent)) {
      good &= read_file(entry.path(), files);
    }
  }
  std::sort(files->begin(), files->end(),
            [](const CorpusFile& a, const CorpusFile& b) { return a.path < b.path; });
  return good;
}

}  // namespace oddtile::fuzz
