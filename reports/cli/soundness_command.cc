// `oddtile soundness`: random search over legitimate kernels, then hill climbs, with the shares of
// the bounds that they reach. Resumable: the same command goes on where it was stopped.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>

#include "properties/search/climb.h"
#include "reports/cli/selection.h"
#include "reports/cli/soundness_entry.h"
#include "reports/measure/environment.h"

namespace oddtile::reports {
namespace {

using properties::Cell;
using properties::SearchOptions;
using properties::SearchState;

std::atomic<bool> interrupted = false;

void interrupt(int) {
  interrupted = true;
}

std::optional<oddtile_kernel> kernel_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  for (const int kernel : {0, 1, 2})
    if (name == oracles::kernel_name(oddtile_kernel(kernel))) return oddtile_kernel(kernel);
  throw WrongUse(fmt::format("unknown kernel '{}'; kernels: vector_add, softmax, attention", name));
}

SearchState begun(const SoundnessOptions& options) {
  SearchState fresh;
  fresh.build = environment().commit;
  fresh.machine = options.machine;
  fresh.seed = options.seed;
  SearchState state = fresh;
  try {
    if (options.state.empty() || !properties::load(options.state, &state)) return fresh;
  } catch (const std::invalid_argument& error) {
    throw WrongUse(fmt::format("{} is no state: {}", options.state, error.what()));
  }
  if (state.machine != fresh.machine || state.seed != fresh.seed || state.build != fresh.build) {
    throw WrongUse(
        fmt::format("{} belongs to machine={} seed={} build={}, not to machine={} seed={} build={}",
                    options.state, state.machine, state.seed, state.build, fresh.machine,
                    fresh.seed, fresh.build));
  }
  return state;
}

void show_progress(const SearchState& state, const SearchOptions& options) {
  const auto cells = properties::wanted_cells(options);
  int64_t judged = 0;
  double worst = 0;
  for (const Cell& cell : cells) {
    const auto found = state.cells.find(cell);
    if (found != state.cells.end()) judged += std::min(found->second.judged, options.outputs);
  }
  for (const auto& [place, reached] : state.worst) worst = std::max(worst, reached.net);
  for (const auto& [name, reached] : state.climbs) worst = std::max(worst, reached.net);
  const bool terminal = isatty(STDERR_FILENO) == 1;
  fmt::print(stderr,
             "{}soundness on {}: {} of {} outputs, {} climbs, worst net share {:.3f}, {} "
             "violations, {:.0f} s{}",
             terminal ? "\r\033[K" : "", state.machine, judged,
             options.outputs * int64_t(cells.size()), state.climbs.size(), worst,
             state.violations.size(), state.seconds, terminal ? "" : "\n");
  std::fflush(stderr);
}

void print_totals(const SearchState& state) {
  fmt::print("{:<16} {:<24} {:>8} {:>12} {:>11} {:>8} {:>9} {:>12}\n", "kernel and type",
             "implementation", "cases", "judged", "not judged", "vacuous", "escalated",
             "worst share");
  for (const auto& [key, total] : state.totals)
    fmt::print("{:<16} {:<24} {:>8} {:>12} {:>11} {:>8} {:>9} {:>12.4f}\n", cell_name(key.first),
               key.second, total.cases, total.judged, total.not_judged, total.vacuous,
               total.escalated, total.worst_share);
}

// Per kernel, type and quantity: the most that sampling reached by regime, and the best climb.
void print_shares(const SearchState& state) {
  struct Row {
    double sampled[3] = {0, 0, 0};
    std::array<bool, 3> drawn = {false, false, false};
    int64_t judged = 0;
    double whole = 0, climbed = -1;  // below 0: no climb
    std::string by;
  };
  std::map<std::pair<Cell, std::string>, Row> rows;
  for (const auto& [name, total] : state.quantities) {
    Row& row = rows[{name.cell, name.quantity}];
    row.judged += total.judged;
    row.whole = std::max(row.whole, total.worst_share);
    for (size_t regime = 0; regime < 3; ++regime)
      row.drawn[regime] = row.drawn[regime] || total.drawn[regime];
  }
  for (const auto& [place, worst] : state.worst) {
    double& most = rows[{place.cell, place.quantity}].sampled[place.regime];
    most = std::max(most, worst.net);
  }
  for (const auto& [name, climbed] : state.climbs) {
    Row& row = rows[{name.cell, name.quantity}];
    if (climbed.net <= row.climbed) continue;
    row.climbed = climbed.net;
    if (climbed.net == 0) continue;  // it stands where it began
    row.by = fmt::format("{}, {}: {}", name.contender, climbed.configuration, climbed.subject);
  }
  fmt::print(
      "worst share of the bound, whole and net of output rounding and flush\n"
      "{:<16} {:<4} {:>12} {:>8} {:>9} {:>9} {:>9} {:>9}\n",
      "kernel and type", "", "judged", "whole", "n <= 16", "n <= 256", "n > 256", "climbed");
  for (const auto& [key, row] : rows) {
    const bool exact = key.first.kernel == oddtile_kernel_vector_add;
    const auto net = [&](double share, bool there) {
      return exact ? std::string("exact") : there ? fmt::format("{:.3f}", share) : "not drawn";
    };
    fmt::print("{:<16} {:<4} {:>12} {:>8.4f} {:>9} {:>9} {:>9} {:>9}  {}\n", cell_name(key.first),
               key.second, row.judged, row.whole, net(row.sampled[0], row.drawn[0]),
               net(row.sampled[1], row.drawn[1]), net(row.sampled[2], row.drawn[2]),
               row.climbed < 0 ? "none" : net(row.climbed, true), row.by);
  }
}

void write_record(const SearchState& state, const SoundnessOptions& options, bool complete) {
  if (options.record.empty()) return;
  Record record;
  record.environment = environment();
  record.soundness = {soundness_entry(state, options.outputs, complete)};
  std::ofstream file(options.record, std::ios::binary);
  file << to_json(record);
  file.close();
  if (!file) throw WrongUse("cannot write " + options.record);
}

}  // namespace

int soundness_command(const SoundnessOptions& options) {
  properties::Machine& machine = machine_named(options.machine);
  SearchOptions search;
  search.outputs = options.outputs;
  search.kernel = kernel_named(options.kernel);
  if (options.seconds_at_most > 0) search.seconds_at_most = options.seconds_at_most;
  search.threads = options.threads;
  search.state_path = options.state;
  search.stop = &interrupted;
  search.progress = [&](const SearchState& state) { show_progress(state, search); };
  if (options.outputs < 0 || options.climb < 0 || options.threads < 0)
    throw WrongUse("--outputs, --climb and --threads are not negative");
  SearchState state = begun(options);
  if (!options.state.empty()) {
    try {
      save(state, options.state);  // before hours of work are spent
    } catch (const std::exception& error) {
      throw WrongUse(error.what());
    }
  }
  write_record(state, options, false);
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  bool complete = properties::search_soundness(machine, search, &state);
  // A search that its time cut short still climbs: a climb needs nothing of it.
  if (options.climb_seconds_at_most > 0) search.seconds_at_most = options.climb_seconds_at_most;
  if (options.climb > 0 && state.violations.empty())
    complete = properties::climb_all(machine, search, options.climb, &state) && complete;
  fmt::print(stderr, "\n");
  write_record(state, options, complete);
  print_totals(state);
  print_shares(state);
  for (const std::string& violation : state.violations) fmt::print("VIOLATION: {}\n", violation);
  fmt::print("{}: {} outputs judged, {} violations{}\n", complete ? "complete" : "not complete",
             state.judged(), state.violations.size(),
             complete || options.state.empty() ? "" : "; the same command goes on");
  return state.violations.empty() ? 0 : 1;
}

}  // namespace oddtile::reports
