// The text of each error code, in Slurm's words where Slurm has the error.
#include "base/error_code.h"

#include "base/result.h"

namespace muster {

std::string_view error_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::failure:
      return "Unspecified error";
    case ErrorCode::communication:
      return "Unable to contact slurm controller (connect failure)";
    case ErrorCode::protocol_version:
      return "Incompatible versions of client and server code";
    case ErrorCode::zero_bytes:
      return "Zero Bytes were transmitted or received";
    case ErrorCode::timed_out:
      return "Socket timed out on send/recv operation";
    case ErrorCode::invalid_partition:
      return "Invalid partition name specified";
    case ErrorCode::no_default_partition:
      return "No partition specified or system default partition";
    case ErrorCode::access_denied:
      return "Access/permission denied";
    case ErrorCode::invalid_node_count:
      return "Node count specification invalid";
    case ErrorCode::job_missing_required_group:
      return "User's group not permitted to use this partition";
    case ErrorCode::requested_node_config_unavailable:
      return "Requested node configuration is not available";
    case ErrorCode::nodes_busy:
      return "Requested nodes are busy";
    case ErrorCode::invalid_job_id:
      return "Invalid job id specified";
    case ErrorCode::invalid_node_name:
      return "Invalid node name specified";
    case ErrorCode::invalid_time_limit:
      return "Requested time limit is invalid (missing or exceeds some limit)";
    case ErrorCode::no_error:
      return "No error";
    case ErrorCode::job_finished:
      return "Job has already finished";
    case ErrorCode::already_done:
      return "Job/step already completing or completed";
    case ErrorCode::disabled:
      return "Requested operation is presently disabled";
    case ErrorCode::job_pending:
      return "Job is pending execution";
    case ErrorCode::dependency:
      return "Job dependency problem";
    case ErrorCode::job_not_running:
      return "Job is not running";
    case ErrorCode::batch_only:
      return "Operation only valid for batch jobs";
    case ErrorCode::invalid_reservation:
      return "Requested reservation is invalid";
    case ErrorCode::reservation_busy:
      return "Requested reservation is in use";
    case ErrorCode::reservation_access:
      return "Access denied to requested reservation";
    case ErrorCode::reservation_overlap:
      return "Requested reservation overlaps with another reservation";
    case ErrorCode::not_federated:
      return "Not a valid federated job";
    case ErrorCode::no_node_address:
      return "Can't find an address, check slurm.conf";
    case ErrorCode::job_suspended:
      return "Job is suspended";
    case ErrorCode::bad_signal:
      return "Invalid signal number";
    case ErrorCode::not_pending:
      return "Job is no longer pending execution";
    case ErrorCode::transition_state_no_update:
      return "Job can not be altered now, try again later";
    case ErrorCode::invalid_account:
      return "Invalid account or account/partition combination specified";
    case ErrorCode::invalid_license:
      return "Invalid license specification";
    case ErrorCode::invalid_wckey:
      return "Invalid wckey specification";
    case ErrorCode::invalid_qos:
      return "Invalid qos specification";
    case ErrorCode::accounting_policy:
      return "Job violates accounting/QOS policy (job submit limit, user's size and/or time "
             "limits)";
    case ErrorCode::invalid_feature:
      return "Invalid feature specification";
    case ErrorCode::invalid_array:
      return "Invalid job array specification";
    case ErrorCode::bad_task_count:
      return "Task count specification invalid";
    case ErrorCode::user_id_missing:
      return "Invalid user id";
    case ErrorCode::script_missing:
      return "Job script not specified";
    case ErrorCode::too_many_jobs:
      return "Slurm job queue full";
    case ErrorCode::invalid_gres:
      return "Invalid generic resource (gres) specification";
    case ErrorCode::invalid_step:
      return "Invalid job step id specified";
    case ErrorCode::in_standby:
      return "Slurm backup controller in standby mode";
    case ErrorCode::invalid_node_state:
      return "Invalid node state specified";
    case ErrorCode::one_het_component:
      return "Operation not permitted on individual component of heterogeneous job";
    case ErrorCode::invalid_begin:
      return "Requested start time is invalid";
    case ErrorCode::insufficient_memory:
      return "Memory required by task is not available";
    case ErrorCode::not_supported_yet:
      return "not supported yet";
    case ErrorCode::state_storage_full:
      return "The controller's state disk is full, try again later";
    case ErrorCode::config_invalid:
      return "Invalid configuration";
    case ErrorCode::too_large:
      return "Message exceeds the size limit";
    case ErrorCode::slow_down:
      return "Too many requests of this user";
  }
  return "Unknown error";
}

std::string Error::text() const {
  if (code == ErrorCode::failure && !detail.empty()) return detail;
  std::string text(error_text(code));
  if (!detail.empty()) text += ": " + detail;
  return text;
}

}  // namespace muster
