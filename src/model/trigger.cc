// See trigger.h.
#include "model/trigger.h"

namespace muster {

std::string_view event_name(TriggerEvent event) {
  switch (event) {
    case TriggerEvent::job_time:
      return "time";
    case TriggerEvent::job_end:
      return "fini";
    case TriggerEvent::node_down:
      return "down";
    case TriggerEvent::node_up:
      return "up";
    case TriggerEvent::node_drained:
      return "drained";
    case TriggerEvent::node_fail:
      return "fail";
    case TriggerEvent::node_idle:
      return "idle";
    case TriggerEvent::reconfigured:
      return "reconfig";
    case TriggerEvent::controller_resumed:
      return "primary_slurmctld_resumed_operation";
    case TriggerEvent::database_failed:
      return "primary_database_failure";
    case TriggerEvent::database_resumed:
      return "primary_database_resumed_operation";
  }
  return {};
}

}  // namespace muster
