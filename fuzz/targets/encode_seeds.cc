// Turns a corpus of .case files into libFuzzer's bytes: encode_seeds <out folder> <folder>...
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/targets/corpus_files.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s <out folder> <corpus folder>...\n", argv[0]);
    return 2;
  }
  std::vector<oddtile::fuzz::CorpusFile> files;
  if (!oddtile::fuzz::read_corpus(std::vector<std::string>(argv + 2, argv + argc), &files))
    return 2;
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  for (const oddtile::fuzz::CorpusFile& file : files) {
    std::ofstream stream(folder / std::filesystem::path(file.path).stem(), std::ios::binary);
    stream.write(reinterpret_cast<const char*>(file.bytes.data()),
                 std::streamsize(file.bytes.size()));
  }
  std::printf("%zu seeds\n", files.size());
  return files.empty() ? 1 : 0;
}
