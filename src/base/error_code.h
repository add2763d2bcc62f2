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
  not_supported_yet = 9000,
  state_storage_full = 9001,
  config_invalid = 9002,
  too_large = 9003,
  slow_down = 9004,
};

std::string_view error_text(ErrorCode code);

}  // namespace muster
