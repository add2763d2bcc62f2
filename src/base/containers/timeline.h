// Timeline: the time of day that a daemon works with. It advances with a steady clock, so that
// nothing falls due because someone set the machine's clock, or because the machine slept. It
// follows small corrections of the machine's clock. A larger step is reported, and the owner then
// shifts the times of running work.
#pragma once

#include <atomic>
#include <optional>

#include "base/time.h"

namespace muster {

class Timeline {
 public:
  struct Reading {
    Time wall;        // the machine's clock
    Millis steady{};  // a clock that cannot be set, and that stands still while the machine sleeps
  };
  explicit Timeline(const Reading& start) : offset_(offset_of(start)) {}

  Time at(Millis steady) const { return Time{steady + Millis{offset_.load()}}; }  // thread-safe

  // Call it from time to time. If the machine's clock was set since the last call, returns by how
  // much. From then on at() returns the new time.
  std::optional<Millis> follow(const Reading& reading) {
    const Millis by{offset_of(reading) - offset_.load()};
    offset_ = offset_of(reading);
    return std::chrono::abs(by) >= kStep ? std::optional(by) : std::nullopt;
  }

 private:
  static constexpr Millis kStep{1000};  // a smaller change is a correction that needs no action
  static Millis::rep offset_of(const Reading& r) {
    return (r.wall.time_since_epoch() - r.steady).count();
  }
  std::atomic<Millis::rep> offset_;  // of the wall clock to the steady one
};

}  // namespace muster
