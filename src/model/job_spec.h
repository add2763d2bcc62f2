// JobSpec: what a user asked for, as sbatch, salloc or srun sent it and scontrol changed it.
// Unset numbers are std::nullopt where "not given" differs from every value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cow.h"
#include "base/ids.h"
#include "base/text.h"
#include "base/time.h"
#include "model/dependency.h"

namespace muster {

enum class JobKind : std::uint8_t { batch, allocation };  // allocation: salloc, srun outside a job
enum class OpenMode : std::uint8_t { unset, truncate, append };
constexpr JobKind last_of(JobKind) { return JobKind::allocation; }
constexpr OpenMode last_of(OpenMode) { return OpenMode::append; }

// --mail-type
enum MailType : std::uint32_t {
  kMailBegin = 1,
  kMailEnd = 2,
  kMailFail = 4,
  kMailRequeue = 8,
  kMailTimeLimit = 16,
  kMailTimeLimit90 = 32,
  kMailTimeLimit80 = 64,
  kMailTimeLimit50 = 128,
  kMailStageOut = 256,
  kMailArrayTasks = 512,
  kMailInvalidDepend = 1024,
};
constexpr std::uint32_t kMailTimeLimits =
    kMailTimeLimit | kMailTimeLimit90 | kMailTimeLimit80 | kMailTimeLimit50;

struct WarnSignal {  // --signal=[R|B:]SIG[@seconds]
  int number = 0;    // 0 = none
  std::uint32_t seconds_before_end = 60;
  bool batch_shell_only = false;       // B:
  bool yields_to_reservation = false;  // R: it may run where a reservation has MaxStartDelay
  bool operator==(const WarnSignal&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, number);
    v(2, seconds_before_end);
    v(3, batch_shell_only);
    v(240, yields_to_reservation);
  }
};

struct JobSpec {
  JobKind kind = JobKind::batch;
  Uid uid;
  Gid gid;
  Text user_name;
  Text name;
  Text partition;  // as asked: one name or a list; empty = the default partition
  Text account, qos, wckey, comment, admin_comment, reservation, licenses, features, mcs_label;
  Dependency dependency;
  Text array;  // as asked, with "%N"
  Text cluster, network, burst_buffer, extra, container;
  Text mail_user;
  std::uint32_t mail_type = 0;

  // where and how it runs
  Text work_dir, std_in, std_out, std_err;  // patterns, not expanded; empty = default
  Text command;                             // full path of the script; empty for --wrap and stdin
  Text submit_line;
  std::vector<Text> script_args;
  OpenMode open_mode = OpenMode::unset;
  std::uint32_t umask = 022;
  bool get_user_env = false;
  Text submit_host;  // AllocNode
  std::uint32_t submit_sid = 0;
  Text script_blob, environment_blob;  // hashes in the store
  Text acctg_freq, propagate;
  Text cpu_freq, gpu_freq, gpu_bind, power;  // as shown; kept for display

  // how much
  std::uint32_t min_nodes = 1, max_nodes = 0;  // 0 = no upper bound given
  bool nodes_given = false;
  std::optional<std::uint32_t> num_tasks;  // -n, or what other options imply; unset = not given
  std::optional<std::uint32_t> cpus_per_task;
  std::optional<std::uint32_t> ntasks_per_node, ntasks_per_socket, ntasks_per_core, ntasks_per_gpu;
  std::optional<std::uint32_t> min_cpus_per_node;  // --mincpus
  std::optional<std::uint64_t> memory_per_node_mib, memory_per_cpu_mib,
      memory_per_gpu_mib;  // 0 = all
  std::optional<std::uint64_t> tmp_disk_mib;
  Text gres;                                                 // --gres, "gpu:v100:2,shard:4"
  Text gpus, gpus_per_node, gpus_per_task, gpus_per_socket;  // "[type:]count,..."
  std::optional<std::uint32_t> cpus_per_gpu;
  Text required_nodes, excluded_nodes;  // hostlists
  bool exclusive = false, oversubscribe = false, overcommit = false, contiguous = false,
       spread_job = false, use_min_nodes = false, reboot = false, no_kill = false,
       exclusive_user = false, exclusive_mcs = false;
  bool for_own_step = false;  // srun made the job for the step that it starts
  std::optional<std::uint32_t> core_spec, threads_per_core, sockets_per_node, cores_per_socket;
  Text distribution;
  std::uint32_t switches = 0;            // --switches: at most so many leaf switches; 0 = no matter
  std::optional<Seconds> switches_wait;  // ... for so long; unset = the site's limit
  bool enforce_binding = false, disable_binding = false;  // --gres-flags
  std::optional<std::uint32_t> thread_spec;

  // when
  std::optional<Minutes> time_limit, time_min;  // kUnlimited = none
  bool time_limit_granted = false;  // by an administrator: MaxTime of a partition does not count
  Time begin, deadline;
  std::int32_t nice = 0;
  std::int32_t site_factor = 0;           // what an administrator adds to its priority
  std::optional<std::uint32_t> priority;  // --priority; 0 = held
  bool hold = false;
  std::optional<bool> requeue;
  std::optional<bool> kill_on_invalid_dependency;
  WarnSignal warn_signal;
  std::optional<std::uint32_t> delay_boot_s;
  bool wait_all_nodes = false;

  Text batch_features;  // --batch: of the node that runs the script
  Text prefer;          // --prefer: features that are tried instead of `features` first

  bool operator==(const JobSpec&) const = default;

  template <class V>
  void fields(V& v) {
    v(1, kind);
    v(2, uid);
    v(3, gid);
    v(4, user_name);
    v(5, name);
    v(6, partition);
    v(7, account);
    v(8, qos);
    v(9, wckey);
    v(10, comment);
    v(11, admin_comment);
    v(12, reservation);
    v(13, licenses);
    v(14, features);
    v(15, mcs_label);
    v(16, dependency);
    v(17, array);
    v(18, cluster);
    v(19, network);
    v(20, burst_buffer);
    v(21, extra);
    v(22, container);
    v(23, mail_user);
    v(24, mail_type);
    v(25, work_dir);
    v(26, std_in);
    v(27, std_out);
    v(28, std_err);
    v(29, command);
    v(30, submit_line);
    v(31, script_args);
    v(32, open_mode);
    v(33, umask);
    v(34, get_user_env);
    v(35, submit_host);
    v(36, submit_sid);
    v(37, script_blob);
    v(38, environment_blob);
    v(39, acctg_freq);
    v(40, propagate);
    v(41, min_nodes);
    v(42, max_nodes);
    v(43, nodes_given);
    v(44, num_tasks);
    v(45, cpus_per_task);
    v(46, ntasks_per_node);
    v(47, ntasks_per_socket);
    v(48, ntasks_per_core);
    v(49, ntasks_per_gpu);
    v(50, min_cpus_per_node);
    v(51, memory_per_node_mib);
    v(52, memory_per_cpu_mib);
    v(53, memory_per_gpu_mib);
    v(54, tmp_disk_mib);
    v(55, gres);
    v(56, gpus);
    v(57, gpus_per_node);
    v(58, gpus_per_task);
    v(59, gpus_per_socket);
    v(60, cpus_per_gpu);
    v(61, required_nodes);
    v(62, excluded_nodes);
    v(63, exclusive);
    v(64, oversubscribe);
    v(65, overcommit);
    v(66, contiguous);
    v(67, spread_job);
    v(68, use_min_nodes);
    v(69, reboot);
    v(70, no_kill);
    v(71, exclusive_user);
    v(72, core_spec);
    v(73, threads_per_core);
    v(74, sockets_per_node);
    v(75, cores_per_socket);
    v(76, distribution);
    v(77, time_limit);
    v(78, time_min);
    v(79, begin);
    v(80, deadline);
    v(81, nice);
    v(82, priority);
    v(83, hold);
    v(84, requeue);
    v(85, kill_on_invalid_dependency);
    v(86, warn_signal);
    v(87, delay_boot_s);
    v(88, wait_all_nodes);
    v(110, switches);
    v(111, switches_wait);
    v(112, enforce_binding);
    v(113, disable_binding);
    v(150, thread_spec);
    v(160, cpu_freq);
    v(161, gpu_freq);
    v(162, power);
    v(210, batch_features);
    v(211, prefer);
    v(250, exclusive_mcs);
    v(270, for_own_step);
    v(320, time_limit_granted);
    v(321, site_factor);
    v(400, gpu_bind);
  }
};

// The same specification, sharing what it can with another's: users submit the same thing again and
// again, and a hundred thousand pending jobs should not cost a hundred thousand copies.
Cow<JobSpec> shared_with(Cow<JobSpec> spec, const Cow<JobSpec>& other);

// --gpus-per-node and --gres: "gpu:v100:2,shard:4"
std::string gres_of_each_node(const JobSpec& spec);

// The CPUs that it needs on each of its nodes: those of the tasks there, as far as that is said.
std::uint32_t least_cpus_per_node(const JobSpec& spec);

}  // namespace muster
