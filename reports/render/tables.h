// A record reduced to the tables and sentences that both pages show.
#pragma once

#include <string>
#include <vector>

#include "reports/record/record.h"

namespace oddtile::reports {

struct Column {
  std::string name;
  bool numeric = false;  // right-aligned
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::vector<std::string> headlines(const Record& record);  // a sentence per section
Table environment_table(const Record& record);
Table verdict_table(const Record& record);               // per machine, kernel, implementation
std::vector<Table> family_tables(const Record& record);  // worst share per family, a table a kernel
Table io_table(const Record& record);
std::vector<Table> timing_tables(const Record& record);  // one per kernel
Table profile_table(const Record& record);
Table skip_table(const Record& record);

double worst_share(const ErrorEntry& entry);  // over its quantities

}  // namespace oddtile::reports
