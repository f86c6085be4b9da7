#include "reports/render/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/render/criteria_tables.h"
#include "reports/render/format.h"
#include "reports/render/peer_tables.h"
#include "reports/render/soundness_tables.h"

namespace oddtile::reports {
namespace {

template <class Entry>
std::vector<std::string> kernels_of(const std::vector<Entry>& entries) {
  std::vector<std::string> kernels;
  for (const Entry& entry : entries) {
    if (std::count(kernels.begin(), kernels.end(), entry.kernel) == 0) {
      kernels.push_back(entry.kernel);
    }
  }
  return kernels;
}

int64_t judged(const ErrorEntry& entry) {
  int64_t count = 0;
  for (const QuantityEntry& quantity : entry.quantities) count += quantity.judged;
  return count;
}

struct Tally {
  int64_t cases = 0, pass = 0, vacuous = 0, suspect = 0, fail = 0, judged = 0, not_judged = 0;
  double worst = 0;
  std::string worst_case;

  void add(const ErrorEntry& entry) {
    ++cases;
    pass += entry.verdict == "pass";
    vacuous += entry.verdict == "vacuous";
    suspect += entry.verdict == "suspect";
    fail += entry.verdict == "fail";
    judged += reports::judged(entry);
    for (const QuantityEntry& quantity : entry.quantities) not_judged += quantity.not_judged;
    if (worst_case.empty() || worst_share(entry) > worst) {
      worst = worst_share(entry);
      worst_case = entry.case_text;
    }
  }
};

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : "";
}

std::string outputs_text(const TimingEntry& e) {
  if (e.verified) return "verified";
  if (e.verdict == "fail" || e.edge_verdict != "vacuous") {
    return fmt::format("timed {}, edges {}", e.verdict, e.edge_verdict);
  }
  return fmt::format("within bound, {:.0f} % of edges visible", 100 * e.edges_visible);
}

double ceiling_of(const TimingEntry& entry, const Ceilings& ceilings) {
  const auto& ceiling =
      entry.rate_unit == "TFLOP/s" ? ceilings.matmul_bf16_tflop_s : ceilings.copy_gb_s;
  return ceiling.value_or(0);
}

void add_error_headline(const Record& record, std::vector<std::string>& lines) {
  Tally all;
  for (const ErrorEntry& entry : record.errors) all.add(entry);
  if (all.cases == 0) return;
  lines.push_back(fmt::format(
      "Errors: {} cases, {} outputs judged: {} pass, {} vacuous, {} suspect, {} fail. The worst "
      "element uses {} of its bound.",
      all.cases, count_text(all.judged), all.pass, all.vacuous, all.suspect, all.fail,
      share_text(all.worst)));
}

std::string io_headline(const IoEntry& fused, const IoEntry& eager) {
  const double moved = double(fused.bytes_read + fused.bytes_written);
  const double least = double(fused.minimum_read + fused.minimum_written);
  const double other = double(eager.bytes_read + eager.bytes_written);
  std::string line =
      fmt::format("Bytes: {} at {}: fused moves {:.2f} times the minimum, eager {:.1f} times",
                  fused.series, size_text(fused.size), moved / least, other / least);
  if (fused.materialised > 0) {
    line += fmt::format(" (any that stores its scores at least {:.1f} times)",
                        double(fused.materialised) / least);
  }
  return line + ".";
}

// At the largest size of each series that both implementations ran.
void add_io_headlines(const Record& record, std::vector<std::string>& lines) {
  std::map<std::string, std::string> by_series;
  for (const IoEntry& fused : record.io) {
    if (fused.implementation != "fused") continue;
    for (const IoEntry& eager : record.io) {
      if (eager.implementation != "eager" || eager.case_text != fused.case_text) continue;
      by_series[fused.series] = io_headline(fused, eager);
    }
  }
  for (const auto& [series, line] : by_series) lines.push_back(line);
}

void add_timing_headlines(const Record& record, std::vector<std::string>& lines) {
  for (const std::string& kernel : kernels_of(record.timings)) {
    const TimingEntry* worst = nullptr;
    const TimingEntry* best = nullptr;
    for (const TimingEntry& entry : record.timings) {
      if (entry.kernel != kernel || entry.implementation != "fused") continue;
      if (entry.series.ends_with("replayed")) continue;  // from the L2: no share of a ceiling
      if (best == nullptr || entry.rate > best->rate) best = &entry;
      if (entry.baseline.empty()) continue;
      if (worst == nullptr || entry.ratio_low < worst->ratio_low) worst = &entry;
    }
    if (best == nullptr) continue;
    std::string line = fmt::format("Speed: {} reaches {:.0f} {} ({} at {}", kernel, best->rate,
                                   best->rate_unit, best->series, size_text(best->size));
    const double ceiling = ceiling_of(*best, record.ceilings);
    if (ceiling > 0) line += ", " + percent(best->rate, ceiling) + " of the measured ceiling";
    line += ").";
    if (worst != nullptr) {
      line += fmt::format(" Least speedup over {}: {:.2f} [{:.2f}, {:.2f}], {} at {}.",
                          worst->baseline, worst->ratio, worst->ratio_low, worst->ratio_high,
                          worst->series, size_text(worst->size));
    }
    lines.push_back(line);
  }
}

}  // namespace

double worst_share(const ErrorEntry& entry) {
  double worst = 0;
  for (const QuantityEntry& quantity : entry.quantities) {
    worst = std::max(worst, quantity.worst_share);
  }
  return worst;
}

std::vector<std::string> headlines(const Record& record) {
  std::vector<std::string> lines;
  add_error_headline(record, lines);
  add_io_headlines(record, lines);
  add_criteria_headline(record, lines);
  add_soundness_headline(record, lines);
  add_timing_headlines(record, lines);
  add_peer_headlines(record, lines);
  for (const Skip& skip : record.skips) {
    if (skip.what.starts_with("all of it")) {
      lines.push_back(fmt::format("Not measured: {}: {}.", skip.section, skip.reason));
    }
  }
  return lines;
}

Table environment_table(const Record& record) {
  const Environment& e = record.environment;
  Table table{"Environment", {{"what", false}, {"value", false}}, {}};
  table.rows = {{"commit", e.commit}, {"date", e.date}, {"compiler", e.compiler + ", " + e.build}};
  for (const MachineInfo& machine : e.machines) {
    table.rows.push_back({"machine " + machine.name, machine.description});
  }
  if (e.device.empty()) {
    table.rows.push_back({"machine cuda", "not here: " + e.no_device});
  } else {
    table.rows.push_back({"device", e.device});
    table.rows.push_back({"driver", e.driver});
    table.rows.push_back({"toolkit", e.toolkit});
  }
  for (const Environment& other : record.beside) {
    table.rows.push_back(
        {"joined record or later run",
         fmt::format("commit {}, {}, {}, driver {}, {}, {}", other.commit, other.date, other.device,
                     other.driver, other.toolkit, other.build)});
  }
  if (record.ceilings.copy_gb_s) {
    table.rows.push_back({"measured copy rate", fmt::format("{:.0f} GB/s, bytes read plus written",
                                                            *record.ceilings.copy_gb_s)});
  }
  if (record.ceilings.matmul_bf16_tflop_s) {
    table.rows.push_back(
        {"measured bf16 product",
         fmt::format("{:.0f} TFLOP/s, cuBLAS", *record.ceilings.matmul_bf16_tflop_s)});
  }
  return table;
}

Table verdict_table(const Record& record) {
  std::map<std::vector<std::string>, Tally> tallies;
  for (const ErrorEntry& entry : record.errors) {
    tallies[{entry.machine, entry.kernel, entry.implementation}].add(entry);
  }
  Table table{"Verdicts",
              {{"machine"},
               {"kernel"},
               {"implementation"},
               {"cases", true},
               {"pass", true},
               {"vacuous", true},
               {"suspect", true},
               {"fail", true},
               {"judged", true},
               {"not judged", true},
               {"worst share", true}},
              {}};
  for (const auto& [key, t] : tallies) {
    table.rows.push_back({key[0], key[1], key[2], count_text(t.cases), count_text(t.pass),
                          count_text(t.vacuous), count_text(t.suspect), count_text(t.fail),
                          count_text(t.judged), count_text(t.not_judged), share_text(t.worst)});
  }
  return table;
}

std::vector<Table> family_tables(const Record& record) {
  std::vector<Table> tables;
  for (const std::string& kernel : kernels_of(record.errors)) {
    // family -> quantity names are per implementation: "fused o", "fused lse", ...
    std::map<std::string, std::map<std::string, double>> shares;
    std::vector<std::string> columns;
    for (const ErrorEntry& entry : record.errors) {
      if (entry.kernel != kernel) continue;
      for (const QuantityEntry& q : entry.quantities) {
        const std::string column =
            fmt::format("{} {} {}", entry.machine, entry.implementation, q.name);
        if (std::count(columns.begin(), columns.end(), column) == 0) columns.push_back(column);
        double& worst = shares[entry.family].try_emplace(column, 0).first->second;
        worst = std::max(worst, q.worst_share);
      }
    }
    Table table{"Worst share of the bound: " + kernel, {{"values"}}, {}};
    for (const std::string& column : columns) table.columns.push_back({column, true});
    for (const auto& [family, by_column] : shares) {
      std::vector<std::string> row = {family};
      for (const std::string& column : columns) {
        const auto found = by_column.find(column);
        row.push_back(found == by_column.end() ? "" : share_text(found->second));
      }
      table.rows.push_back(std::move(row));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

Table io_table(const Record& record) {
  Table table{"Bytes and operations that the simulator counted",
              {{"series"},
               {"size", true},
               {"implementation"},
               {"read", true},
               {"written", true},
               {"minimum", true},
               {"times the minimum", true},
               {"flops", true},
               {"launches", true}},
              {}};
  for (const IoEntry& e : record.io) {
    const double least = double(e.minimum_read + e.minimum_written);
    const double moved = double(e.bytes_read + e.bytes_written);
    table.rows.push_back({e.series, size_text(e.size), e.implementation, bytes_text(e.bytes_read),
                          bytes_text(e.bytes_written), bytes_text(int64_t(least)),
                          least > 0 ? fmt::format("{:.2f}", moved / least) : "",
                          count_text(e.flops), count_text(e.launches)});
  }
  return table;
}

std::vector<Table> timing_tables(const Record& record) {
  std::vector<Table> tables;
  for (const std::string& kernel : kernels_of(record.timings)) {
    Table table{"Times: " + kernel,
                {{"series"},
                 {"size", true},
                 {"implementation"},
                 {"median us", true},
                 {"quartiles us", true},
                 {"rate", true},
                 {"of the ceiling", true},
                 {"speed over baseline", true},
                 {"95 % interval", true},
                 {"outputs"}},
                {}};
    for (const TimingEntry& e : record.timings) {
      if (e.kernel != kernel) continue;
      const bool compared = !e.baseline.empty();
      table.rows.push_back(
          {e.series, size_text(e.size), e.implementation, fmt::format("{:.1f}", e.us_median),
           fmt::format("{:.1f} .. {:.1f}", e.us_lower, e.us_upper),
           e.rate_unit.empty() ? "" : fmt::format("{:.0f} {}", e.rate, e.rate_unit),
           e.rate_unit.empty() ? "" : percent(e.rate, ceiling_of(e, record.ceilings)),
           compared ? fmt::format("{:.2f}", e.ratio) : "",
           compared ? fmt::format("{:.2f} .. {:.2f}", e.ratio_low, e.ratio_high) : "",
           outputs_text(e)});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

Table profile_table(const Record& record) {
  Table table{"Declared arithmetic, on which the bounds rest",
              {{"machine"}, {"implementation"}, {"kernel"}, {"configuration"}, {"profile"}},
              {}};
  for (const ProfileEntry& e : record.profiles) {
    table.rows.push_back({e.machine, e.implementation, e.kernel, e.name, e.text});
  }
  return table;
}

Table skip_table(const Record& record) {
  Table table{"Not measured", {{"section"}, {"what"}, {"reason"}}, {}};
  for (const Skip& skip : record.skips) {
    table.rows.push_back({skip.section, skip.what, skip.reason});
  }
  return table;
}

}  // namespace oddtile::reports
