#include "properties/search/removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "oracles/case/text.h"

namespace oddtile::properties {
namespace {

using oracles::Case;

constexpr oddtile_kernel kKernels[] = {oddtile_kernel_vector_add, oddtile_kernel_softmax,
                                       oddtile_kernel_attention};
// Seeds name policies (kernels/sim/schedule.h): the plain schedule first, then one whose copies
// land only when they are awaited, then all others; each thousand is another draw of all of them.
uint64_t schedule_at(int64_t turn) {
  return turn == 0 ? 0 : uint64_t(turn) * 411 % 1000 + uint64_t(turn / 1000) * 1000;
}

// One kernel of one implementation, with what it gives as it stands.
struct Subject {
  oddtile_kernel kernel;
  const oddtile_implementation& which;
  std::vector<Case> cases;
  std::vector<Outcome> outcomes;
  std::vector<std::vector<int64_t>> counts;  // of `words`, in each case
  std::vector<SynchronisationWord> words;
};

Outcome run_under(const Case& subject, uint64_t schedule, const oddtile_implementation& which,
                  Machine& machine) {
  Case scheduled = subject;
  scheduled.schedule = schedule;
  return run_case(scheduled, which, machine);
}

// What shows that an outcome is not that of the kernel as it stands; empty: nothing.
std::string difference(const Outcome& outcome, const Outcome& whole) {
  if (!outcome.hazards.empty()) {
    const std::string& text = outcome.hazards[0].text;
    return text.substr(0, text.find(' '));
  }
  if (outcome.status != whole.status) return "status";
  return outcome.buffers == whole.buffers ? "" : "wrong bits";
}

using Key = std::tuple<std::string, int, std::string>;
Key key_of(const SynchronisationWord& word) {
  return {word.file, word.line, word.word};
}

std::map<Key, int64_t> counts_now(Machine& machine) {
  std::map<Key, int64_t> counts;
  for (const auto& word : synchronisation_words(machine)) counts[key_of(word)] = word.count;
  return counts;
}

Subject survey(oddtile_kernel kernel, const oddtile_implementation& which, Machine& machine) {
  Subject subject{kernel, which, removal_cases(kernel, which, machine), {}, {}, {}};
  std::vector<std::map<Key, int64_t>> came_by;
  list_synchronisation(machine, true);
  std::map<Key, int64_t> before = counts_now(machine);
  for (const Case& each : subject.cases) {
    subject.outcomes.push_back(run_under(each, 0, which, machine));
    std::map<Key, int64_t> after = counts_now(machine), own;
    for (const auto& [key, count] : after) {
      if (count > before[key]) own[key] = count - before[key];
    }
    came_by.push_back(std::move(own));
    before = std::move(after);
  }
  list_synchronisation(machine, false);
  for (const auto& word : synchronisation_words(machine)) {
    SynchronisationWord own = word;
    own.count = 0;
    for (const auto& counts : came_by) {
      const auto found = counts.find(key_of(word));
      if (found != counts.end()) own.count += found->second;
    }
    if (own.count == 0) continue;
    subject.words.push_back(own);
    subject.counts.emplace_back();
    for (const auto& counts : came_by) {
      const auto found = counts.find(key_of(word));
      subject.counts.back().push_back(found == counts.end() ? 0 : found->second);
    }
  }
  return subject;
}

// All configurations in turn, schedule by schedule, so that the first find is the simplest one.
Removal remove(const Subject& subject, size_t index, int64_t schedules, Machine& machine,
               int64_t* runs) {
  Removal removal;
  removal.kernel = oracles::kernel_name(subject.kernel);
  removal.implementation = subject.which.name;
  removal.word = subject.words[index];
  std::vector<size_t> open;
  for (size_t i = 0; i < subject.cases.size(); ++i) {
    if (subject.counts[index][i] > 0) open.push_back(i);
  }
  removal.configurations = int(open.size());
  const Without without(machine, removal.word);
  int64_t tried = 0;
  for (int64_t turn = 0; turn < schedules && !open.empty(); ++turn) {
    std::erase_if(open, [&](size_t i) {
      const uint64_t schedule = schedule_at(turn);
      const Outcome outcome = run_under(subject.cases[i], schedule, subject.which, machine);
      ++*runs;
      ++tried;
      const std::string by = difference(outcome, subject.outcomes[i]);
      if (by.empty()) return false;
      ++removal.caught_in;
      if (removal.caught()) return true;
      removal.by = by;
      removal.schedules = tried;
      Case first = subject.cases[i];
      first.schedule = schedule;
      removal.first_case = oracles::print(first);
      return true;
    });
  }
  if (!removal.caught()) removal.schedules = tried;
  return removal;
}

std::string site_text(const Removal& removal) {
  return fmt::format("{} {} {} {} {} (line {})", removal.kernel, removal.implementation,
                     removal.word.file, removal.word.word, removal.which, removal.word.line);
}

bool same_site(const Redundant& line, const Removal& removal) {
  return line.kernel == removal.kernel && line.implementation == removal.implementation &&
         line.file == removal.word.file && line.word == removal.word.word &&
         line.which == removal.which;
}

// The kernel as it stands, under a few of the same schedules: else a find would prove nothing.
void check_whole(const Subject& subject, int64_t schedules, Machine& machine,
                 RemovalResult* result) {
  for (size_t i = 0; i < subject.cases.size(); ++i) {
    for (int64_t turn = 0; turn < schedules; ++turn) {
      const uint64_t schedule = schedule_at(turn);
      const Outcome outcome = run_under(subject.cases[i], schedule, subject.which, machine);
      ++result->runs;
      const std::string by = difference(outcome, subject.outcomes[i]);
      if (by.empty() && outcome.clean()) {
        ++result->same_bits[std::string(oracles::kernel_name(subject.kernel))];
        continue;
      }
      result->findings.push_back(fmt::format("with every word in place: {} under schedule {} of {}",
                                             by.empty() ? "not clean" : by, schedule,
                                             oracles::print(subject.cases[i])));
    }
  }
}

void search_one(const Subject& subject, Machine& machine, const RemovalOptions& options,
                RemovalResult* result) {
  check_whole(subject, options.schedules_whole, machine, result);
  std::map<std::pair<std::string, std::string>, int> calls;
  for (size_t index = 0; index < subject.words.size(); ++index) {
    Removal removal = remove(subject, index, options.schedules, machine, &result->runs);
    removal.which = ++calls[{removal.word.file, removal.word.word}];
    for (const Redundant& line : options.redundant) {
      if (same_site(line, removal)) removal.why = line.why;
    }
    if (removal.caught() && !removal.why.empty()) {
      result->findings.push_back(site_text(removal) + " is caught: take it off the list");
    } else if (!removal.caught() && removal.why.empty() && !options.sees_races) {
      ++result->unseen;
    } else if (!removal.caught() && removal.why.empty()) {
      result->findings.push_back(
          fmt::format("{} was never missed in {} runs", site_text(removal), removal.schedules));
    }
    if (options.progress) options.progress(removal);
    result->removals.push_back(std::move(removal));
  }
}

}  // namespace

std::vector<Redundant> read_redundant(const std::string& path, std::string* complaint) {
  std::vector<Redundant> lines;
  std::ifstream stream(path);
  if (!stream) {
    *complaint = path + ": cannot be read";
    return {};
  }
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    if (text.empty() || text[0] == '#') continue;
    Redundant line;
    std::istringstream words(text);
    words >> line.kernel >> line.implementation >> line.file >> line.word >> line.which;
    std::getline(words >> std::ws, line.why);
    if (line.which < 1 || line.why.empty()) {
      *complaint = fmt::format("{}:{}: not <kernel> <implementation> <file> <word> <which> <why>",
                               path, number);
      return {};
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Case> removal_cases(oddtile_kernel kernel, const oddtile_implementation& which,
                                Machine& machine) {
  std::vector<const char*> texts;
  switch (kernel) {
    case oddtile_kernel_vector_add:
      texts = {"vector_add n=1030 mask=half values=noise",
               "vector_add dtype=bf16 n=1030 mask=half alias=x values=noise"};
      break;
    case oddtile_kernel_softmax:  // the longer row is too long for some, and is what others need;
                                  // of two clusters that stay one takes another row; tiles are for
                                  // short rows of 16-bit types; what x has otherwise than y moves,
                                  // in registers alone, too
      texts = {"softmax rows=3 columns=70 values=rising",
               "softmax dtype=bf16 rows=5 columns=71 values=rising",
               "softmax rows=3 columns=5000 values=rising",
               "softmax dtype=bf16 rows=2 columns=1000 values=rising x_offset=3"};
      break;
    case oddtile_kernel_attention:  // every tile takes a small head; two key tiles of each and a
                                    // tail; tiles that follow one another on a block, cut by a
                                    // window and by key lengths; a band in which no query sees a
                                    // key, although a tile as a whole might
      texts = {"attention seq_q=70 seq_k=70 head_dim=16 scale=0.25 scores=rising contents=coded",
               "attention seq_q=130 seq_k=270 head_dim=16 scale=0.25 scores=rising contents=coded",
               "attention batch=2 heads_kv=3 seq_q=130 seq_k=150 head_dim=16 band_low=-60 "
               "band_high=0 lengths=random scale=0.25 scores=rising contents=coded",
               "attention heads_kv=4 seq_q=300 seq_k=400 head_dim=16 band_low=100 band_high=0"};
      break;
  }
  std::vector<Case> cases;
  for (const char* text : texts) {
    Case subject = std::get<Case>(oracles::parse(text));
    for (int64_t position = 0;; ++position) {
      subject.configuration = position;
      const Outcome outcome = run_case(subject, which, machine);
      if (outcome.position != position) break;  // they start over
      cases.push_back(subject);
    }
  }
  return cases;
}

RemovalResult search_removals(Machine& machine, const RemovalOptions& options) {
  RemovalResult result;
  for (const oddtile_kernel kernel : kKernels) {
    if (!options.kernel.empty() && options.kernel != oracles::kernel_name(kernel)) continue;
    for (const oddtile_implementation* which : machine.implementations()) {
      search_one(survey(kernel, *which, machine), machine, options, &result);
    }
  }
  for (const Redundant& line : options.redundant) {
    if (!options.kernel.empty() && options.kernel != line.kernel) continue;
    const bool there =
        std::any_of(result.removals.begin(), result.removals.end(),
                    [&](const Removal& removal) { return same_site(line, removal); });
    if (there) continue;
    result.findings.push_back(fmt::format("{} {} {} {} {} is listed and not there: take it off",
                                          line.kernel, line.implementation, line.file, line.word,
                                          line.which));
  }
  return result;
}

}  // namespace oddtile::properties
