// Text form of a case: "<kernel> name=value ...", fields in the order of fields.h, those at their
// simplest value omitted on output and optional on input; shapes are always printed. Unbounded band
// limits print as "-inf" and "inf". parse(print(c)) == c for every possible case.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "oracles/case/case.h"

namespace oddtile::oracles {

std::string print(const Case& subject);

struct TextError {
  int64_t position;     // byte offset into the text
  std::string message;  // one line: "unknown field 'sqe_q'; fields of attention: ..."
};

// Accepts one line (surrounding blanks, and lines that start with '#' before it, are skipped).
// A well-formed text of an impossible case is a TextError at the offending field.
std::variant<Case, TextError> parse(std::string_view text);

}  // namespace oddtile::oracles
