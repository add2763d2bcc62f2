// The texts of the reasons: Slurm's short names, and our sentences.
#include "sched/request/reason.h"

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
    case Reason::partition_too_small:
      return "PartitionNodeLimit";
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
    case Reason::deadline:
      return "DeadLine";
  }
  return "None";
}

std::string_view reason_sentence(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "The scheduler has not looked at it yet.";
    case Reason::resources:
      return "It is the next for the nodes it needs; what it asks for is not free yet.";
    case Reason::priority:
      return "Jobs with a higher priority wait for the same nodes.";
    case Reason::dependency:
      return "It waits for other jobs, as it was told to.";
    case Reason::dependency_never_satisfied:
      return "It depends on something that cannot happen any more: it will never start.";
    case Reason::begin_time:
      return "The time from which it may start has not come.";
    case Reason::held_user:
      return "Its owner holds it back; scontrol release lets it go.";
    case Reason::held_admin:
      return "An administrator holds it back.";
    case Reason::array_task_limit:
      return "As many tasks of its array run as the array allows at a time.";
    case Reason::partition_down:
      return "Its partition takes jobs but starts none at present.";
    case Reason::partition_inactive:
      return "Its partition is not in use.";
    case Reason::partition_time_limit:
      return "It asks for more time than its partition allows.";
    case Reason::partition_node_limit:
      return "It asks for more nodes than its partition allows.";
    case Reason::partition_too_small:
      return "Its partition has fewer nodes than it asks for.";
    case Reason::required_node_not_available:
      return "Nodes that it needs are not available, or not for as long as it needs.";
    case Reason::nodes_down:
      return "All nodes that would do are down or drained.";
    case Reason::bad_constraints:
      return "No nodes have what it asks for.";
    case Reason::licenses:
      return "The licenses it needs are in use.";
    case Reason::reservation:
      return "Its reservation has not begun.";
    case Reason::reservation_deleted:
      return "Its reservation is over or was deleted.";
    case Reason::memory_limit:
      return "It asks for more memory than its partition allows.";
    case Reason::limit:
      return "A limit of its account or quality of service is reached.";
    case Reason::deadline:
      return "It would not be over by its deadline.";
  }
  return {};
}

}  // namespace muster::sched
