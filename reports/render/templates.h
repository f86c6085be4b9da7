// The mustache templates, embedded when the program is built.
#pragma once

namespace oddtile::reports {
extern const char kSummaryTemplate[];
extern const char kPageTemplate[];
}  // namespace oddtile::reports
