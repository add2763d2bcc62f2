// StopNotice: what a job on a node is told before it is stopped: why, when, and whether it will run
// again. JobAsk: what a process of a job may ask for in return.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace muster {

// none: there is nothing to tell (any more).
enum class StopReason : std::uint8_t {
  none,
  preempted,
  time_limit,
  piece_end,  // of --chunk
  cancelled,
  requeued,
  shutdown,
  node_failed,  // another node of the job
  node_drain,   // a node of the job gets no new jobs; the job itself may go on
  deadline,
};
constexpr StopReason last_of(StopReason) { return StopReason::deadline; }
std::string_view reason_name(StopReason reason);  // "preempted", "time_limit"

struct StopNotice {
  StopReason reason = StopReason::none;
  int signal = 0;  // the one that comes with the notice; 0 = none
  bool has_deadline = false;
  Millis left{0};         // until SIGKILL, when the order was sent: clocks of nodes may differ
  bool requeue = false;   // the job will run again
  Seconds may_extend{0};  // how much longer it may still ask for
  bool operator==(const StopNotice&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, reason);
    v(2, signal);
    v(3, has_deadline);
    v(4, left);
    v(5, requeue);
    v(6, may_extend);
  }
};

enum class JobAsk : std::uint8_t { extend_grace, requeue };
constexpr JobAsk last_of(JobAsk) { return JobAsk::requeue; }

}  // namespace muster
