#include "properties/gen/gen.h"

#include <algorithm>
#include <ostream>

#include "oracles/case/sizes.h"
#include "oracles/case/text.h"
#include "properties/gen/draw.h"
#include "properties/gen/simpler.h"

namespace oddtile::oracles {

void showValue(const Case& subject, std::ostream& out) {
  out << print(subject);
}

}  // namespace oddtile::oracles

namespace oddtile::properties {
namespace {

// Most cases are far below the limit: ten small cases find more than one large one. Attention has
// more of the middle, where many tiles have room.
int64_t budget(oddtile_kernel kernel, Random& random, Scale scale, int size) {
  const int64_t most = oracles::kSmallWork * (scale == Scale::device ? 100 : 1);
  const uint32_t luck = random.below(10);
  const uint32_t small = kernel == oddtile_kernel_attention ? 5 : 6;
  const int64_t share = luck < small ? 20 : luck < 9 ? 6 : 1;
  const int64_t grown = std::clamp(size, 20, rc::kNominalSize);
  return most / share * grown / rc::kNominalSize;
}

}  // namespace

rc::Gen<oracles::Case> any_case(oddtile_kernel kernel, Scale scale) {
  return [=](const rc::Random& given, int size) {
    rc::Random source = given;
    Random random(source.next());
    const int64_t work = budget(kernel, random, scale, size);
    return rc::shrinkable::shrinkRecur(draw(kernel, random, work), [](const oracles::Case& c) {
      return rc::seq::fromContainer(simpler(c));
    });
  };
}

rc::Gen<oracles::Case> any_vector_add(Scale scale) {
  return any_case(oddtile_kernel_vector_add, scale);
}
rc::Gen<oracles::Case> any_softmax(Scale scale) {
  return any_case(oddtile_kernel_softmax, scale);
}
rc::Gen<oracles::Case> any_attention(Scale scale) {
  return any_case(oddtile_kernel_attention, scale);
}

}  // namespace oddtile::properties
