// What one run of `oddtile report` found, as a versioned value. The JSON form is the only thing
// that outlives a run: renderers, comparisons and committed baselines are functions of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oddtile::reports {

// Raised whenever a field changes its meaning or goes; a reader refuses any other version.
inline constexpr int64_t kSchemaVersion = 1;

struct MachineInfo {
  std::string name;  // "sim", "cuda"
  std::string description;
};

struct Environment {
  std::string commit;  // of the tree that was built, "+changes" where it was not clean
  std::string date;    // UTC, ISO 8601
  std::string compiler;
  std::string build;   // build type and flags that matter
  std::string device;  // empty without a GPU, then `no_device` says why
  std::string no_device;
  std::string driver;
  std::string toolkit;
  std::vector<MachineInfo> machines;
};

// The arithmetic that an implementation declares; the bounds rest on it, so the report prints it.
struct ProfileEntry {
  std::string machine;
  std::string implementation;
  std::string kernel;
  std::string name;  // of the configuration
  std::string text;  // the declared fields, one line
};

// One judged output of one case.
struct QuantityEntry {
  std::string name;        // "o", "lse", "y", "out"
  double worst_share = 0;  // max |error| / bound, the share of the bound used; inf: class mismatch
  double p99_share = 0;
  double rms_share = 0;
  double signed_mean = 0;
  int64_t judged = 0;
  int64_t not_judged = 0;
};

// What a failed case left to look at.
struct Failure {
  std::string tensor;  // of the worst element judged; empty where nothing was judged
  std::vector<int64_t> index;
  double got = 0;
  double exact = 0;
  double bound = 0;
  double ratio = 0;                 // |got - exact| / bound; inf: class mismatch
  std::vector<std::string> report;  // the check's own lines: properties and what shows each
  std::string replay;               // the command that runs the case again
};

struct ErrorEntry {
  std::string machine;
  std::string implementation;
  std::string kernel;
  std::string dtype;
  std::string family;  // of values: "last_max", "peaked/coded"
  int64_t size = 0;    // n, columns or seq_k
  std::string case_text;
  std::string verdict;
  std::string broken;  // the first property that failed, empty on pass
  double visible_edge_keys = 1;
  std::vector<QuantityEntry> quantities;
  std::optional<Failure> failure = {};  // where the verdict is fail
};

// Exact counts of the simulator beside what any implementation must at least move.
struct IoEntry {
  std::string kernel;
  std::string implementation;
  std::string series;  // "attention d64 causal"
  int64_t size = 0;
  std::string case_text;
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  int64_t flops = 0;
  int64_t launches = 0;
  int64_t minimum_read = 0;
  int64_t minimum_written = 0;
  int64_t materialised = 0;  // read and written at least where scores and weights are stored
};

struct TimingEntry {
  std::string machine;
  std::string kernel;
  std::string implementation;
  std::string configuration;
  std::string series;  // points of one curve: "attention bf16 d64 causal"
  int64_t size = 0;
  std::string case_text;
  double us_median = 0;
  double us_lower = 0;  // quartiles
  double us_upper = 0;
  int64_t rounds = 0;
  int64_t bytes = 0;  // that must move (README of reports/measure)
  int64_t flops = 0;
  double rate = 0;
  std::string rate_unit;  // "GB/s" or "TFLOP/s"; empty: no rate, what is hidden is not counted
  std::string baseline;   // what `ratio` compares with; empty: nothing
  double ratio = 0;       // time of the baseline over time of this: above 1 is faster
  double ratio_low = 0;   // 95 % interval
  double ratio_high = 0;
  std::string verdict;       // of the timed buffers themselves
  std::string edge_verdict;  // of the same shape and configuration on data that shows every edge
  double edges_visible = 1;  // share of the edge keys that would show if they were dropped
  bool verified = false;     // both pass, by the same configuration
};

// How often one pass criterion rejected a run.
struct CriterionCount {
  std::string criterion;
  bool ours = false;  // the judge's own; the others are public ones
  int64_t rejected = 0;
};

// Pass criteria compared on the same runs of one kernel, right or with a known bug. Of the right
// kernel what is rejected are false alarms; of a mutant, what is not rejected of the runs that
// differ are missed faults.
struct CriteriaEntry {
  std::string kernel;
  std::string mutant;   // its name; empty: the kernel as it is
  std::string promise;  // that the mutant breaks
  int64_t runs = 0;
  int64_t differing = 0;               // runs whose output bits differ from the right kernel's
  std::vector<CriterionCount> counts;  // of the runs that differ; of all runs of the right kernel
};

// What one right kernel did in a soundness search: the kernel as it stands, one that takes every
// liberty that it declares ("emulated"), or one in a GPU's arithmetic ("fused as nvidia-h200").
struct SoundnessContender {
  std::string name;
  int64_t cases = 0;
  int64_t vacuous = 0;
  int64_t declined = 0;  // cases that it does not offer
  int64_t judged = 0;    // outputs
  int64_t not_judged = 0;
  int64_t escalated = 0;   // recomputed in multiprecision
  double worst_share = 0;  // of the whole bound, its output rounding included
};

// The largest share net of output rounding and flush that random cases of one family reached.
struct SoundnessShare {
  std::string contender;
  std::string regime;  // live keys or columns of the row: "n <= 16", "n <= 256", "n > 256"
  std::string family;  // of values or scores: "last_max"
  double net = 0;      // above 0; what is 0 has no entry
  std::string replay;
};

// How far a hill climb came.
struct SoundnessClimb {
  std::string contender;
  std::string regime;
  std::string configuration;
  int64_t evaluations = 0;
  int64_t changes = 0;  // of the stored numbers of the case, on the way
  double first = 0;     // the best of its first cases
  double net = 0;
  std::string case_text;
  std::string replay;
};

struct SoundnessQuantity {
  std::string name;                   // "out", "y", "o", "lse"
  std::optional<int64_t> judged;      // numbers of it alone; older records lack these
  std::optional<double> worst_share;  // of the whole bound
  // Regimes and families of values in which a bound decided anything.
  std::optional<std::vector<std::string>> regimes, families;
  std::vector<SoundnessShare> shares;
  std::vector<SoundnessClimb> climbs;
};

struct SoundnessCell {
  std::string kernel;
  std::string dtype;
  std::vector<SoundnessContender> contenders;
  std::vector<SoundnessQuantity> quantities;
};

// A random search over right kernels on one machine: none may ever leave its bounds.
struct SoundnessEntry {
  std::string machine;
  int64_t seed = 0;
  int64_t wanted = 0;  // outputs of each kernel in each type
  bool complete = false;
  std::vector<std::string> violations;  // one line each, the replay line last
  std::vector<SoundnessCell> cells;
};

// How often one core runs a case on the simulator with all its checks.
struct RateEntry {
  std::string build;    // "plain", "libFuzzer, ASan and UBSan", "race detection"
  std::string name;     // of the case, or of a list of them
  double cases = 0;     // a second of CPU time
  double elements = 0;  // judged, a second
};

// What was not measured, and why: a gap in a report is never silent.
struct Skip {
  std::string section;  // "errors", "io", "criteria", "soundness", "timing"
  std::string what;
  std::string reason;
  bool broken = false;  // no gap but a failure of ours, or of the device: a finding
};

struct Ceilings {
  std::optional<double> copy_gb_s;  // bytes read plus bytes written
  std::optional<double> matmul_bf16_tflop_s;
};

struct Record {
  int64_t schema_version = kSchemaVersion;
  Environment environment;
  std::vector<ProfileEntry> profiles;
  std::vector<ErrorEntry> errors;
  std::vector<IoEntry> io;
  std::vector<TimingEntry> timings;
  std::vector<CriteriaEntry> criteria;
  std::vector<SoundnessEntry> soundness;
  std::vector<RateEntry> rates;
  std::vector<Skip> skips;
  Ceilings ceilings;
  // Of records that were joined to this one (join.h), and of later runs of the same build that
  // continued it.
  std::vector<Environment> beside;
};

std::string to_json(const Record& record);
std::string to_json(const ErrorEntry& entry);
std::string to_json(const std::vector<TimingEntry>& entries);

// nullopt and a one-line reason where the text is no record of this version.
std::optional<Record> from_json(const std::string& text, std::string* reason);

}  // namespace oddtile::reports
