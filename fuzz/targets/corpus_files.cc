#include "fuzz/targets/corpus_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <variant>

#include "fuzz/codec/codec.h"
#include "oracles/case/text.h"

namespace oddtile::fuzz {

namespace {

// False, with the reason printed, for a malformed .case file.
bool read_file(const std::filesystem::path& path, std::vector<CorpusFile>* files) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  if (path.extension() != ".case") {
    files->push_back({path.string(), {text.begin(), text.end()}});
    return true;
  }
  const auto parsed = oracles::parse(text);
  if (const auto* error = std::get_if<oracles::TextError>(&parsed)) {
    std::fprintf(stderr, "%s:%lld: %s\n", path.c_str(), static_cast<long long>(error->position),
                 error->message.c_str());
    return false;
  }
  files->push_back({path.string(), encode(std::get<oracles::Case>(parsed))});
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
