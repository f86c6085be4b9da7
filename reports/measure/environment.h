// Where and from what a record was made: commit, date, compiler, machines, device.
#pragma once

#include "reports/record/record.h"

namespace oddtile::reports {

Environment environment();

}  // namespace oddtile::reports
