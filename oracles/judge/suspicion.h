// The suspect line: a sample of attention's rows against the statistical form of their bounds, and
// the sign of their errors. What it finds is a reason to look, never a failure.
#pragma once

#include "oracles/judge/parts.h"

namespace oddtile::oracles {

// Rows with fewer live keys have hardly any average to speak of.
inline constexpr int64_t kFewestKeys = 128;

// How many of `rows` rows are looked at: the statistical form costs a few times what judging costs,
// and has to stay below a tenth of it.
int64_t suspicion_rows(int64_t rows);

// Nothing (0 elements) for kernels other than attention, and where there are too few rows or keys.
Suspicion suspect(const Evidence& evidence);

// The suspect line, and one more for each quantity whose errors have a sign; empty where no ratio
// is above 1.
std::string explain_suspicion(const Suspicion& suspicion);

}  // namespace oddtile::oracles
