#include "properties/suites/rc_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace oddtile::properties {
namespace {

constexpr const char* kKeys[] = {
    "seed",      "max_success",      "max_size",          "noshrink",
    "reproduce", "verbose_progress", "verbose_shrinking", "max_discard_ratio"};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Empty, or what is wrong with one `key=value`.
std::string complaint_about(const std::string& key, const std::string& value) {
  if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
    return fmt::format("unknown key '{}'; keys: {}", key, fmt::join(kKeys, ", "));
  }
  if (key != "reproduce" && !is_number(value)) {
    return fmt::format("{}='{}' is no number", key, value);
  }
  return {};
}

}  // namespace

std::string complete_rc_params(const std::string& given, uint32_t seed, int cases,
                               std::string* complaint) {
  std::set<std::string> keys;
  std::string result, word;
  for (std::istringstream words(given); words >> word;) {
    const size_t equal = std::min(word.find('='), word.size());
    const std::string key = word.substr(0, equal);
    *complaint = complaint_about(key, word.substr(std::min(equal + 1, word.size())));
    if (!complaint->empty()) return {};
    keys.insert(key);
    result += word + " ";
  }
  if (!keys.contains("seed")) result += fmt::format("seed={} ", seed);
  if (!keys.contains("max_success")) result += fmt::format("max_success={} ", cases);
  result.pop_back();
  return result;
}

}  // namespace oddtile::properties
