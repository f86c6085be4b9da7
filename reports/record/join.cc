#include "reports/record/join.h"

namespace oddtile::reports {
namespace {

template <class Entry>
void append(const std::vector<Entry>& from, std::vector<Entry>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

}  // namespace

void join(const Record& other, Record* record) {
  append(other.profiles, &record->profiles);
  append(other.errors, &record->errors);
  append(other.io, &record->io);
  append(other.timings, &record->timings);
  append(other.criteria, &record->criteria);
  append(other.soundness, &record->soundness);
  append(other.rates, &record->rates);
  for (Skip skip : other.skips) {
    if (skip.broken) skip.reason = "broke: " + skip.reason;
    skip.broken = false;
    record->skips.push_back(std::move(skip));
  }
  record->beside.push_back(other.environment);
  append(other.beside, &record->beside);
  Ceilings& own = record->ceilings;
  if (!own.copy_gb_s) own.copy_gb_s = other.ceilings.copy_gb_s;
  if (!own.matmul_bf16_tflop_s) own.matmul_bf16_tflop_s = other.ceilings.matmul_bf16_tflop_s;
}

}  // namespace oddtile::reports
