#include "kernels/sim/sites.h"

#include <string_view>

#include "kernels/sim/state.h"

namespace oddtile::simulator {

const char* repository_path(const char* file) {
  constexpr std::string_view kOwnPath = "kernels/sim/sites.cc";
  constexpr std::string_view kOwnFile = __FILE__;
  constexpr std::string_view kRoot = kOwnFile.substr(0, kOwnFile.size() - kOwnPath.size());
  const std::string_view path = file;
  if (path.substr(0, kRoot.size()) == kRoot) return file + kRoot.size();
  // A compiler that was called with relative paths: debuggers prepend the folder it ran in.
  const bool relative = kRoot.substr(0, 3) == "../";
  const size_t within = relative ? path.find(kRoot) : path.npos;
  return within == path.npos ? file : file + within + kRoot.size();
}

void Sites::without(std::string file_suffix, int line) {
  off_.emplace_back(std::move(file_suffix), line);
}

bool Sites::is_off(Site site) const {
  const std::string_view file = site.file;
  for (const auto& [suffix, line] : off_) {
    if (line == site.line && file.size() >= suffix.size() &&
        file.substr(file.size() - suffix.size()) == suffix) {
      return true;
    }
  }
  return false;
}

bool Sites::pass(Word word, Site site) {
  if (lists_) ++counts_[{repository_path(site.file), site.line, word}];
  return !is_off(site);
}

std::vector<sim::SynchronisationSite> Sites::listed() const {
  std::vector<sim::SynchronisationSite> result;
  for (const auto& [key, count] : counts_) {
    const auto& [file, line, word] = key;
    result.push_back({word_name(word), file, line, count, is_off({file.c_str(), line})});
  }
  return result;
}

}  // namespace oddtile::simulator
