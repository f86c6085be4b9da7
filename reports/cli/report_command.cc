// `oddtile report`: the sweeps, the record, the pages. The exit code is the gate of a CI.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "properties/harness/harness.h"
#include "properties/search/climb.h"
#include "reports/cli/selection.h"
#include "reports/cli/soundness_entry.h"
#include "reports/measure/criteria_sweep.h"
#include "reports/measure/environment.h"
#include "reports/measure/error_sweep.h"
#include "reports/measure/io.h"
#include "reports/measure/timing.h"
#include "reports/record/findings.h"
#include "reports/record/join.h"
#include "reports/record/rates.h"
#include "reports/render/render.h"

namespace oddtile::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSections[] = {"errors", "io", "criteria", "soundness", "timing"};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

struct Section {
  std::string name;
  Effort effort = Effort::full;
};

std::vector<Section> checked_sections(const std::string& text, bool quick) {
  constexpr std::string_view kQuick = ":quick";
  std::vector<Section> sections;
  for (std::string name : split(text)) {
    const bool fraction = name.ends_with(kQuick);
    if (fraction) name.resize(name.size() - kQuick.size());
    if (std::count(std::begin(kSections), std::end(kSections), name) == 0) {
      throw WrongUse(
          fmt::format("unknown section '{}'; sections: {}", name, fmt::join(kSections, ", ")));
    }
    sections.push_back({name, quick || fraction ? Effort::quick : Effort::full});
  }
  if (sections.empty()) {
    throw WrongUse(fmt::format("no section; sections: {}", fmt::join(kSections, ", ")));
  }
  return sections;
}

// Through a second file, so that a report that is interrupted never leaves half a file.
void write_file(const fs::path& path, const std::string& text) {
  const fs::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
  std::error_code error;
  fs::rename(part, path, error);
  if (error) throw WrongUse(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

void measure_errors(Effort effort, Record* record) {
  error_sweep(properties::sim_machine(), effort, record);
  if (properties::Machine* cuda = properties::cuda_machine()) {
    error_sweep(*cuda, effort, record);
  } else {
    record->skips.push_back({"errors", "the sweep on cuda", properties::cuda_absence_reason()});
  }
}

void measure_times(Effort effort, Record* record) {
  properties::Machine* cuda = properties::cuda_machine();
  std::string reason = properties::cuda_absence_reason();
  if (cuda != nullptr) {
    if (const std::unique_ptr<Timer> timer = make_timer(*cuda, &reason)) {
      timing_suite(*cuda, *timer, effort, record);
      return;
    }
  }
  record->skips.push_back({"timing", "all of it", reason, cuda != nullptr});
}

// The seed is fixed: two reports of one build search the same cases. What the time does not suffice
// for is left out, and the pages say so.
void measure_soundness(properties::Machine& machine, Effort effort, Record* record) {
  const bool quick = effort == Effort::quick;
  properties::SearchOptions options;
  options.outputs = quick ? 300'000 : 3'000'000;
  options.seconds_at_most = quick ? 10 : 60;
  properties::SearchState state;
  state.machine = machine.name();
  state.seed = 1;
  const bool searched = properties::search_soundness(machine, options, &state);
  options.seconds_at_most /= 2;  // of its own: a search cut short still climbs
  const bool complete = state.violations.empty() &&
                        properties::climb_all(machine, options, quick ? 100 : 2000, &state) &&
                        searched;
  record->soundness.push_back(soundness_entry(state, options.outputs, complete));
}

Record read_record(const std::string& path) {
  std::string reason;
  std::optional<Record> record = from_json(read_file(path), &reason);
  if (!record) throw WrongUse(fmt::format("{} is no record: {}", path, reason));
  return std::move(*record);
}

void add_rates(const std::string& path, Record* record) {
  std::string reason;
  const auto rates = rates_from(read_file(path), &reason);
  if (!rates) throw WrongUse(fmt::format("{} has no rates: {}", path, reason));
  record->rates.insert(record->rates.end(), rates->begin(), rates->end());
}

int write_pages(const Record& record, const std::string& output) {
  const fs::path folder = output;
  write_file(folder / "summary.md", render_summary(record));
  write_file(folder / "index.html", render_page(record));
  const std::vector<Finding> found = findings(record);
  for (const Finding& finding : found) {
    fmt::print("FINDING ({}): {}\n", finding.section, finding.text);
  }
  for (const Skip& skip : record.skips) {
    if (skip.broken) continue;  // among the findings
    fmt::print("not measured ({}): {}: {}\n", skip.section, skip.what, skip.reason);
  }
  fmt::print(
      "{} error entries, {} of bytes moved, {} of criteria, {} of soundness, {} times, "
      "{} findings: {}\n",
      record.errors.size(), record.io.size(), record.criteria.size(), record.soundness.size(),
      record.timings.size(), found.size(), (folder / "index.html").string());
  return found.empty() ? 0 : 1;
}

}  // namespace

int report_command(const ReportOptions& options) {
  const std::vector<Section> sections = checked_sections(options.sections, options.quick);
  const auto times = std::count_if(sections.begin(), sections.end(),
                                   [](const Section& s) { return s.name == "timing"; });
  if (times == std::ssize(sections)) machine_named("cuda");  // else there is nothing to measure
  require_writable(options.output);
  std::vector<Record> beside;  // read first: a wrong path must not cost the sweeps
  for (const std::string& path : options.beside) beside.push_back(read_record(path));
  Record record;
  for (const std::string& path : options.rates) add_rates(path, &record);
  record.environment = environment();
  properties::Machine& sim = properties::sim_machine();
  sim.use_threads(int(std::thread::hardware_concurrency()));
  for (const auto& [name, effort] : sections) {
    if (name == "errors") measure_errors(effort, &record);
    if (name == "io") measure_io(sim, effort, &record);
    if (name == "criteria") measure_criteria(sim, effort, &record);
    if (name == "soundness") measure_soundness(sim, effort, &record);
    if (name == "timing") measure_times(effort, &record);
    // After each section: what was measured is kept when a later section breaks the process.
    write_file(fs::path(options.output) / "record.json", to_json(record));
  }
  for (const Record& other : beside) join(other, &record);
  return write_pages(record, options.output);
}

int render_command(const RenderOptions& options) {
  Record record = read_record(options.records.front());
  for (size_t i = 1; i < options.records.size(); ++i)
    join(read_record(options.records[i]), &record);
  require_writable(options.output);
  return write_pages(record, options.output);
}

}  // namespace oddtile::reports
