// hopper.cuh for Half.
#include "kernels/attention/hopper_dispatch.cuh"

namespace oddtile::ODDTILE_MACHINE {

template oddtile_status launch_hopper<Half>(const oddtile_attention_problem&, int, void*, void*);

}  // namespace oddtile::ODDTILE_MACHINE
