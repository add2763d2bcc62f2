// Names of reasons, as the notice file has them.
#include "model/job/stop_notice.h"

namespace muster {

std::string_view reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::preempted:
      return "preempted";
    case StopReason::time_limit:
      return "time_limit";
    case StopReason::piece_end:
      return "piece_end";
    case StopReason::cancelled:
      return "cancelled";
    case StopReason::requeued:
      return "requeued";
    case StopReason::shutdown:
      return "shutdown";
    case StopReason::node_failed:
      return "node_failed";
    case StopReason::node_drain:
      return "node_drain";
    case StopReason::deadline:
      return "deadline";
  }
  return "none";
}

}  // namespace muster
