#include "reports/render/criteria_tables.h"

#include <fmt/format.h>

#include "reports/render/format.h"

namespace oddtile::reports {
namespace {

// Sums over entries, per criterion; the criteria are the same ones in every entry of a record.
struct Sum {
  int64_t entries = 0;
  int64_t runs = 0;
  int64_t differing = 0;
  std::vector<CriterionCount> counts;
  std::vector<int64_t> blind;  // entries in which the criterion rejects nothing
  std::vector<double> shares;  // sum over entries of the share that it rejects

  void add(const CriteriaEntry& entry) {
    ++entries;
    runs += entry.runs;
    differing += entry.differing;
    for (size_t i = 0; i < entry.counts.size(); ++i) {
      if (counts.size() == i) {
        counts.push_back({entry.counts[i].criterion, entry.counts[i].ours, 0});
        blind.push_back(0);
        shares.push_back(0);
      }
      counts[i].rejected += entry.counts[i].rejected;
      blind[i] += entry.counts[i].rejected == 0;
      shares[i] +=
          entry.differing > 0 ? double(entry.counts[i].rejected) / double(entry.differing) : 0;
    }
  }
};

Sum sum_of(const Record& record, bool mutants) {
  Sum sum;
  for (const CriteriaEntry& entry : record.criteria) {
    if (!entry.mutant.empty() == mutants) sum.add(entry);
  }
  return sum;
}

std::string of(int64_t part, int64_t whole) {
  return whole == 0 ? "" : fmt::format("{} ({:.0f} %)", part, 100.0 * double(part) / double(whole));
}

std::vector<std::string> rejections(std::vector<std::string> row,
                                    const std::vector<CriterionCount>& counts, int64_t whole) {
  for (const CriterionCount& count : counts) row.push_back(of(count.rejected, whole));
  return row;
}

Table empty_table(const char* title, std::vector<Column> columns, const Sum& sum) {
  Table table{title, std::move(columns), {}};
  for (const CriterionCount& count : sum.counts) table.columns.push_back({count.criterion, true});
  return table;
}

}  // namespace

Table caught_table(const Record& record) {
  const Sum sum = sum_of(record, true);
  Table table = empty_table("Known bugs: rejected, of the runs in which they change output bits",
                            {{"mutant"}, {"broken promise"}, {"runs that differ", true}}, sum);
  for (const CriteriaEntry& e : record.criteria) {
    if (e.mutant.empty()) continue;
    const std::string differing = fmt::format("{} of {}", e.differing, e.runs);
    table.rows.push_back(rejections({e.mutant, e.promise, differing}, e.counts, e.differing));
  }
  if (table.rows.empty()) return table;
  const std::string differing = fmt::format("{} of {}", sum.differing, sum.runs);
  table.rows.push_back(rejections({"all", "", differing}, sum.counts, sum.differing));
  std::vector<std::string> mean = {"mean of the mutants", "", ""};
  for (const double share : sum.shares) {
    mean.push_back(fmt::format("{:.0f} %", 100 * share / double(sum.entries)));
  }
  table.rows.push_back(std::move(mean));
  std::vector<std::string> blind = {"never caught", "", fmt::format("{} mutants", sum.entries)};
  for (const int64_t count : sum.blind) blind.push_back(count_text(count));
  table.rows.push_back(std::move(blind));
  return table;
}

Table false_alarm_table(const Record& record) {
  const Sum sum = sum_of(record, false);
  Table table = empty_table("False alarms: rejected, of all runs of the right kernels",
                            {{"kernel"}, {"runs", true}}, sum);
  for (const CriteriaEntry& e : record.criteria) {
    if (!e.mutant.empty()) continue;
    table.rows.push_back(rejections({e.kernel, count_text(e.runs)}, e.counts, e.runs));
  }
  if (table.rows.empty()) return table;
  table.rows.push_back(rejections({"all", count_text(sum.runs)}, sum.counts, sum.runs));
  return table;
}

void add_criteria_headline(const Record& record, std::vector<std::string>& lines) {
  const Sum right = sum_of(record, false), mutants = sum_of(record, true);
  if (mutants.entries == 0 || right.counts.size() != mutants.counts.size()) return;
  std::string line = fmt::format(
      "Criteria: {} runs of right kernels, {} in which one of {} known "
      "bugs changed bits. False alarms and missed faults:",
      right.runs, mutants.differing, mutants.entries);
  for (size_t i = 0; i < mutants.counts.size(); ++i) {
    line += fmt::format("{} {} {} and {}", i == 0 ? "" : ",", mutants.counts[i].criterion,
                        right.counts[i].rejected, mutants.differing - mutants.counts[i].rejected);
  }
  lines.push_back(line + ".");
}

}  // namespace oddtile::reports
