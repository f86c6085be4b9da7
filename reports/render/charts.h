// The plots of a record.
#pragma once

#include <vector>

#include "reports/record/record.h"
#include "reports/render/plot.h"

namespace oddtile::reports {

std::vector<Plot> error_plots(const Record& record);   // share of the bound over size, by family
std::vector<Plot> io_plots(const Record& record);      // bytes over size: eager, fused, minimum
std::vector<Plot> timing_plots(const Record& record);  // rates against ceilings, speed ratios

}  // namespace oddtile::reports
