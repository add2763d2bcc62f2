// RunTimes: a checker of how long jobs run, by true time: neither a changed clock nor a sleep may
// end a job early, or let it run longer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "state/event.h"

namespace muster::sim {

class RunTimes {
 public:
  // An event that was just written, and the controller's state after it. Returns what is wrong.
  std::vector<std::string> check(const Event& event, const Cluster& cluster, Time now);
  std::uint32_t timeouts() const { return timeouts_; }

 private:
  std::map<JobId, Time> run_since_;
  std::uint32_t timeouts_ = 0;
};

}  // namespace muster::sim
