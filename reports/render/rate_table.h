// How often the simulator runs a case with all its checks, by case and build.
#pragma once

#include "reports/render/tables.h"

namespace oddtile::reports {

Table rate_table(const Record& record);  // a row a case, a column a build

}  // namespace oddtile::reports
