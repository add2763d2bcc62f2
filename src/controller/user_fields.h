// Whose word counts for each field of a JobSpec. What a user submits is taken over field by field
// from the list below: a field that nobody has decided on is left out (and a test fails).
#pragma once

#include <tuple>

#include "model/job_spec.h"

namespace muster::controller {

// The user's own.
inline constexpr std::tuple kUserFields{&JobSpec::kind,
                                        &JobSpec::name,
                                        &JobSpec::partition,
                                        &JobSpec::account,
                                        &JobSpec::qos,
                                        &JobSpec::wckey,
                                        &JobSpec::comment,
                                        &JobSpec::reservation,
                                        &JobSpec::licenses,
                                        &JobSpec::features,
                                        &JobSpec::mcs_label,
                                        &JobSpec::dependency,
                                        &JobSpec::array,
                                        &JobSpec::cluster,
                                        &JobSpec::network,
                                        &JobSpec::burst_buffer,
                                        &JobSpec::extra,
                                        &JobSpec::container,
                                        &JobSpec::mail_user,
                                        &JobSpec::mail_type,
                                        &JobSpec::work_dir,
                                        &JobSpec::std_in,
                                        &JobSpec::std_out,
                                        &JobSpec::std_err,
                                        &JobSpec::command,
                                        &JobSpec::submit_line,
                                        &JobSpec::script_args,
                                        &JobSpec::open_mode,
                                        &JobSpec::umask,
                                        &JobSpec::get_user_env,
                                        &JobSpec::submit_host,
                                        &JobSpec::submit_sid,
                                        &JobSpec::acctg_freq,
                                        &JobSpec::propagate,
                                        &JobSpec::cpu_freq,
                                        &JobSpec::gpu_freq,
                                        &JobSpec::gpu_bind,
                                        &JobSpec::power,
                                        &JobSpec::min_nodes,
                                        &JobSpec::max_nodes,
                                        &JobSpec::nodes_given,
                                        &JobSpec::num_tasks,
                                        &JobSpec::cpus_per_task,
                                        &JobSpec::ntasks_per_node,
                                        &JobSpec::ntasks_per_socket,
                                        &JobSpec::ntasks_per_core,
                                        &JobSpec::ntasks_per_gpu,
                                        &JobSpec::min_cpus_per_node,
                                        &JobSpec::memory_per_node_mib,
                                        &JobSpec::memory_per_cpu_mib,
                                        &JobSpec::memory_per_gpu_mib,
                                        &JobSpec::tmp_disk_mib,
                                        &JobSpec::gres,
                                        &JobSpec::gpus,
                                        &JobSpec::gpus_per_node,
                                        &JobSpec::gpus_per_task,
                                        &JobSpec::gpus_per_socket,
                                        &JobSpec::cpus_per_gpu,
                                        &JobSpec::required_nodes,
                                        &JobSpec::excluded_nodes,
                                        &JobSpec::exclusive,
                                        &JobSpec::oversubscribe,
                                        &JobSpec::overcommit,
                                        &JobSpec::contiguous,
                                        &JobSpec::spread_job,
                                        &JobSpec::use_min_nodes,
                                        &JobSpec::no_kill,
                                        &JobSpec::exclusive_user,
                                        &JobSpec::exclusive_mcs,
                                        &JobSpec::for_own_step,
                                        &JobSpec::core_spec,
                                        &JobSpec::threads_per_core,
                                        &JobSpec::sockets_per_node,
                                        &JobSpec::cores_per_socket,
                                        &JobSpec::distribution,
                                        &JobSpec::switches,
                                        &JobSpec::switches_wait,
                                        &JobSpec::enforce_binding,
                                        &JobSpec::disable_binding,
                                        &JobSpec::thread_spec,
                                        &JobSpec::time_limit,
                                        &JobSpec::time_min,
                                        &JobSpec::begin,
                                        &JobSpec::deadline,
                                        &JobSpec::nice,
                                        &JobSpec::hold,
                                        &JobSpec::requeue,
                                        &JobSpec::kill_on_invalid_dependency,
                                        &JobSpec::warn_signal,
                                        &JobSpec::delay_boot_s,
                                        &JobSpec::wait_all_nodes,
                                        &JobSpec::batch_features,
                                        &JobSpec::prefer};

// Of root and SlurmUser alone.
inline constexpr std::tuple kOperatorFields{&JobSpec::admin_comment, &JobSpec::priority,
                                            &JobSpec::reboot, &JobSpec::site_factor,
                                            &JobSpec::time_limit_granted};

// What the daemon writes in, whatever the request says.
inline constexpr std::tuple kDaemonFields{&JobSpec::uid, &JobSpec::gid, &JobSpec::user_name,
                                          &JobSpec::script_blob, &JobSpec::environment_blob};

inline JobSpec as_user_may_say(JobSpec&& spec) {
  JobSpec accepted;
  auto take = [&](auto... member) { ((accepted.*member = std::move(spec.*member)), ...); };
  std::apply(take, kUserFields);
  std::apply(take, kDaemonFields);
  return accepted;
}

}  // namespace muster::controller
