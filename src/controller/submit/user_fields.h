// Who decides about each field of a JobRequest. A submitted request is copied field by field from
// the lists below; a field that is in no list is left out, and a test fails.
#pragma once

#include <tuple>

#include "model/job/job_spec.h"

namespace muster::controller {

// Fields that the user sets.
inline constexpr std::tuple kUserFields{&JobRequest::kind,
                                        &JobRequest::name,
                                        &JobRequest::partition,
                                        &JobRequest::account,
                                        &JobRequest::qos,
                                        &JobRequest::wckey,
                                        &JobRequest::comment,
                                        &JobRequest::reservation,
                                        &JobRequest::licenses,
                                        &JobRequest::features,
                                        &JobRequest::mcs_label,
                                        &JobRequest::dependency,
                                        &JobRequest::array,
                                        &JobRequest::cluster,
                                        &JobRequest::network,
                                        &JobRequest::burst_buffer,
                                        &JobRequest::extra,
                                        &JobRequest::container,
                                        &JobRequest::mail_user,
                                        &JobRequest::mail_type,
                                        &JobRequest::work_dir,
                                        &JobRequest::std_in,
                                        &JobRequest::std_out,
                                        &JobRequest::std_err,
                                        &JobRequest::command,
                                        &JobRequest::submit_line,
                                        &JobRequest::script_args,
                                        &JobRequest::open_mode,
                                        &JobRequest::umask,
                                        &JobRequest::get_user_env,
                                        &JobRequest::submit_host,
                                        &JobRequest::submit_sid,
                                        &JobRequest::acctg_freq,
                                        &JobRequest::propagate,
                                        &JobRequest::cpu_freq,
                                        &JobRequest::gpu_freq,
                                        &JobRequest::gpu_bind,
                                        &JobRequest::power,
                                        &JobRequest::min_nodes,
                                        &JobRequest::max_nodes,
                                        &JobRequest::nodes_given,
                                        &JobRequest::num_tasks,
                                        &JobRequest::cpus_per_task,
                                        &JobRequest::ntasks_per_node,
                                        &JobRequest::ntasks_per_socket,
                                        &JobRequest::ntasks_per_core,
                                        &JobRequest::ntasks_per_gpu,
                                        &JobRequest::min_cpus_per_node,
                                        &JobRequest::memory_per_node_mib,
                                        &JobRequest::memory_per_cpu_mib,
                                        &JobRequest::memory_per_gpu_mib,
                                        &JobRequest::tmp_disk_mib,
                                        &JobRequest::gres,
                                        &JobRequest::gpus,
                                        &JobRequest::gpus_per_node,
                                        &JobRequest::gpus_per_task,
                                        &JobRequest::gpus_per_socket,
                                        &JobRequest::cpus_per_gpu,
                                        &JobRequest::required_nodes,
                                        &JobRequest::excluded_nodes,
                                        &JobRequest::exclusive,
                                        &JobRequest::oversubscribe,
                                        &JobRequest::overcommit,
                                        &JobRequest::contiguous,
                                        &JobRequest::spread_job,
                                        &JobRequest::use_min_nodes,
                                        &JobRequest::no_kill,
                                        &JobRequest::exclusive_user,
                                        &JobRequest::exclusive_mcs,
                                        &JobRequest::made_by_srun,
                                        &JobRequest::outlives_command,
                                        &JobRequest::core_spec,
                                        &JobRequest::threads_per_core,
                                        &JobRequest::sockets_per_node,
                                        &JobRequest::cores_per_socket,
                                        &JobRequest::distribution,
                                        &JobRequest::switches,
                                        &JobRequest::switches_wait,
                                        &JobRequest::enforce_binding,
                                        &JobRequest::disable_binding,
                                        &JobRequest::thread_spec,
                                        &JobRequest::time_limit,
                                        &JobRequest::time_min,
                                        &JobRequest::begin,
                                        &JobRequest::deadline,
                                        &JobRequest::nice,
                                        &JobRequest::hold,
                                        &JobRequest::requeue,
                                        &JobRequest::kill_on_invalid_dependency,
                                        &JobRequest::warn_signal,
                                        &JobRequest::delay_boot_s,
                                        &JobRequest::batch_features,
                                        &JobRequest::prefer,
                                        &JobRequest::notice_s,
                                        &JobRequest::chunk,
                                        &JobRequest::chunk_max,
                                        &JobRequest::retries,
                                        &JobRequest::retry_oom_percent};

// Fields that only root and SlurmUser set.
inline constexpr std::tuple kOperatorFields{&JobRequest::admin_comment, &JobRequest::priority,
                                            &JobRequest::reboot, &JobRequest::site_factor,
                                            &JobRequest::time_limit_granted};

// Fields that the daemon sets, whatever the request says.
inline constexpr std::tuple kDaemonFields{&JobRequest::uid, &JobRequest::gid,
                                          &JobRequest::user_name, &JobRequest::script_blob,
                                          &JobRequest::environment_blob};

inline JobRequest as_user_may_say(JobRequest&& spec) {
  JobRequest accepted;
  auto take = [&](auto... member) { ((accepted.*member = std::move(spec.*member)), ...); };
  std::apply(take, kUserFields);
  std::apply(take, kDaemonFields);
  return accepted;
}

}  // namespace muster::controller
