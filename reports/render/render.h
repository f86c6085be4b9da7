// The pages of a record. Pure functions: the same record gives the same text on every machine that
// has the same gnuplot (without gnuplot the page says so and has tables only).
#pragma once

#include <string>

#include "reports/record/record.h"

namespace oddtile::reports {

std::string render_summary(const Record& record);  // Markdown
std::string render_page(const Record& record);     // one self-contained HTML page

}  // namespace oddtile::reports
