#include "reports/render/soundness_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/render/format.h"

namespace oddtile::reports {
namespace {

constexpr const char* kRegimes[] = {"n <= 16", "n <= 256", "n > 256"};

int64_t judged(const SoundnessCell& cell) {
  int64_t count = 0;
  for (const SoundnessContender& contender : cell.contenders) count += contender.judged;
  return count;
}

// Of the kernel in this type: what older records have instead of a number for each output.
double worst_share(const SoundnessCell& cell) {
  double worst = 0;
  for (const SoundnessContender& contender : cell.contenders)
    worst = std::max(worst, contender.worst_share);
  return worst;
}

// The largest net share of those that `where` accepts.
template <class Where>
double worst_net(const SoundnessQuantity& quantity, Where&& where) {
  double worst = 0;
  for (const SoundnessShare& share : quantity.shares) {
    if (where(share)) worst = std::max(worst, share.net);
  }
  return worst;
}

// The largest net share of one regime or family; "not drawn" where no bound decided anything, which
// a 0 would hide. An older record does not say.
template <class Where>
std::string net_text(const SoundnessCell& cell, const SoundnessQuantity& quantity,
                     const std::optional<std::vector<std::string>>& drawn, const std::string& place,
                     Where&& where) {
  if (cell.kernel == "vector_add") return {};  // bit-exact: it has none
  const double net = worst_net(quantity, where);
  const bool there = !drawn || std::count(drawn->begin(), drawn->end(), place) > 0;
  return net > 0 || there ? share_text(net) : "not drawn";
}

const SoundnessClimb* best_climb(const SoundnessQuantity& quantity) {
  const auto best = std::max_element(quantity.climbs.begin(), quantity.climbs.end(),
                                     [](const auto& a, const auto& b) { return a.net < b.net; });
  return best == quantity.climbs.end() ? nullptr : &*best;
}

double largest(const SoundnessQuantity& quantity) {
  const SoundnessClimb* best = best_climb(quantity);
  const double sampled = worst_net(quantity, [](const SoundnessShare&) { return true; });
  return std::max(sampled, best == nullptr ? 0 : best->net);
}

std::string name_of(const SoundnessCell& cell, const SoundnessQuantity& quantity) {
  return fmt::format("{} {} {}", cell.kernel, cell.dtype, quantity.name);
}

// Why a net share may be 0 however the kernel errs.
std::string remark(const SoundnessCell& cell, const SoundnessQuantity& quantity) {
  if (cell.kernel == "vector_add") return "bit-exact: no bound to use";
  if (cell.kernel == "softmax" && cell.dtype != "fp32" && largest(quantity) == 0) {
    return "hidden by the rounding of its output";
  }
  return {};
}

// visit(entry, cell, quantity) in the order of the record.
template <class Visit>
void for_each_quantity(const Record& record, Visit&& visit) {
  for (const SoundnessEntry& entry : record.soundness) {
    for (const SoundnessCell& cell : entry.cells) {
      for (const SoundnessQuantity& quantity : cell.quantities) visit(entry, cell, quantity);
    }
  }
}

Table family_table(const Record& record, const std::string& kernel) {
  struct Column {
    std::string name;
    const SoundnessCell* cell;
    const SoundnessQuantity* quantity;
  };
  std::vector<Column> columns;
  std::map<std::string, std::vector<std::string>> rows;
  for_each_quantity(record, [&](const auto& entry, const auto& cell, const auto& quantity) {
    if (cell.kernel != kernel || quantity.shares.empty()) return;
    columns.push_back(
        {fmt::format("{} {} {}", entry.machine, cell.dtype, quantity.name), &cell, &quantity});
    for (const SoundnessShare& share : quantity.shares) rows[share.family] = {share.family};
  });
  Table table{fmt::format("{}: worst net share by family of values", kernel), {{"family"}}, {}};
  for (const auto& [name, cell, quantity] : columns) {
    table.columns.push_back({name, true});
    for (auto& row_of_family : rows) {
      const std::string& family = row_of_family.first;
      row_of_family.second.push_back(
          net_text(*cell, *quantity, quantity->families, family,
                   [&](const SoundnessShare& s) { return s.family == family; }));
    }
  }
  for (auto& [family, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

}  // namespace

Table share_table(const Record& record) {
  Table table{"Worst share of the bound, whole and net of output rounding and flush",
              {{"machine"}, {"output"}, {"judged", true}, {"whole", true}},
              {}};
  for (const char* regime : kRegimes)
    table.columns.push_back({fmt::format("net, {}", regime), true});
  table.columns.push_back({"net, climbed", true});
  table.columns.push_back({"remark"});
  for_each_quantity(record, [&](const auto& entry, const auto& cell, const auto& quantity) {
    std::vector<std::string> row = {entry.machine, name_of(cell, quantity),
                                    count_text(quantity.judged.value_or(judged(cell))),
                                    share_text(quantity.worst_share.value_or(worst_share(cell)))};
    for (const char* regime : kRegimes) {
      row.push_back(net_text(cell, quantity, quantity.regimes, regime,
                             [&](const SoundnessShare& s) { return s.regime == regime; }));
    }
    const SoundnessClimb* best = best_climb(quantity);
    row.push_back(best == nullptr ? "" : share_text(best->net));
    row.push_back(remark(cell, quantity));
    table.rows.push_back(std::move(row));
  });
  return table;
}

std::vector<Table> soundness_family_tables(const Record& record) {
  std::vector<std::string> kernels;
  for_each_quantity(record, [&](const auto&, const auto& cell, const auto&) {
    if (std::count(kernels.begin(), kernels.end(), cell.kernel) == 0)
      kernels.push_back(cell.kernel);
  });
  std::vector<Table> tables;
  for (const std::string& kernel : kernels) {
    Table table = family_table(record, kernel);
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

Table climb_table(const Record& record) {
  Table table{"The best hill climb of each output",
              {{"machine"},
               {"output"},
               {"net", true},
               {"from", true},
               {"row"},
               {"kernel"},
               {"numbers changed", true},
               {"case before that"},
               {"climb again with"}},
              {}};
  for_each_quantity(record, [&](const auto& entry, const auto& cell, const auto& quantity) {
    const SoundnessClimb* best = best_climb(quantity);
    if (best == nullptr || best->net == 0) return;
    table.rows.push_back({entry.machine, name_of(cell, quantity), share_text(best->net),
                          share_text(best->first), best->regime,
                          fmt::format("{}, {}", best->contender, best->configuration),
                          count_text(best->changes), best->case_text, best->replay});
  });
  return table;
}

Table contender_table(const Record& record) {
  Table table{"What was searched",
              {{"machine"},
               {"kernel and type"},
               {"implementation"},
               {"cases", true},
               {"not offered", true},
               {"vacuous", true},
               {"judged", true},
               {"not judged", true},
               {"escalated", true},
               {"worst whole share", true}},
              {}};
  for (const SoundnessEntry& entry : record.soundness) {
    for (const SoundnessCell& cell : entry.cells) {
      for (const SoundnessContender& c : cell.contenders) {
        table.rows.push_back({entry.machine, fmt::format("{} {}", cell.kernel, cell.dtype), c.name,
                              count_text(c.cases), count_text(c.declined), count_text(c.vacuous),
                              count_text(c.judged), count_text(c.not_judged),
                              count_text(c.escalated), share_text(c.worst_share)});
      }
    }
  }
  return table;
}

void add_soundness_headline(const Record& record, std::vector<std::string>& lines) {
  for (const SoundnessEntry& entry : record.soundness) {
    int64_t all = 0;
    std::map<std::string, double> nets;  // by kernel and quantity, over the types
    for (const SoundnessCell& cell : entry.cells) {
      all += judged(cell);
      for (const SoundnessQuantity& quantity : cell.quantities) {
        double& net = nets[fmt::format("{} {}", cell.kernel, quantity.name)];
        net = std::max(net, largest(quantity));
      }
    }
    std::string line = fmt::format(
        "Soundness: {} outputs of right kernels on {} judged{}, {} "
        "violation{}.",
        count_text(all), entry.machine, entry.complete ? "" : " (not complete)",
        entry.violations.size(), entry.violations.size() == 1 ? "" : "s");
    std::string shares;
    for (const auto& [name, net] : nets) {
      if (net > 0)
        shares += fmt::format("{} {} {}", shares.empty() ? "" : ",", name, share_text(net));
    }
    if (!shares.empty()) line += " Most used of a bound, net of output rounding:" + shares + ".";
    lines.push_back(line);
  }
}

}  // namespace oddtile::reports
