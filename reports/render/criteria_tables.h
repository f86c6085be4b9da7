// Public pass criteria beside ours, as tables: false alarms on right kernels, known bugs missed.
#pragma once

#include "reports/render/tables.h"

namespace oddtile::reports {

Table caught_table(const Record& record);       // mutant x criterion, with sums
Table false_alarm_table(const Record& record);  // kernel x criterion, with sums
void add_criteria_headline(const Record& record, std::vector<std::string>& lines);

}  // namespace oddtile::reports
