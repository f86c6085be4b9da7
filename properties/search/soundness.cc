#include "properties/search/soundness.h"

#include "oracles/case/sizes.h"
#include "properties/search/crew.h"

namespace oddtile::properties {
namespace {

constexpr double kProgressSeconds = 5;
constexpr int64_t kBatchPerThread = 24;

// The work of the largest case, as oracles::work_of counts it. The simulator sees many small cases
// rather than a few long rows; a GPU is kept busy.
int64_t work_at_most(oddtile_kernel kernel, const Machine& machine) {
  if (machine.name() != "sim")
    return (kernel == oddtile_kernel_attention ? 30 : 1) * oracles::kSmallWork;
  return kernel == oddtile_kernel_attention ? oracles::kSmallWork / 4 : 20'000;
}

// The cell that is farthest from its outputs; null when all have theirs.
const Cell* least_done(const std::vector<Cell>& cells, int64_t outputs, SearchState& state) {
  const Cell* least = nullptr;
  for (const Cell& cell : cells) {
    if (state.cells[cell].judged >= outputs) continue;
    if (least == nullptr || state.cells[cell].judged < state.cells[*least].judged) least = &cell;
  }
  return least;
}

// False: the batch was cut short.
bool count_batch(const Cell& cell, const std::vector<Contender>& field, int64_t outputs,
                 const std::vector<std::optional<Attempt>>& results, const Machine& machine,
                 SearchState* state) {
  CellProgress& progress = state->cells[cell];
  for (const std::optional<Attempt>& result : results) {
    if (!result) return false;
    ++progress.next;
    count_attempt(*result, cell, field[result->drawn.contender], machine, state);
    if (progress.judged >= outputs || !state->violations.empty()) return true;
  }
  return true;
}

}  // namespace

std::vector<Cell> wanted_cells(const SearchOptions& options) {
  std::vector<Cell> cells;
  for (const Cell& cell : all_cells())
    if (!options.kernel || *options.kernel == cell.kernel) cells.push_back(cell);
  return cells;
}

bool search_soundness(Machine& machine, const SearchOptions& options, SearchState* state) {
  const std::vector<Cell> cells = wanted_cells(options);
  Crew crew(machine, options);
  const double before = state->seconds;
  double told = 0;
  const auto tell = [&] {
    told = crew.seconds();
    state->seconds = before + told;
    if (!options.state_path.empty()) save(*state, options.state_path);
    if (options.progress) options.progress(*state);
  };
  bool going = state->violations.empty();
  while (going) {
    const Cell* cell = least_done(cells, options.outputs, *state);
    if (cell == nullptr) break;
    const std::vector<Contender> field = options.contenders
                                             ? options.contenders(cell->kernel, machine)
                                             : contenders(cell->kernel, machine);
    const int64_t first = state->cells[*cell].next, work = work_at_most(cell->kernel, machine);
    std::vector<std::optional<Attempt>> results(size_t(crew.threads() * kBatchPerThread));
    crew.run(int64_t(results.size()), [&](int64_t at, Machine& own, std::mutex* turn) {
      const Drawn drawn = draw_attempt(*cell, state->seed, first + at, field.size(), work);
      results[size_t(at)] = attempt(drawn, field[drawn.contender], own, turn);
    });
    going = count_batch(*cell, field, options.outputs, results, machine, state) &&
            state->violations.empty();
    if (crew.seconds() - told > kProgressSeconds) tell();
  }
  tell();
  return going && least_done(cells, options.outputs, *state) == nullptr;
}

}  // namespace oddtile::properties
