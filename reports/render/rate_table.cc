#include "reports/render/rate_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace oddtile::reports {
namespace {

void add_once(std::vector<std::string>* to, const std::string& value) {
  if (std::find(to->begin(), to->end(), value) == to->end()) to->push_back(value);
}

}  // namespace

Table rate_table(const Record& record) {
  std::vector<std::string> builds, names;
  for (const RateEntry& rate : record.rates) {
    add_once(&builds, rate.build);
    add_once(&names, rate.name);
  }
  Table table{"Cases a second of one core (millions of judged elements)", {{"case"}}, {}};
  for (const std::string& build : builds) table.columns.push_back({build, true});
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const std::string& build : builds) {
      std::string text = "-";
      for (const RateEntry& rate : record.rates) {
        if (rate.name != name || rate.build != build) continue;
        text = fmt::format("{:.0f} ({:.2f})", rate.cases, rate.elements / 1e6);
      }
      row.push_back(std::move(text));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace oddtile::reports
