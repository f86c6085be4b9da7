// The subcommands of `oddtile`. Each returns the exit code: 0 clean, 1 findings. Wrong usage is
// thrown (WrongUse) and becomes one line and code 2; any other exception is our own fault, code 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oddtile::reports {

// What `run` and `time` have in common: a case, a machine, an implementation.
struct Selection {
  std::vector<std::string> words;  // the case, as one argument or as many; or @file, or path.case
  std::string machine = "sim";
  std::string implementation;  // empty: "fused", or the plug-in's own
  std::string plugin;          // path of a shared library, empty for none
  std::string arithmetic;      // of the simulator: "plain", or a hardware profile's name
  bool json = false;
};

struct ReportOptions {
  std::string output = "report";
  // A name may end in ":quick": a fraction of that section alone.
  std::string sections = "errors,io,criteria,soundness,timing";
  bool quick = false;
  std::vector<std::string> beside;  // records that the pages show as well
  std::vector<std::string> rates;   // files of benchmark_executions and race_executions
};

struct ProfileOptions {
  std::string output;  // the profile as JSON
  std::string dump;    // raw results for fitting models, empty for none
  std::string machine = "cuda";
  int64_t fragments = int64_t(1) << 20;
  bool products_only = false;
};

struct RenderOptions {
  std::vector<std::string> records;  // the first one's environment heads the page
  std::string output = "report";
};

struct SoundnessOptions {
  std::string machine = "sim";
  int64_t outputs = 3'000'000;  // of each kernel in each type
  uint64_t seed = 1;
  std::string state;                 // path, empty: nothing is kept
  std::string record;                // path of a record for `render`, empty: none
  std::string kernel;                // empty: all
  double seconds_at_most = 0;        // of the search; 0: no limit
  double climb_seconds_at_most = 0;  // of the climbs; 0: as the search has
  int64_t climb = 20'000;            // evaluations of each hill climb, 0: none
  int threads = 0;                   // 0: one per core
};

struct WorldsOptions {
  std::string machine = "sim";
  std::string world;           // empty: all of the machine
  bool sample = false;         // each size with one in several of its combinations
  double seconds_at_most = 0;  // 0: no limit
};

struct RemovalCommandOptions {
  std::string kernel;        // empty: all
  int64_t schedules = 1000;  // of each configuration, at most
  int64_t whole = 2;         // of each, with every word in place
  std::string redundant = "properties/search/redundant.txt";
};

struct TuneOptions {
  std::vector<std::string> cases;  // each a text, or @file with one a line
  std::string machine = "cuda";
  int rounds = 7;
  int repeats = 1;         // launches in one graph
  bool preferred = false;  // only what would be chosen
  double density = -1;     // of masks, instead of the case's kind
  int64_t run = 1;         // elements that are visible or hidden together
  bool unverified = false;
};

struct CompareOptions {
  std::vector<std::string> words;  // libraries (ending in .so), cases, @file with one a line
  std::string machine = "cuda";
  int rounds = 31;
  int repeats = 1;    // launches in one graph
  bool all = false;   // each configuration of the baseline
  double slower = 0;  // a case wholly above is a finding; 0: none is
  bool json = false;
};

int machines_command();
int list_command();
int run_command(const Selection& selection);
int time_command(Selection selection);
int tune_command(const TuneOptions& options);
int compare_command(const CompareOptions& options);
int soundness_command(const SoundnessOptions& options);
int worlds_command(const WorldsOptions& options);
int removal_command(const RemovalCommandOptions& options);
int report_command(const ReportOptions& options);
int profile_command(const ProfileOptions& options);
int render_command(const RenderOptions& options);

}  // namespace oddtile::reports
