// For tests: the simulator with other implementations in the place of ours, a device that can be
// lost, and a clock that is made up.
#pragma once

#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "reports/measure/timer.h"

namespace oddtile::reports {

class StandIn : public properties::Machine {
 public:
  explicit StandIn(std::vector<const oddtile_implementation*> tables)
      : tables_(std::move(tables)) {}

  bool is_lost = false;

  std::string name() const override { return sim_.name(); }
  std::string description() const override { return sim_.description(); }
  void* allocate(int64_t bytes) override { return sim_.allocate(bytes); }
  void release(void* address) override { sim_.release(address); }
  void copy_in(void* to, const void* from, int64_t bytes) override {
    sim_.copy_in(to, from, bytes);
  }
  void copy_out(void* to, const void* from, int64_t bytes) override {
    sim_.copy_out(to, from, bytes);
  }
  void fill(void* to, int value, int64_t bytes) override { sim_.fill(to, value, bytes); }
  void allow(void* address, int64_t bytes, const std::string& what) override {
    sim_.allow(address, bytes, what);
  }
  void begin(uint64_t schedule) override { sim_.begin(schedule); }
  void* stream() override { return sim_.stream(); }
  std::string synchronise() override { return is_lost ? "an illegal access" : sim_.synchronise(); }
  bool lost() const override { return is_lost; }
  std::vector<properties::Hazard> hazards() override { return sim_.hazards(); }
  properties::Counters counters() override { return sim_.counters(); }
  std::vector<const oddtile_implementation*> implementations() const override { return tables_; }

 private:
  properties::Machine& sim_ = properties::sim_machine();
  std::vector<const oddtile_implementation*> tables_;
};

// Launches run where they are, on the simulator; launch i of a round takes `us(i, round)`.
class MadeUpClock : public Timer {
 public:
  explicit MadeUpClock(std::function<double(size_t, int)> us) : us_(std::move(us)) {}

  std::vector<double> round(std::span<const Launch> launches, std::span<const int> order) override {
    std::vector<double> us(launches.size(), std::numeric_limits<double>::quiet_NaN());
    for (const int i : order) {
      if (launches[size_t(i)]() == oddtile_ok) us[size_t(i)] = us_(size_t(i), rounds);
    }
    ++rounds;
    return us;
  }
  std::optional<double> copy_rate(int64_t, int) override { return std::nullopt; }
  std::optional<double> matmul_rate(int64_t, int, std::string*) override { return std::nullopt; }
  Launch copying(void* to, const void* from, int64_t bytes) override {
    copied.insert(bytes);
    return [=] {
      std::memcpy(to, from, size_t(bytes));
      return oddtile_ok;
    };
  }
  Launch repeated(const Launch& launch, int times) override {
    return [=] {
      oddtile_status status = oddtile_ok;
      for (int i = 0; i < times && status == oddtile_ok; ++i) status = launch();
      return status;
    };
  }

  int rounds = 0;
  std::multiset<int64_t> copied;  // bytes of each copy that was asked for

 private:
  std::function<double(size_t, int)> us_;
};

}  // namespace oddtile::reports
