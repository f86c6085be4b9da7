// Several records on one page.
#pragma once

#include "reports/record/record.h"

namespace oddtile::reports {

// Appends all entries of `other`. The ceilings and the environment of `record` stay, where it has
// any; the environment of `other` goes to `record->beside`. What broke when `other` was measured is
// told, but is no finding of `record`.
void join(const Record& other, Record* record);

}  // namespace oddtile::reports
