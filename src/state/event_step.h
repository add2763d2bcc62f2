// Events of steps (see event.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/cluster.h"

namespace muster {

struct StepCreated {
  JobId job;
  Step step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};

struct StepQueued {  // srun --async: it starts by StepCreated as soon as there is room
  JobId job;
  Step step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};

struct StepDequeued {  // it will never start
  JobId job;
  StepId step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};

struct StepLimitChanged {  // of waiting or running steps; 0 = no limit of their own
  JobId job;
  std::vector<StepId> steps;
  Minutes time_limit{0};
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, steps);
    v(3, time_limit);
  }
};

struct StepNodeEnded {  // one node's part of a step (or the batch script) is over
  JobId job;
  Attempt attempt;
  StepId step;
  NodeId node;
  std::uint32_t exit_status = 0;
  bool out_of_memory = false;
  Usage usage;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, step);
    v(4, node);
    v(5, exit_status);
    v(6, out_of_memory);
    v(7, usage);
    v(8, at);
  }
};

}  // namespace muster
