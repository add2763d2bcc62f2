// The machine's clocks, as the pure layers are given them.
#pragma once

#include <chrono>

#include "base/containers/timeline.h"
#include "base/time.h"

namespace muster::io {

inline Time wall_clock() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

// Stands still while the machine sleeps.
inline Millis steady_clock() {
  return std::chrono::floor<Millis>(std::chrono::steady_clock::now().time_since_epoch());
}

inline Timeline::Reading read_clocks() { return {.wall = wall_clock(), .steady = steady_clock()}; }

// For what is only ever compared with itself: heartbeats, waits, repetitions. Begins with the time
// of day and does not follow it any further.
inline Time steady_time() {
  static const Timeline timeline(read_clocks());
  return timeline.at(steady_clock());
}

}  // namespace muster::io
