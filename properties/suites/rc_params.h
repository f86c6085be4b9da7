// RapidCheck's settings, from the environment variable RC_PARAMS.
#pragma once

#include <cstdint>
#include <string>

namespace oddtile::properties {

// `given` ("key=value ...") completed by the seed and the number of cases, where it has none.
// RapidCheck passes over keys that it does not know, so that a misspelt one would be a run of
// another kind; here such a key, or a number that is none, is one line in *complaint and an empty
// result.
std::string complete_rc_params(const std::string& given, uint32_t seed, int cases,
                               std::string* complaint);

}  // namespace oddtile::properties
