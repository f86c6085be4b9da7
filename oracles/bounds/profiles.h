// The files of profiles/, as text: profiles.cc is made of them by the build.
#pragma once

#include <span>

namespace oddtile::oracles {

extern const std::span<const char* const> kProfileTexts;

}  // namespace oddtile::oracles
