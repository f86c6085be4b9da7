// For tests: the simulator with other implementations in the place of ours, and a device that can
// be lost.
#pragma once

#include <string>
#include <vector>

#include "properties/harness/harness.h"

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

}  // namespace oddtile::reports
