// Soundness searches as tables: how much right kernels use of their bounds, by length of the row,
// by family of values and by kernel, and how far hill climbs came.
#pragma once

#include "reports/render/tables.h"

namespace oddtile::reports {

Table share_table(const Record& record);  // a row a quantity
std::vector<Table> soundness_family_tables(
    const Record& record);                    // family x quantity, a kernel each
Table climb_table(const Record& record);      // the best climb of each quantity, and its replay
Table contender_table(const Record& record);  // what each right kernel did
void add_soundness_headline(const Record& record, std::vector<std::string>& lines);

}  // namespace oddtile::reports
