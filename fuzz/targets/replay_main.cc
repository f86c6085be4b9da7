// A fuzz target without libFuzzer: replays files or folders through the same body.
//   replay_fuzz_<kernel> <file or folder>...
#include <cstdio>
#include <string>
#include <vector>

#include "fuzz/targets/corpus_files.h"
#include "fuzz/targets/fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  std::vector<oddtile::fuzz::CorpusFile> files;
  if (!oddtile::fuzz::read_corpus(std::vector<std::string>(argv + 1, argv + argc), &files))
    return 2;
  for (const oddtile::fuzz::CorpusFile& file : files) {
    std::printf("%s\n", file.path.c_str());
    std::fflush(stdout);  // a failure aborts: the last line says which file it was
    LLVMFuzzerTestOneInput(file.bytes.data(), file.bytes.size());
  }
  const oddtile::fuzz::Tally& tally = oddtile::fuzz::tally();
  if (tally.cases == 0 || tally.judged == 0) {
    std::fprintf(stderr, "nothing was replayed: the folders hold no case that judges anything\n");
    return 1;
  }
  return 0;
}
