#include "fuzz/targets/case_list.h"

#include <fstream>
#include <variant>

#include "oracles/case/text.h"

namespace oddtile::fuzz {

std::vector<oracles::Case> read_case_list(const std::string& path, std::string* complaint) {
  std::vector<oracles::Case> cases;
  std::ifstream stream(path);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const auto parsed = oracles::parse(line);
    if (const auto* error = std::get_if<oracles::TextError>(&parsed)) {
      *complaint = path + ":" + std::to_string(number) + ": " + error->message;
      return {};
    }
    cases.push_back(std::get<oracles::Case>(parsed));
  }
  if (cases.empty()) *complaint = path + ": no case in it, or it cannot be read";
  return cases;
}

}  // namespace oddtile::fuzz
