// Cluster: the whole state that the controller decides on. It is a value: a copy is a snapshot, and
// costs a few hundred pointers. Only state/apply changes the controller's own copy.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/containers/cow.h"
#include "base/containers/table.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/accounts/association.h"
#include "model/accounts/private_data.h"
#include "model/accounts/qos.h"
#include "model/accounts/usage.h"
#include "model/accounts/user_access.h"
#include "model/job/job.h"
#include "model/job/job_outcome.h"
#include "model/job/request_limits.h"
#include "model/node/node.h"
#include "model/node/partition.h"
#include "model/node/topology.h"
#include "model/reservation.h"
#include "model/trigger.h"

namespace muster {

// How usage is kept, and how fair share is computed from it.
struct FairShareSettings {
  Seconds half_life{7 * 24 * 3600};  // PriorityDecayHalfLife; 0 = no decay
  Seconds calc_period{300};          // PriorityCalcPeriod
  UsageReset reset = UsageReset::none;
  bool fair_tree = true;         // otherwise the classic formula
  bool depth_oblivious = false;  // ... with DEPTH_OBLIVIOUS
  std::uint32_t dampening = 1;   // FairShareDampeningFactor of the classic formula
  bool operator==(const FairShareSettings&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, half_life);
    v(2, calc_period);
    v(3, reset);
    v(4, fair_tree);
    v(5, depth_oblivious);
    v(6, dampening);
  }
};

// PriorityType=priority/multifactor and its weights. Without it, priorities follow the order of
// arrival.
struct PrioritySettings {
  bool multifactor = false;
  std::uint32_t age = 0, association = 0, fair_share = 0, job_size = 0, partition = 0, qos = 0;
  std::vector<std::pair<Text, double>> tres;  // PriorityWeightTRES by name: "cpu", "gres/gpu"
  Seconds max_age{7 * 24 * 3600};
  bool favor_small = false;
  bool size_by_time = false;    // PriorityFlags=SMALL_RELATIVE_TO_TIME
  bool no_normal_part = false;  // do not divide factors by the greatest one
  bool no_normal_qos = false;
  bool no_normal_assoc = false;
  bool no_normal_tres = false;
  bool accrue_always = false;  // jobs gain age even while held or waiting for other jobs
  bool max_tres = false;       // bill only the most expensive resource of a job
  bool increase_only = false;  // priorities never fall (INCR_ONLY)
  bool of_running = false;     // also for running jobs (CALCULATE_RUNNING)
  FairShareSettings shares;
  bool operator==(const PrioritySettings&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, multifactor);
    v(2, age);
    v(3, association);
    v(4, fair_share);
    v(5, job_size);
    v(6, partition);
    v(7, qos);
    v(8, tres);
    v(9, max_age);
    v(10, favor_small);
    v(11, size_by_time);
    v(12, no_normal_part);
    v(13, no_normal_qos);
    v(140, no_normal_assoc);
    v(141, no_normal_tres);
    v(142, accrue_always);
    v(143, max_tres);
    v(144, shares);
    v(190, increase_only);
    v(191, of_running);
  }
};

enum class PreemptType : std::uint8_t { none, partition_priority, qos };

struct PreemptSettings {
  PreemptType type = PreemptType::none;
  PreemptMode mode = PreemptMode::off;
  Seconds exempt_time{0};  // no job is preempted before it has run this long
  bool youngest_first = false, send_user_signal = false;
  bool gang = false;          // jobs that hold the same CPUs take turns
  bool strict_order = false;  // victims strictly in order, not as few as possible
  std::optional<std::uint32_t> min_exempt_priority;  // jobs of this priority or more are exempt
  bool reclaim_licenses = false;                     // also preempt for jobs that lack licenses
  bool within = false;  // preempt/qos: also within a QOS, by job priority
  bool operator==(const PreemptSettings&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, type);
    v(2, mode);
    v(3, exempt_time);
    v(4, youngest_first);
    v(5, send_user_signal);
    v(110, gang);
    v(111, strict_order);
    v(112, min_exempt_priority);
    v(190, reclaim_licenses);
    v(191, within);
  }
};

// Which programs of the site run around a job. Only the daemons that run them know their paths.
struct SitePrograms {
  bool prolog = false, epilog = false;  // on the nodes
  bool prolog_at_start = false;  // PrologFlags=Alloc: at the job's start, not its first step's
  bool contain = false;          // PrologFlags=Contain: an extern step on every node
  bool prolog_slurmctld = false, epilog_slurmctld = false;
  bool force_requeue = false;  // PrologFlags=ForceRequeueOnFail: even if the job says no
  bool defer_batch = false;    // PrologFlags=DeferBatch: scripts wait for the Prologs of all nodes
  bool reservation_prolog = false, reservation_epilog = false;  // ResvProlog, ResvEpilog
  bool on_nodes() const { return prolog || epilog; }
  bool operator==(const SitePrograms&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, prolog);
    v(2, epilog);
    v(3, prolog_at_start);
    v(4, contain);
    v(5, prolog_slurmctld);
    v(6, epilog_slurmctld);
    v(120, force_requeue);
    v(190, reservation_prolog);
    v(191, reservation_epilog);
    v(210, defer_batch);
  }
};

// HealthCheckProgram: how often it runs, and on nodes in which states.
struct HealthCheck {
  Seconds interval{0};  // 0 = never
  bool any = true;      // ANY; otherwise only the states set below
  bool alloc = false, idle = false, mixed = false, nondrained_idle = false;
  bool cycle = false;  // spread over the interval instead of all at once
  bool operator==(const HealthCheck&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, interval);
    v(2, any);
    v(3, alloc);
    v(4, idle);
    v(5, mixed);
    v(6, cycle);
    v(7, nondrained_idle);
  }
};

// Power saving.
struct PowerSettings {
  bool saving = false;                  // SuspendProgram and ResumeProgram are set
  std::optional<Seconds> suspend_time;  // unset = idle nodes stay on
  Seconds suspend_timeout{30}, resume_timeout{60};
  Seconds down_grace{30};  // PowerDownGrace
  std::vector<Text> except_nodes, except_partitions;
  std::uint32_t suspend_rate = 60, resume_rate = 300;  // nodes a minute; 0 = no bound
  bool tells_failures = false;                         // ResumeFailProgram is set
  bool operator==(const PowerSettings&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, saving);
    v(2, suspend_time);
    v(3, suspend_timeout);
    v(4, resume_timeout);
    v(5, down_grace);
    v(6, except_nodes);
    v(7, except_partitions);
    v(190, suspend_rate);
    v(191, resume_rate);
    v(192, tells_failures);
  }
};

// The settings that decisions depend on. The daemons keep the rest of slurm.conf.
struct Settings {
  Text cluster_name;
  Seconds kill_wait{30}, min_job_age{300}, slurmd_timeout{300}, inactive_limit{0};
  std::uint32_t first_job_id = 1, max_job_count = 10000, max_array_size = 1001;
  std::uint32_t return_to_service = 0;
  bool job_requeue = true;           // JobRequeue
  bool memory_is_consumable = true;  // SelectTypeParameters has _Memory
  bool whole_nodes = false;          // select/linear
  bool use_core_granularity = true;
  Text enforce_part_limits;  // NO, ANY, ALL
  std::optional<std::uint64_t> default_memory_per_cpu_mib, default_memory_per_node_mib,
      max_memory_per_cpu_mib, max_memory_per_node_mib;
  std::uint32_t over_time_limit_min = 0;
  bool config_overrides = false;  // SlurmdParameters=config_overrides
  bool kill_on_invalid_dependency = false;
  bool enforce_associations = false, enforce_qos = false;
  bool enforce_limits = false;  // of associations
  bool enforce_safe = false;    // a job starts only if limits let it run to its end
  bool enforce_wckeys = false;  // a job has a key of its user's
  bool record_jobs = true, record_steps = true;  // in accounting
  std::uint32_t max_step_count = 40000;
  std::vector<Text> gres_types;
  Licenses licenses;
  Seconds complete_wait{0};
  bool settles_by_partition = false;  // reduce_completing_frag: CompleteWait per partition
  Text job_file_append;               // JobFileAppend
  bool accounting = true;
  PrioritySettings priority;
  PreemptSettings preempt;
  bool backfill = true;                     // SchedulerType=sched/backfill
  bool whole_sockets = false;               // CR_Socket
  bool least_loaded = false;                // CR_LLN
  IdSet requeue_exits, requeue_exits_held;  // RequeueExit, RequeueExitHold
  SitePrograms programs;
  Seconds time_slice{30};                             // SchedulerTimeSlice
  std::vector<Switch> topology;                       // TopologyPlugin=topology/tree: leaves first
  Seconds max_switch_wait{300};                       // SchedulerParameters=max_switch_wait
  std::uint32_t max_batch_requeue = 5;                // after failures; then the job is held
  std::optional<std::uint32_t> max_preempt_requeue;   // after preemptions, likewise
  bool one_task_per_core = false;                     // CR_ONE_TASK_PER_CORE
  std::optional<std::uint32_t> default_cpus_per_gpu;  // DefCpuPerGPU
  std::optional<std::uint64_t> default_memory_per_gpu_mib;  // DefMemPerGPU
  HealthCheck health_check;
  PowerSettings power;
  bool can_reboot = false;           // RebootProgram is set
  std::uint32_t max_node_count = 0;  // MaxNodeCount; 0 = no dynamic nodes
  Text mail_domain;                  // for users without an address
  Minutes reservation_overrun{0};    // ResvOverRun; kUnlimited = without limit
  bool spec_cores_by_jobs = false;   // AllowSpecResourcesUsage
  bool cores_in_blocks = false;      // CR_CORE_DEFAULT_DIST_BLOCK
  bool pack_nodes = false;           // CR_Pack_Nodes
  bool serial_at_end = false;        // SchedulerParameters=pack_serial_at_end
  // SchedulerParameters
  std::uint32_t max_array_tasks = 0;       // 0 = only MaxArraySize counts
  bool user_top = false;                   // enable_user_top
  bool users_shrink = true;                // disable_job_shrink
  bool allow_zero_licenses = false;        // jobs may ask for more licenses than exist, and wait
  std::uint32_t min_priority_reserve = 0;  // bf_min_prio_reserve
  Seconds min_age_reserve{0};              // bf_min_age_reserve
  bool limits_stop = false;                // assoc_limit_stop
  bool whole_het_jobs = false;             // whole_hetjob: actions on one component affect all
  std::uint32_t first_meeting_port = 29500, last_meeting_port = 39499;  // RendezvousPorts
  IdSet step_ports;                                                     // MpiParams=ports=
  RequestLimits request_limits;
  PrivateData private_data;
  bool disable_root_jobs = false;  // DisableRootJobs, the default for partitions
  bool user_triggers = false;      // SlurmctldParameters=allow_user_triggers
  Text cpu_bind;                   // TaskPluginParam=cores and so on: the default binding
  Seconds max_grace_extension{0};  // MaxGraceExtension: for one run; 0 = no job may have more
  bool operator==(const Settings&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, cluster_name);
    v(2, kill_wait);
    v(3, min_job_age);
    v(4, slurmd_timeout);
    v(5, inactive_limit);
    v(6, first_job_id);
    v(8, max_job_count);
    v(9, max_array_size);
    v(10, return_to_service);
    v(11, job_requeue);
    v(12, memory_is_consumable);
    v(13, whole_nodes);
    v(14, use_core_granularity);
    v(15, enforce_part_limits);
    v(16, default_memory_per_cpu_mib);
    v(17, default_memory_per_node_mib);
    v(18, max_memory_per_cpu_mib);
    v(19, max_memory_per_node_mib);
    v(20, over_time_limit_min);
    v(21, config_overrides);
    v(22, kill_on_invalid_dependency);
    v(23, enforce_associations);
    v(24, enforce_qos);
    v(25, max_step_count);
    v(26, gres_types);
    v(27, licenses);
    v(28, complete_wait);
    v(29, job_file_append);
    v(30, accounting);
    v(31, priority);
    v(32, preempt);
    v(33, backfill);
    v(34, whole_sockets);
    v(35, least_loaded);
    v(36, requeue_exits);
    v(37, requeue_exits_held);
    v(40, programs);
    v(100, first_meeting_port);
    v(101, last_meeting_port);
    v(110, time_slice);
    v(111, topology);
    v(112, max_switch_wait);
    v(113, max_batch_requeue);
    v(114, one_task_per_core);
    v(115, default_cpus_per_gpu);
    v(116, default_memory_per_gpu_mib);
    v(119, max_preempt_requeue);
    v(120, health_check);
    v(121, power);
    v(122, can_reboot);
    v(123, max_node_count);
    v(124, mail_domain);
    v(140, enforce_limits);
    v(141, enforce_safe);
    v(150, reservation_overrun);
    v(151, spec_cores_by_jobs);
    v(152, cores_in_blocks);
    v(190, pack_nodes);
    v(210, step_ports);
    v(430, serial_at_end);
    v(460, max_array_tasks);
    v(462, user_top);
    v(463, allow_zero_licenses);
    v(464, min_priority_reserve);
    v(465, min_age_reserve);
    v(470, settles_by_partition);
    v(471, limits_stop);
    v(472, whole_het_jobs);
    v(500, request_limits);
    v(501, private_data);
    v(502, disable_root_jobs);
    v(503, cpu_bind);
    v(504, users_shrink);
    v(510, enforce_wckeys);
    v(511, record_jobs);
    v(512, record_steps);
    v(520, user_triggers);
    v(600, max_grace_extension);
  }
};

// The result of reading the configuration; the event that puts it in force contains it.
struct ClusterConfig {
  Settings settings;
  std::vector<NodeConfig> nodes;                   // in the order of the file
  std::vector<Partition> partitions;               // with empty `nodes`: see partition_nodes
  std::vector<std::vector<Text>> partition_nodes;  // parallel to partitions: expanded names
  std::vector<Qos> qos;
  std::vector<std::pair<Text, Text>> node_sets;  // NodeSets defined by a feature: name, feature
  std::uint32_t slurmd_port = 0;                 // for nodes without a port of their own
  bool operator==(const ClusterConfig&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, settings);
    v(2, nodes);
    v(3, partitions);
    v(4, partition_nodes);
    v(5, qos);
    v(120, node_sets);
    v(121, slurmd_port);
  }
};

// An EpilogSlurmctld that has not ended. A restarted controller runs it again.
struct OwedEpilog {
  JobId job;
  Attempt attempt;
  Gid gid;
  std::vector<std::string> environment;  // kept here because the job may have changed by then
  bool operator==(const OwedEpilog&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, gid);
    v(4, environment);
  }
};

// The known tasks of an array, and the job record of each.
struct ArrayTasks {
  IdSet all;
  std::vector<std::pair<std::uint32_t, JobId>> own;  // tasks with a record of their own, ascending
  std::vector<std::pair<IdSet, JobId>> waiting;
  JobId record_of(std::uint32_t task) const;  // requires all.contains(task)
};

struct Cluster {
  Cow<ClusterConfig> config{ClusterConfig{}};
  Table<NodeId, Node> nodes;
  Cow<std::map<Text, NodeId>> node_ids{std::map<Text, NodeId>{}};
  Cow<std::vector<NodeId>> node_order{std::vector<NodeId>{}};  // as in the configuration
  Cow<std::vector<Partition>> partitions{std::vector<Partition>{}};
  Cow<std::vector<Reservation>> reservations{std::vector<Reservation>{}};  // by number
  Table<JobId, Job> jobs;
  Table<JobId, JobOutcome> outcomes;  // of jobs that are gone, for dependencies on them
  Cow<std::vector<Association>> associations{std::vector<Association>{}};  // ascending
  Cow<std::vector<Qos>> qos{std::vector<Qos>{}};  // those that accounting has, ascending
  Cow<std::vector<UserAccess>> users{std::vector<UserAccess>{}};             // ascending
  Cow<std::vector<Coordinators>> coordinators{std::vector<Coordinators>{}};  // ascending
  Cow<UsageBook> usage{UsageBook{}};
  Cow<std::vector<OwedEpilog>> owed_epilogs{std::vector<OwedEpilog>{}};
  IdSet pending;    // ids of jobs in state pending
  IdSet active;     // ids of jobs that run, are suspended, or are completing
  IdSet uncounted;  // ids of jobs that have ended since usage was last counted
  JobId next_job_id{1};
  NodeId next_node_id{1};
  Cow<std::vector<Trigger>> triggers{std::vector<Trigger>{}};  // ascending
  std::uint32_t last_trigger = 0;                              // the highest id given so far
  std::uint32_t last_reservation = 0;                          // the highest number given so far
  Epoch epoch;

  const Settings& settings() const { return (*config).settings; }
  const Node* find_node(std::string_view name) const;
  // In the order written; a name may occur more than once. Fails at the first unknown name, without
  // expanding the rest of the list.
  Result<std::vector<NodeId>> nodes_named(std::string_view hostlist) const;
  const Partition* find_partition(std::string_view name) const;
  // The job's partition; of several that it waits for the first.
  const Partition* partition_of(const Job& job) const;
  const Partition* default_partition() const;
  const Reservation* find_reservation(std::string_view name) const;
  // Of the configuration, or of accounting.
  const Qos* find_qos(std::string_view name) const;
  std::vector<const Qos*> all_qos() const;
  // Limits of a QOS of slurm.conf always count, those of accounting where limits are enforced.
  bool enforces_limits_of(const Qos& qos) const;
  const UserAccess* find_user(std::string_view name) const;
  // Of the account, or of one above it.
  bool coordinates(std::string_view user, const Text& account) const;
  // The record of this array task: its own, or the array's while the task waits there.
  const Job* find_task(JobId array, std::uint32_t task) const;
  // The tasks of an array that have left its record: see ArrayRecord. Null = none.
  const TaskIndex* task_index(JobId array) const;
  void index_task(JobId array, std::uint32_t task, JobId job);
  void unindex_task(JobId array, std::uint32_t task);
  ArrayTasks tasks_of(JobId array) const;
  // The job itself, or all known components of its heterogeneous job, in order.
  std::vector<const Job*> components(const Job& job) const;

  bool operator==(const Cluster&) const = default;
};

// The partitions in "main" or "a,b"; empty = the default partition. Every name must exist. A
// partition that takes no more jobs is replaced by its Alternate.
Result<std::vector<const Partition*>> named_partitions(const Cluster& cluster,
                                                       const NameList& names);

}  // namespace muster
