// ODDTILE_ASSERT: a broken invariant of our own code stops the program with one line. Never used
// for bad input: that gets a status, a verdict or an error message.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace oddtile {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "oddtile: %s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace oddtile

#define ODDTILE_ASSERT(condition) \
  ((condition) ? void() : ::oddtile::assertion_failed(#condition, __FILE__, __LINE__))
