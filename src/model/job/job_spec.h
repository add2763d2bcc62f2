// What a user asked for, as sent by sbatch, salloc or srun and changed by scontrol. Most jobs of a
// long queue differ in a few things only. JobSpec is what they have in common, and is stored once
// for all of them; JobOwn is what each job has of its own; JobRequest is both. A number is
// std::optional if "not given" differs from every value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/containers/cow.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/name_list.h"
#include "base/time.h"
#include "model/job/constraint.h"
#include "model/job/dependency.h"
#include "model/job/licenses.h"
#include "model/node/resources.h"

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
  bool yields_to_reservation = false;  // R: may borrow nodes of reservations with MaxStartDelay
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
  // The default: a Job always has a spec.
  static const Cow<JobSpec>& none();

  JobKind kind = JobKind::batch;
  Uid uid;
  Gid gid;
  Text user_name;
  NameList partition;    // as requested; empty = the default partition
  NameList reservation;  // as requested
  LicenseList licenses;
  FeatureExpression features;  // --constraint
  Text account, qos, wckey, admin_comment, mcs_label;
  Text cluster, network, burst_buffer, extra, container;
  Text mail_user;
  std::uint32_t mail_type = 0;

  // where and how it runs
  OpenMode open_mode = OpenMode::unset;
  std::uint32_t umask = 022;
  bool get_user_env = false;
  Text submit_host;  // AllocNode
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
  GresList gres;                                                // --gres, "gpu:v100:2,shard:4"
  GpuList gpus, gpus_per_node, gpus_per_task, gpus_per_socket;  // "[type:]count,..."
  std::optional<std::uint32_t> cpus_per_gpu;
  Text required_nodes, excluded_nodes;  // hostlists
  bool exclusive = false, oversubscribe = false, overcommit = false, contiguous = false,
       spread_job = false, use_min_nodes = false, reboot = false, no_kill = false,
       exclusive_user = false, exclusive_mcs = false;
  bool made_by_srun = false;      // srun made the job for the step that it starts
  bool outlives_command = false;  // salloc --no-shell: nobody has to be there for it
  std::optional<std::uint32_t> core_spec, threads_per_core, sockets_per_node, cores_per_socket;
  Text distribution;
  std::uint32_t switches = 0;            // --switches: most leaf switches; 0 = no limit
  std::optional<Seconds> switches_wait;  // ... for this long; unset = the site's limit
  bool enforce_binding = false, disable_binding = false;  // --gres-flags
  std::optional<std::uint32_t> thread_spec;

  // when
  std::optional<Minutes> time_limit, time_min;  // kUnlimited = none
  bool time_limit_granted = false;  // by an administrator, so a partition's MaxTime does not count
  Time deadline;
  std::int32_t nice = 0;
  std::int32_t site_factor = 0;           // an administrator's addition to the priority
  std::optional<std::uint32_t> priority;  // --priority; 0 = held
  bool hold = false;
  std::optional<bool> requeue;
  std::optional<bool> kill_on_invalid_dependency;
  WarnSignal warn_signal;
  std::optional<std::uint32_t> delay_boot_s;

  FeatureExpression batch_features;  // --batch: of the node that runs the script
  FeatureExpression prefer;          // --prefer: tried first, instead of `features`

  // stops and new starts
  std::optional<std::uint32_t> notice_s;  // --notice: a stop notice this long before the time limit
  Minutes chunk{};                      // --chunk: the length of each piece; 0 = runs in one piece
  std::uint32_t chunk_max = 0;          // ... and how many there may be
  std::uint32_t retries = 0;            // --retry
  std::uint32_t retry_oom_percent = 0;  // --retry-oom=1.5x: 150; 0 = no new start

  bool operator==(const JobSpec&) const = default;

  template <class V>
  void fields(V& v) {  // numbers above those of JobOwn: a JobRequest has both
    v(31, kind);
    v(32, uid);
    v(33, gid);
    v(34, user_name);
    v(35, partition);
    v(36, account);
    v(37, qos);
    v(38, wckey);
    v(39, admin_comment);
    v(40, reservation);
    v(41, licenses);
    v(42, features);
    v(43, mcs_label);
    v(44, cluster);
    v(45, network);
    v(46, burst_buffer);
    v(47, extra);
    v(48, container);
    v(49, mail_user);
    v(50, mail_type);
    v(51, open_mode);
    v(52, umask);
    v(53, get_user_env);
    v(54, submit_host);
    v(55, acctg_freq);
    v(56, propagate);
    v(57, min_nodes);
    v(58, max_nodes);
    v(59, nodes_given);
    v(60, num_tasks);
    v(61, cpus_per_task);
    v(62, ntasks_per_node);
    v(63, ntasks_per_socket);
    v(64, ntasks_per_core);
    v(65, ntasks_per_gpu);
    v(66, min_cpus_per_node);
    v(67, memory_per_node_mib);
    v(68, memory_per_cpu_mib);
    v(69, memory_per_gpu_mib);
    v(70, tmp_disk_mib);
    v(71, gres);
    v(72, gpus);
    v(73, gpus_per_node);
    v(74, gpus_per_task);
    v(75, gpus_per_socket);
    v(76, cpus_per_gpu);
    v(77, required_nodes);
    v(78, excluded_nodes);
    v(79, exclusive);
    v(80, oversubscribe);
    v(81, overcommit);
    v(82, contiguous);
    v(83, spread_job);
    v(84, use_min_nodes);
    v(85, reboot);
    v(86, no_kill);
    v(87, exclusive_user);
    v(88, core_spec);
    v(89, threads_per_core);
    v(90, sockets_per_node);
    v(91, cores_per_socket);
    v(92, distribution);
    v(93, time_limit);
    v(94, time_min);
    v(95, deadline);
    v(96, nice);
    v(97, priority);
    v(98, hold);
    v(99, requeue);
    v(100, kill_on_invalid_dependency);
    v(101, warn_signal);
    v(102, delay_boot_s);
    v(104, switches);
    v(105, switches_wait);
    v(106, enforce_binding);
    v(107, disable_binding);
    v(108, thread_spec);
    v(109, cpu_freq);
    v(110, gpu_freq);
    v(111, power);
    v(112, batch_features);
    v(113, prefer);
    v(114, exclusive_mcs);
    v(115, made_by_srun);
    v(116, time_limit_granted);
    v(117, site_factor);
    v(118, gpu_bind);
    v(119, outlives_command);
    v(600, notice_s);
    v(601, chunk);
    v(602, chunk_max);
    v(603, retries);
    v(604, retry_oom_percent);
  }
};

struct JobOwn {
  Text name, comment;
  Text array;    // as requested, with "%N"
  Text command;  // full path of the script; empty for --wrap and stdin
  std::vector<Text> script_args;
  Text submit_line;
  Text work_dir, std_in, std_out, std_err;  // patterns, not expanded; empty = default
  Text script_blob, environment_blob;       // hashes in the store
  std::uint32_t submit_sid = 0;
  Time begin;
  Dependency dependency;

  bool operator==(const JobOwn&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, comment);
    v(3, array);
    v(4, command);
    v(5, script_args);
    v(6, submit_line);
    v(7, work_dir);
    v(8, std_in);
    v(9, std_out);
    v(10, std_err);
    v(11, script_blob);
    v(12, environment_blob);
    v(13, submit_sid);
    v(14, begin);
    v(15, dependency);
  }
};

struct JobRequest : JobSpec, JobOwn {
  bool operator==(const JobRequest&) const = default;
  template <class V>
  void fields(V& v) {
    JobOwn::fields(v);
    JobSpec::fields(v);
  }
};

// --gpus-per-node and --gres: "gpu:v100:2,shard:4"
std::string gres_of_each_node(const JobSpec& spec);

// The CPUs that the job needs on each node at least, as far as its options say.
std::uint32_t least_cpus_per_node(const JobSpec& spec);

}  // namespace muster
