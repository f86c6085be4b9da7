// hopper.cuh for Half.
#include "kernels/attention/hopper_dispatch.cuh"

namespace oddtile::ODDTILE_MACHINE {

bool hopper_runs() {
  static const bool runs = speaks_hopper(&attention_hopper<0, Half>);
  return runs;
}

template oddtile_status launch_hopper<Half>(const oddtile_attention_problem&, int, void*, void*);

}  // namespace oddtile::ODDTILE_MACHINE
