// The synchronisation words of a kernel, by their place in its source: counted, and switched off.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/sim/lane.h"
#include "kernels/sim/machine.h"

namespace oddtile::simulator {

enum class Word : uint8_t;

// The path from the repository's root: what this folder's own path has in front is cut off.
const char* repository_path(const char* file);

class Sites {
 public:
  void list(bool wanted) { lists_ = wanted; }
  void without(std::string file_suffix, int line);
  void with_everything() { off_.clear(); }
  // Whether pass() has anything to do.
  bool watches() const { return lists_ || !off_.empty(); }
  // Counts; false: the word is switched off.
  bool pass(Word word, Site site);
  std::vector<sim::SynchronisationSite> listed() const;

 private:
  bool is_off(Site site) const;

  bool lists_ = false;
  std::vector<std::pair<std::string, int>> off_;
  std::map<std::tuple<std::string, int, Word>, int64_t> counts_;
};

}  // namespace oddtile::simulator
