// wall_clock: reads the machine's clocks. The pure layers get times as arguments only.
#pragma once

#include <chrono>

#include "base/containers/timeline.h"
#include "base/time.h"

namespace muster::io {

inline Time wall_clock() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

// A clock that cannot be set, and that stands still while the machine sleeps.
inline Millis steady_clock() {
  return std::chrono::floor<Millis>(std::chrono::steady_clock::now().time_since_epoch());
}

inline Timeline::Reading read_clocks() { return {.wall = wall_clock(), .steady = steady_clock()}; }

// For times that are only compared with each other: heartbeats, waits, retries. It starts at the
// time of day and then follows the steady clock only.
inline Time steady_time() {
  static const Timeline timeline(read_clocks());
  return timeline.at(steady_clock());
}

}  // namespace muster::io
