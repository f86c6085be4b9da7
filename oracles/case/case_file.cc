#include "oracles/case/case_file.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "oracles/case/text.h"

namespace oddtile::oracles {

std::optional<CaseFile> read_case_file(const std::string& path, std::string* complaint) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || !text) {
    *complaint = path + ": cannot be read";
    return {};
  }
  const auto parsed = parse(text.str());
  if (const auto* error = std::get_if<TextError>(&parsed)) {
    *complaint = fmt::format("{}:{}: {}", path, error->position, error->message);
    return {};
  }
  return CaseFile{text.str(), std::get<Case>(parsed)};
}

}  // namespace oddtile::oracles
