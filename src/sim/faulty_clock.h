// FaultyClock: the controller's clock, which somebody sets, and its process, which sometimes
// sleeps.
#pragma once

#include "base/containers/timeline.h"
#include "sim/schedule.h"

namespace muster::sim {

class FaultyClock {
 public:
  // `most` is how far a clock may be from true time.
  FaultyClock(Schedule& schedule, Minutes most) : schedule_(schedule), most_(most) {}

  Timeline::Reading read() const {
    return {.wall = schedule_.now() + ahead_, .steady = schedule_.now().time_since_epoch()};
  }
  Millis ahead() const { return ahead_; }  // of true time
  void set() { ahead_ = some(); }
  void set_right() { ahead_ = Millis{0}; }
  // How far another clock is ahead after somebody set it. It may be more than munge accepts. If the
  // controller also restarts, jobs must wait for as long as its clock was ahead.
  Millis some() { return most_ * schedule_.between(-1, 1); }

  // Sometimes for longer than SlurmdTimeout; between two sleeps there is time for what is due.
  void sleep_a_while() {
    if (schedule_.now() < sleeps_until_ + Seconds{5}) return;
    sleeps_until_ = schedule_.now() + Millis{schedule_.between(1000, 90'000)};
  }
  bool sleeps() const { return schedule_.now() < sleeps_until_; }
  Time sleeps_until() const { return sleeps_until_; }

 private:
  Schedule& schedule_;
  Minutes most_;
  Millis ahead_{0};
  Time sleeps_until_;
};

}  // namespace muster::sim
