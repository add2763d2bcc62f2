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
    case ErrorCode::too_many_cpus:
      return "More processors requested than permitted";
    case ErrorCode::parameter_too_long:
      return "Pathname of a file, directory or other parameter too long";
    case ErrorCode::partition_unavailable_now:
      return "Requested partition configuration not available now";
    case ErrorCode::unsupported:
      return "Requested operation not supported on this system";
    case ErrorCode::features_not_available:
      return "Active features not subset of available features";
    case ErrorCode::job_held:
      return "Job is in held state, pending scheduler release";
    case ErrorCode::invalid_time:
      return "Invalid time specified";
    case ErrorCode::too_many_ports:
      return "Requires more ports than can be reserved";
    case ErrorCode::node_unavailable:
      return "Required node not available (down, drained or reserved)";
    case ErrorCode::partition_unavailable:
      return "Required partition not available (inactive or drain)";
    case ErrorCode::circular_dependency:
      return "Circular job dependency";
    case ErrorCode::partition_in_use:
      return "Partition is in use";
    case ErrorCode::step_limit:
      return "Step limit reached for this job";
    case ErrorCode::reservation_for_nobody:
      return "Reservation request lacks users, groups or accounts";
    case ErrorCode::duplicate_reservation:
      return "Duplicate reservation name";
    case ErrorCode::job_not_suspended:
      return "Job is not suspended";
    case ErrorCode::priority_not_persistent:
      return "Changes to job priority are not persistent, change nice instead";
    case ErrorCode::partition_down:
      return "Partition in DOWN state";
    case ErrorCode::reservation_started:
      return "Reservation already started";
    case ErrorCode::not_het_leader:
      return "Job not heterogeneous job leader";
    case ErrorCode::reservation_of_cores:
      return "Core-based reservation can not be updated";
    case ErrorCode::duplicate_step:
      return "Duplicate job step id";
    case ErrorCode::invalid_group:
      return "Invalid group id";
    case ErrorCode::invalid_batch_features:
      return "Job --batch option is invalid or not a subset of --constraints";
    case ErrorCode::invalid_billing_weights:
      return "Invalid TRESBillingWeights specification";
    case ErrorCode::invalid_job_defaults:
      return "Invalid JobDefaults specification";
    case ErrorCode::invalid_nice:
      return "Invalid --nice value";
    case ErrorCode::invalid_time_min:
      return "Invalid time-min specification (exceeds job's time or other limits)";
    case ErrorCode::reservation_not_skippable:
      return "Reservation given is not skipable, try deleting instead";
    case ErrorCode::reservation_users_and_groups:
      return "Reservations can't have users and groups specified, only one or the other";
    case ErrorCode::invalid_prefer:
      return "Invalid preferred feature specification";
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

bool is_slurms(ErrorCode code) {
  return code != ErrorCode::failure && code != ErrorCode::communication &&
         (code < ErrorCode::not_supported_yet || code > ErrorCode::last_own);
}

std::string Error::shown() const {
  return is_slurms(code) ? std::string(error_text(code)) : text();
}

std::string Error::text() const {
  if (code == ErrorCode::failure && !detail.empty()) return detail;
  std::string text(error_text(code));
  if (!detail.empty()) text += ": " + detail;
  return text;
}

}  // namespace muster
