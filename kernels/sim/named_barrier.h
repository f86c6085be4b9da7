// Barriers by number (bar.sync, bar.arrive) and the registers that warpgroups trade (setmaxnreg).
#pragma once

#include <string>
#include <vector>

#include "kernels/sim/asynchronous.h"
#include "kernels/sim/lane.h"
#include "kernels/sim/race.h"

namespace oddtile::simulator {

struct NamedBarrier {
  int threads = 0;          // as the first to arrive said; 0: nobody has
  int arrived = 0;          // lanes
  std::vector<int> parked;  // warps
  Published arriving;
  Site last_site;
};

class RegisterPool : public Waitable {
 public:
  // What one block a multiprocessor can have; the compiler gives each lane as much at entry.
  void reset(int warps);
  std::string state_text() const override;

  int free = 0;  // registers a lane of one warp could still be given, in all
  std::vector<int> of_warp;
};

}  // namespace oddtile::simulator
