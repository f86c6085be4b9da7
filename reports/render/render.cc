#include "reports/render/render.h"

#include <fmt/format.h>

#include <kainjow/mustache.hpp>

#include "reports/record/findings.h"
#include "reports/render/charts.h"
#include "reports/render/criteria_tables.h"
#include "reports/render/peer_tables.h"
#include "reports/render/rate_table.h"
#include "reports/render/soundness_tables.h"
#include "reports/render/tables.h"
#include "reports/render/templates.h"

namespace oddtile::reports {
namespace {

using kainjow::mustache::data;
using kainjow::mustache::mustache;

data list_of(const std::vector<std::string>& lines) {
  data list(data::type::list);
  for (const std::string& line : lines) list.push_back(data("text", line));
  return list;
}

data cells(const std::vector<Column>& columns, const std::vector<std::string>& texts) {
  data list(data::type::list);
  for (size_t i = 0; i < columns.size(); ++i) {
    data cell(data::type::object);
    cell.set("text", texts[i]);
    if (columns[i].numeric) cell.set("numeric", data(data::type::bool_true));
    list.push_back(cell);
  }
  return list;
}

data table_data(const Table& table) {
  data result(data::type::object);
  result.set("title", table.title);
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  result.set("columns", cells(table.columns, names));
  data rows(data::type::list);
  for (const auto& row : table.rows) rows.push_back(data("cells", cells(table.columns, row)));
  result.set("rows", rows);
  return result;
}

data tables_data(const std::vector<Table>& tables) {
  data list(data::type::list);
  for (const Table& table : tables) {
    if (!table.rows.empty()) list.push_back(table_data(table));
  }
  return list;
}

// Pictures of a section; where gnuplot is missing, one note for the whole page.
data plots_data(const std::vector<Plot>& plots, const std::string& prefix, std::string* reason) {
  data list(data::type::list);
  for (size_t i = 0; i < plots.size() && reason->empty(); ++i) {
    data figure(data::type::object);
    figure.set("caption", plots[i].caption);
    figure.set("svg", draw(plots[i], fmt::format("{}{}_", prefix, i), reason));
    if (reason->empty()) list.push_back(figure);
  }
  return list;
}

data section(const char* title, const char* about, const std::vector<Table>& tables,
             const data& plots) {
  data result(data::type::object);
  result.set("title", title);
  result.set("about", about);
  result.set("tables", tables_data(tables));
  result.set("plots", plots);
  return result;
}

constexpr char kErrorsAbout[] =
    "Every output element is compared with its exact value; the share of the bound is |error| over "
    "the error that a correct kernel with the declared arithmetic may have. Above 1 the kernel is "
    "wrong; near 1 is usual for 16-bit outputs, whose last rounding alone may use it all. Vacuous: "
    "nothing was wrong, but the data could not have shown much.";
constexpr char kIoAbout[] =
    "Counted by the simulator, exactly and repeatably: what the kernels ask of global memory "
    "(caches "
    "are not modelled), beside the least that anybody must move: every input that can have an "
    "influence read once, every output written once. Operations are those of the matrix unit and "
    "of "
    "special functions.";
constexpr char kCriteriaAbout[] =
    "Three pass criteria of public test suites and ours, on the same simulated runs: kernels as "
    "they are, and kernels with one known bug put back. A right kernel that is rejected is a false "
    "alarm; a bug that changes output bits and is accepted is a missed fault. The public criteria "
    "see O (y, out) whole: at most twice the largest error of the eager baseline plus 1e-5; "
    "allclose with the usual defaults of the type; no element beyond 1e-2 both absolutely and "
    "relatively. Ours is the judge's bound of every element of O and of the LSE. A few changed "
    "bits may be as right as the others, so no criterion need reject every run that differs.";
constexpr char kSoundnessAbout[] =
    "Random cases on kernels that are right, and on variants that take every liberty that their "
    "declared arithmetic leaves: none may ever leave a bound. The net share is the error beyond "
    "what the last rounding of the output and flushing may do, over the rest of the bound: it says "
    "how much of the analysis is ever used. A hill climb looks for the worst numbers. The rounding "
    "of a 16-bit softmax's output is larger than everything else in its bound together: it hides "
    "the rest, and a net share of 0 there says nothing.";
constexpr char kRatesAbout[] =
    "Executions of what the fuzzer runs, on one core and by CPU time: two runs of the kernel on "
    "the simulator in different settings, the oracle, the judge and every law. The lists are 25 "
    "attention cases each, with a head size of 64.";
constexpr char kTimingAbout[] =
    "Medians of device time with a cold L2, implementations interleaved in random order in one "
    "process. The speed ratio and its 95 % interval come from a bootstrap over rounds. A time is "
    "verified when the timed outputs are within their bounds and the same shape and configuration "
    "passes on data that shows a fault at every edge.";

constexpr char kPeersAbout[] =
    "Our kernels beside other libraries, in one process, on outputs that were judged in that run: "
    "how many times as fast ours is, with the 95 % interval of rounds in which both were timed. "
    "Interleaved: a random order in each round, cold L2 (softmax and add move more than it holds). "
    "Sustained: each alone, back to back, at the clocks that the power limit leaves it; the limits "
    "are then those of two passes, no interval. Replayed: graphs of 20 launches, launch included. "
    "Beside a copy, and a masked problem beside the full one, rates are compared. A copy with gaps "
    "or of visible sectors moves the same rows and computes nothing: about what memory allows.";

data view(const Record& record, bool with_plots) {
  data result(data::type::object);
  std::vector<std::string> found;
  for (const Finding& finding : findings(record)) {
    found.push_back(fmt::format("({}) {}", finding.section, finding.text));
  }
  result.set(found.empty() ? "clean" : "dirty", data(data::type::bool_true));
  result.set("finding_count",
             fmt::format("{} finding{}", found.size(), found.size() == 1 ? "" : "s"));
  result.set("findings", list_of(found));
  result.set("headlines", list_of(headlines(record)));
  result.set("environment", tables_data({environment_table(record)}));

  std::string reason;
  const auto plots = [&](const std::vector<Plot>& wanted, const char* prefix) {
    return with_plots ? plots_data(wanted, prefix, &reason) : data(data::type::list);
  };
  std::vector<Table> errors = {verdict_table(record)};
  for (Table& table : family_tables(record)) errors.push_back(std::move(table));
  data sections(data::type::list);
  if (!record.errors.empty()) {
    sections.push_back(
        section("How wrong", kErrorsAbout, errors, plots(error_plots(record), "error")));
  }
  if (!record.io.empty()) {
    sections.push_back(
        section("How many bytes", kIoAbout, {io_table(record)}, plots(io_plots(record), "io")));
  }
  if (!record.criteria.empty()) {
    sections.push_back(section("What other criteria would have said", kCriteriaAbout,
                               {caught_table(record), false_alarm_table(record)},
                               data(data::type::list)));
  }
  if (!record.soundness.empty()) {
    std::vector<Table> searched = {share_table(record)};
    for (Table& table : soundness_family_tables(record)) searched.push_back(std::move(table));
    searched.push_back(climb_table(record));
    searched.push_back(contender_table(record));
    sections.push_back(section("Whether the bounds are right, and how much of them is used",
                               kSoundnessAbout, searched, data(data::type::list)));
  }
  if (!record.rates.empty()) {
    sections.push_back(section("How many cases a second", kRatesAbout, {rate_table(record)},
                               data(data::type::list)));
  }
  if (!record.timings.empty()) {
    sections.push_back(section("How fast", kTimingAbout, timing_tables(record),
                               plots(timing_plots(record), "time")));
  }
  if (has_peers(record)) {
    std::vector<Table> beside = {peer_summary_table(record)};
    for (Table& table : peer_tables(record)) beside.push_back(std::move(table));
    sections.push_back(
        section("Beside other libraries", kPeersAbout, beside, data(data::type::list)));
  }
  result.set("sections", sections);
  result.set("appendix", tables_data({skip_table(record), profile_table(record)}));
  if (!reason.empty()) result.set("no_plots", reason);
  return result;
}

std::string rendered(const char* text, const Record& record, bool with_plots) {
  mustache page{std::string(text)};
  if (!page.is_valid()) throw std::logic_error("template: " + page.error_message());
  return page.render(view(record, with_plots));
}

}  // namespace

std::string render_summary(const Record& record) {
  return rendered(kSummaryTemplate, record, false);
}

std::string render_page(const Record& record) {
  return rendered(kPageTemplate, record, true);
}

}  // namespace oddtile::reports
