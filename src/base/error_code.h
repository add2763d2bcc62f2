// ErrorCode: codes of errors that some caller tells apart. Numbers and texts of Slurm's own errors
// are part of the interface: commands print the text, and some exit with the number modulo 256.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

enum class ErrorCode : std::uint32_t {
  no_error = 0,  // for one result among several
  failure = 1,   // any other error: the detail says everything
  communication = 1001,
  protocol_version = 1005,
  zero_bytes = 1006,
  timed_out = 5004,
  invalid_partition = 2000,
  no_default_partition = 2001,
  access_denied = 2002,
  invalid_node_count = 2006,
  job_missing_required_group = 2003,
  requested_node_config_unavailable = 2014,
  nodes_busy = 2016,
  invalid_job_id = 2017,
  invalid_node_name = 2018,
  invalid_time_limit = 2051,
  already_done = 2021,
  disabled = 2024,
  job_pending = 2019,
  dependency = 2030,
  job_not_running = 2036,
  batch_only = 2031,
  invalid_reservation = 2048,
  reservation_busy = 2052,
  reservation_access = 2047,
  reservation_overlap = 2053,
  job_suspended = 2057,
  bad_signal = 2032,
  not_pending = 2037,
  job_finished = 2084,
  transition_state_no_update = 2020,
  invalid_account = 2045,
  invalid_license = 2048 + 1000,
  invalid_qos = 2066,
  invalid_wckey = 2067,
  accounting_policy = 2050,
  invalid_feature = 2054,
  invalid_array = 2080,
  bad_task_count = 2025,
  user_id_missing = 2010,
  script_missing = 2009,
  too_many_jobs = 11,
  invalid_gres = 2072,
  invalid_step = 2103,
  in_standby = 2088,
  invalid_node_state = 2040,
  one_het_component = 2108,
  invalid_begin = 2118,
  insufficient_memory = 2044,
  not_federated = 7103,
  no_node_address = 1012,
  // Texts that commands print. Where a number of Slurm's stands for another error here already, it
  // is kept modulo 256, which is what commands exit with.
  too_many_cpus = 2005,
  parameter_too_long = 2012,
  partition_unavailable_now = 2015,
  unsupported = 2036 + 25600,
  features_not_available = 2031 + 25600,
  job_held = 2042,
  invalid_time = 2054 + 25600,
  too_many_ports = 2060,
  node_unavailable = 2068,
  partition_unavailable = 2070,
  circular_dependency = 2071,
  partition_in_use = 2075,
  step_limit = 2076,
  reservation_for_nobody = 2080 + 25600,
  duplicate_reservation = 2082,
  job_not_suspended = 2087,
  priority_not_persistent = 2095,
  partition_down = 2101,
  reservation_started = 2104,
  not_het_leader = 2107,
  reservation_of_cores = 2109,
  duplicate_step = 2110,
  invalid_group = 2113,
  invalid_batch_features = 2114,
  invalid_billing_weights = 2116,
  invalid_job_defaults = 2117,
  invalid_nice = 2123,
  invalid_time_min = 2124,
  reservation_not_skippable = 2128,
  reservation_users_and_groups = 2129,
  invalid_prefer = 2133,
  // Our own.
  not_supported_yet = 9000,
  state_storage_full = 9001,
  config_invalid = 9002,
  too_large = 9003,
  slow_down = 9004,
  last_own = slow_down,
};

std::string_view error_text(ErrorCode code);
// Scripts know its text. The other codes are ours, or say little without their details.
bool is_slurms(ErrorCode code);

}  // namespace muster
