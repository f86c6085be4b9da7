// Cases drawn from one integer generator: no RapidCheck here, so that a campaign or a report can
// draw the same cases.
//
// Swarm: each feature (mask, band, layouts, ...) is switched off wholesale for about half of the
// cases, so that many cases are simple and every pair of features meets without a third.
#pragma once

#include "kernels/base/random.h"
#include "oracles/case/case.h"

namespace oddtile::properties {

// `work_at_most` as oracles::work_of counts.
oracles::Case draw_vector_add(Random& random, int64_t work_at_most);
oracles::Case draw_softmax(Random& random, int64_t work_at_most);
oracles::Case draw_attention(Random& random, int64_t work_at_most);
oracles::Case draw(oddtile_kernel kernel, Random& random, int64_t work_at_most);

}  // namespace oddtile::properties
