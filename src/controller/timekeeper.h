// Timekeeper: the one place that turns the machine's clocks into the time of a Core. It ticks for
// the core, and first tells it if the clock was set, the machine slept, or this process stood
// still.
#pragma once

#include "base/containers/timeline.h"
#include "controller/core.h"

namespace muster::controller {

class Timekeeper {
 public:
  static constexpr Millis kTickEvery{1000};

  explicit Timekeeper(const Timeline::Reading& start)
      : timeline_(start), last_tick_(start.steady) {}

  Time at(Millis steady) const { return timeline_.at(steady); }  // thread-safe

  void tick(Core& core, const Timeline::Reading& reading) {
    if (auto step = timeline_.follow(reading)) step_ += *step;
    const Millis missed = reading.steady - last_tick_ - kTickEvery;
    if (missed >= kStandstill) core.on_standstill(missed, at(reading.steady) - step_);
    last_tick_ = reading.steady;
    if (step_ != Millis{0}) core.on_clock_step(step_, at(reading.steady));
    step_ = Millis{0};
    core.on_tick(at(reading.steady));
  }

 private:
  static constexpr Millis kStandstill{5000};  // on a busy machine a tick may be this late
  Timeline timeline_;
  Millis last_tick_;
  Millis step_{};  // of the clock, that the core has not been told of: memory may have run out
};

}  // namespace muster::controller
