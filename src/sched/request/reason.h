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
};

std::string_view reason_name(Reason reason);
// The reason as a sentence, for `muster explain`.
std::string_view reason_sentence(Reason reason);

}  // namespace muster::sched
