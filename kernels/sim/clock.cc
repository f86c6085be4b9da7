#include "kernels/sim/clock.h"

#include <algorithm>

namespace oddtile::simulator {

void Clock::own(size_t agents) {
  if (!epochs_) {
    epochs_ = std::make_shared<std::vector<Epoch>>(agents);
  } else if (epochs_.use_count() != 1) {
    epochs_ = std::make_shared<std::vector<Epoch>>(*epochs_);
  }
  if (epochs_->size() < agents) epochs_->resize(agents);
}

void Clock::raise(Agent agent, Epoch epoch) {
  if (at(agent) >= epoch) return;
  own(size_t(agent) + 1);
  (*epochs_)[agent] = epoch;
}

void Clock::join(const Clock& other) {
  if (shares(other) || other.empty()) return;
  if (empty()) {
    epochs_ = other.epochs_;
    return;
  }
  own(other.epochs_->size());
  Epoch* mine = epochs_->data();
  const Epoch* theirs = other.epochs_->data();
  const size_t agents = other.epochs_->size();
  for (size_t agent = 0; agent < agents; ++agent)
    mine[agent] = std::max(mine[agent], theirs[agent]);
}

void ClockMemo::join(Clock& into, const Clock& from) {
  if (into.shares(from) || from.empty()) return;
  for (const Joined& known : joined_) {
    if (!known.result.empty() && known.into.shares(into) && known.from.shares(from)) {
      into = known.result;
      return;
    }
  }
  Joined& fresh = joined_[next_joined_++ % kKept];
  fresh.into = into;
  fresh.from = from;
  into.join(from);
  fresh.result = into;
}

void ClockMemo::raise(Clock& into, Agent agent, Epoch epoch) {
  if (into.at(agent) >= epoch) return;
  const bool known = raised_.into.shares(into) && raised_.agent == agent &&
                     raised_.epoch == epoch && !raised_.result.empty();
  if (!known) {
    raised_.into = into;
    raised_.agent = agent;
    raised_.epoch = epoch;
    raised_.result = into;
    raised_.result.raise(agent, epoch);
  }
  into = raised_.result;
}

void ClockMemo::clear() {
  for (Joined& known : joined_) known = {};
  raised_ = {};
}

}  // namespace oddtile::simulator
