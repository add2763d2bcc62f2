// Why a job waits, in Slurm's words.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::sched {

enum class Reason : std::uint8_t {
  none,
  resources,
  priority,
  dependency,
  dependency_never_satisfied,
  begin_time,
  held_user,
  held_admin,
  array_task_limit,
  partition_down,
  partition_inactive,
  partition_time_limit,
  partition_node_limit,
  partition_too_small,
  required_node_not_available,
  nodes_down,
  bad_constraints,
  licenses,
  reservation,
  reservation_deleted,
  limit,  // of a QOS or an association; the detail says which
  memory_limit,
  deadline,
  account_not_allowed,  // in this partition
  qos_not_allowed,
  invalid_account,  // its user is not in the account any more
  invalid_qos,      // its association may not use the QOS any more
};

std::string_view reason_name(Reason reason);
// The reason as a sentence, for `muster explain`.
std::string_view reason_sentence(Reason reason);

}  // namespace muster::sched
