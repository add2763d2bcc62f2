// Timeline: the time of day by which a daemon acts. It goes on with a steady clock, so that nothing
// falls due because somebody set the machine's clock or the machine slept; small corrections of
// that clock it follows, and a step it reports, for its owner to move along what is under way.
#pragma once

#include <atomic>
#include <optional>

#include "base/time.h"

namespace muster {

class Timeline {
 public:
  struct Reading {
    Time wall;        // the machine's clock
    Millis steady{};  // of a clock that nobody sets, and that stands still while the machine sleeps
  };
  explicit Timeline(const Reading& start) : offset_(offset_of(start)) {}

  Time at(Millis steady) const { return Time{steady + Millis{offset_.load()}}; }  // thread-safe

  // By how much the clock was set since the last call, if it was. From then on at() tells the new
  // time.
  std::optional<Millis> follow(const Reading& reading) {
    const Millis by{offset_of(reading) - offset_.load()};
    offset_ = offset_of(reading);
    return std::chrono::abs(by) >= kStep ? std::optional(by) : std::nullopt;
  }

 private:
  static constexpr Millis kStep{1000};  // less is a correction, and changes nobody's plans
  static Millis::rep offset_of(const Reading& r) {
    return (r.wall.time_since_epoch() - r.steady).count();
  }
  std::atomic<Millis::rep> offset_;  // of the wall clock to the steady one
};

}  // namespace muster
