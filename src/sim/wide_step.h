// A step on a whole simulated cluster, with the real controller core and node logic: how many
// messages it takes, and how long.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace muster::sim {

struct WideStepOptions {
  std::uint32_t nodes = 1000, tasks_per_node = 10;
  std::size_t environment_bytes = 4000;  // of the srun; every node gets it
};

struct WideStepReport {
  std::uint32_t tasks = 0;  // that have run
  std::uint32_t failed_nodes = 0;
  std::size_t order_messages = 0;  // from the controller to nodes, for the launch
  std::size_t order_bytes = 0;
  std::size_t report_messages = 0;  // from nodes to the controller, for the end
  std::size_t commits = 0;
  std::chrono::microseconds launch_took{0};  // CPU time from srun's request to the last order
  std::chrono::microseconds end_took{0};     // CPU time from the first report to the last
};

WideStepReport run_wide_step(const WideStepOptions& options);

}  // namespace muster::sim
