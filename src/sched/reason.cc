#include "sched/reason.h"

namespace muster::sched {

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "None";
    case Reason::resources:
      return "Resources";
    case Reason::priority:
      return "Priority";
    case Reason::dependency:
      return "Dependency";
    case Reason::dependency_never_satisfied:
      return "DependencyNeverSatisfied";
    case Reason::begin_time:
      return "BeginTime";
    case Reason::held_user:
      return "JobHeldUser";
    case Reason::held_admin:
      return "JobHeldAdmin";
    case Reason::array_task_limit:
      return "JobArrayTaskLimit";
    case Reason::partition_down:
      return "PartitionDown";
    case Reason::partition_inactive:
      return "PartitionInactive";
    case Reason::partition_time_limit:
      return "PartitionTimeLimit";
    case Reason::partition_node_limit:
      return "PartitionNodeLimit";
    case Reason::partition_config:
      return "PartitionConfig";
    case Reason::required_node_not_available:
      return "ReqNodeNotAvail";
    case Reason::nodes_down:
      return "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
             "partitions";
    case Reason::bad_constraints:
      return "BadConstraints";
    case Reason::licenses:
      return "Licenses";
    case Reason::reservation:
      return "Reservation";
    case Reason::reservation_deleted:
      return "ReservationDeleted";
    case Reason::limit:
      return "QOSResourceLimit";
    case Reason::memory_limit:
      return "MaxMemPerLimit";
  }
  return "None";
}

}  // namespace muster::sched
