// Our kernels beside other libraries: entries whose times are compared with "fused".
#pragma once

#include "reports/render/tables.h"

namespace oddtile::reports {

// Our speed over the other of a peer's entry: of times where both did the same, of rates where they
// count different amounts (a whole problem beside a masked one).
struct Speed {
  double value = 0;
  double low = 0;  // 95 % interval
  double high = 0;
};
Speed speed_over(const TimingEntry& peer, const TimingEntry& ours);

bool has_peers(const Record& record);
// A row for each series and peer: geometric mean of our speed, its least, points below 1.
Table peer_summary_table(const Record& record);
std::vector<Table> peer_tables(const Record& record);  // one per kernel: every point and peer
void add_peer_headlines(const Record& record, std::vector<std::string>& lines);

}  // namespace oddtile::reports
