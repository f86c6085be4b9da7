// Files, and those of folders, as fuzz inputs: a .case file is encoded, anything else is bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oddtile::fuzz {

struct CorpusFile {
  std::string path;
  std::vector<uint8_t> bytes;
};

// Sorted by path; a folder that does not exist is empty. A case that the fuzzer cannot make
// (in_fuzz_range) is left out with a printed line. False, with the reasons printed, when a .case
// file is malformed.
bool read_corpus(const std::vector<std::string>& places, std::vector<CorpusFile>* files);

}  // namespace oddtile::fuzz
