// Requests of commands to the controller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "base/containers/cow.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/cluster.h"
#include "model/job/job.h"
#include "model/job/job_spec.h"
#include "model/job/task_options.h"
#include "model/node/node.h"
#include "model/node/partition.h"
#include "wire/accounts.h"
#include "wire/job_ref.h"
#include "wire/limits.h"
#include "wire/statistics.h"
#include "wire/triggers.h"

namespace muster::wire {

struct PingRequest {
  template <class V>
  void fields(V&) {}
};
struct StepRequest;
struct SubmitRequest {
  Cow<JobRequest> spec;
  std::string script;                       // batch jobs
  std::string environment;                  // the bytes of a StringBlock
  bool test_only = false;                   // --test-only: say when and where it would start
  bool immediate = false;                   // -I: refuse rather than wait
  std::vector<Cow<JobRequest>> components;  // of a heterogeneous job, except for the first
  // srun: the one step that the allocation is for. Once the step has started, a StepReply (or an
  // Error) follows the SubmitReply; a JobsReply comes when the job has ended. The controller fills
  // in job ids.
  std::vector<StepRequest> first_step;
  template <class V>
  void fields(V& v) {
    v(1, spec);
    v(2, script);
    v(3, environment);
    v(4, test_only);
    v(5, immediate);
    v(100, components);
    v(170, first_step);
  }
};
// How much of each job is sent: everything, wire/brief.h, or wire/job_line.h.
enum class Detail : std::uint8_t { all, brief, least };
constexpr Detail last_of(Detail) { return Detail::least; }

struct JobsRequest {
  JobFilter filter;
  Detail detail = Detail::all;
  bool hides = false;         // leave out jobs of partitions that are hidden or for other groups
  bool checks_nodes = false;  // the nodes of the filter have to exist
  template <class V>
  void fields(V& v) {
    v(1, filter);
    v(2, detail);
    v(3, hides);
    v(4, checks_nodes);
  }
};
struct NodesRequest {
  std::vector<Text> names;
  template <class V>
  void fields(V& v) {
    v(1, names);
  }
};
struct PartitionsRequest {
  template <class V>
  void fields(V&) {}
};
struct ConfigRequest {
  template <class V>
  void fields(V&) {}
};
// scancel: ends jobs, or sends a signal. With a filter, the user's own jobs that match.
struct CancelRequest {
  std::vector<JobRef> jobs;
  std::optional<JobFilter> filter;
  int signal = 0;           // 0 = end the job (CONT, TERM, KILL after KillWait)
  bool batch_only = false;  // -b
  bool full = false;        // -f: batch shell and steps
  Text sibling;             // of a federation: the cluster whose part of the job is meant
  JobId asking_job;  // the job that the command runs in: it gets the answer before the job ends
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, filter);
    v(3, signal);
    v(4, batch_only);
    v(5, full);
    v(250, sibling);
    v(251, asking_job);
  }
};
enum class JobAction : std::uint8_t {
  hold,
  user_hold,
  release,
  requeue,
  requeue_hold,
  suspend,
  resume,
  top,
  notify,
  requeue_special,  // as SPECIAL_EXIT
};
constexpr JobAction last_of(JobAction) { return JobAction::requeue_special; }
struct JobActionRequest {
  JobAction action = JobAction::hold;
  std::vector<JobRef> jobs;
  Text name;         // jobname=: all jobs of that name instead of ids
  Text message;      // of notify
  JobId asking_job;  // as in CancelRequest
  template <class V>
  void fields(V& v) {
    v(1, action);
    v(2, jobs);
    v(3, name);
    v(280, message);
    v(281, asking_job);
  }
};
// scontrol update: keys as written, in order; the controller interprets them.
struct UpdateRequest {
  enum class Kind : std::uint8_t { job, node, partition, step, reservation };
  friend constexpr Kind last_of(Kind) { return Kind::reservation; }
  Kind kind = Kind::job;
  std::vector<std::pair<std::string, std::string>>
      settings;         // "TimeLimit" -> "10"; also jobid=, nodename=
  bool create = false;  // scontrol create partition
  bool remove = false;  // scontrol delete
  template <class V>
  void fields(V& v) {
    v(1, kind);
    v(2, settings);
    v(3, create);
    v(4, remove);
  }
};
struct ReconfigureRequest {
  template <class V>
  void fields(V&) {}
};
struct ShutdownRequest {
  bool controller_only = false;
  template <class V>
  void fields(V& v) {
    v(1, controller_only);
  }
};
struct DebugRequest {
  std::optional<std::string> level;  // setdebug
  std::optional<std::string> flags;  // setdebugflags, "+Name" or "-Name"
  template <class V>
  void fields(V& v) {
    v(1, level);
    v(2, flags);
  }
};
// Who ends an allocation: the command whose connection owns it, by ending or going away for good.
enum class Ownership : std::uint8_t { unchanged, take, leave };
constexpr Ownership last_of(Ownership) { return Ownership::leave; }
// Answered when the job has started or ended (sbatch -W, srun, salloc).
struct WaitJobRequest {
  JobId job;
  bool until_started = false;  // else until it has ended
  Ownership ownership = Ownership::unchanged;
  std::optional<StepId> step;  // until this step of it has ended; answered with Done
  bool until_ready = false;    // with until_started: and until its nodes are ready for use
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, until_started);
    v(3, ownership);
    v(250, step);
    v(251, until_ready);
  }
};
// srun in an allocation.
struct StepRequest {
  JobId job;
  Text name;
  std::optional<std::uint32_t> num_tasks, cpus_per_task, ntasks_per_node;
  std::uint32_t min_nodes = 0, max_nodes = 0;  // 0 = as the job
  Text node_list, excluded_nodes;
  bool overlap = false;
  bool exclusive = false;  // the CPUs of its tasks only, not all of its nodes'
  std::optional<std::uint64_t> memory_per_node_mib;
  GresList gres;  // on each node; empty = all that the job has, "none" = nothing
  Text distribution;
  TaskOptions task;
  std::vector<std::string> environment;  // srun's, as exported
  Text submit_line;
  Text srun_host;
  std::uint32_t srun_pid = 0;
  std::optional<std::uint32_t> relative;  // -r: leave out this many nodes of the job
  bool overcommit = false;
  std::optional<std::uint64_t> memory_per_cpu_mib;
  GpuList gpus, gpus_per_task;  // "[type:]count,..."
  StepTres tres;
  // -I: refuse the step after this time instead of waiting longer.
  std::optional<std::uint32_t> immediate_s;
  std::optional<Minutes> time_limit;
  std::vector<StepRequest> parts;  // in further components of a heterogeneous job
  std::optional<std::uint32_t> threads_per_core, cpus_per_gpu;
  std::optional<std::uint64_t> memory_per_gpu_mib;
  FeatureExpression features;  // -C: nodes of the job that have them
  bool async = false;          // it is queued, and starts when there is room without its srun
  bool preserve_env = false;   // -E: counts of nodes and tasks stay those of the caller
  // --resv-ports; unset = as many as tasks on the fullest node and one more.
  std::optional<std::uint32_t> reserved_ports;
  bool interactive = false;  // salloc's shell: kInteractiveStep
  // -Z: run it without a job, as the step with this number, on the nodes of node_list. `job` is an
  // id that srun chose (kFirstUnallocated) and by which the nodes know it.
  std::optional<std::uint32_t> unallocated;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, name);
    v(3, num_tasks);
    v(4, cpus_per_task);
    v(5, ntasks_per_node);
    v(6, min_nodes);
    v(7, max_nodes);
    v(8, node_list);
    v(9, excluded_nodes);
    v(10, overlap);
    v(11, exclusive);
    v(12, memory_per_node_mib);
    v(13, gres);
    v(14, distribution);
    v(15, task);
    v(16, environment);
    v(26, submit_line);
    v(27, srun_host);
    v(28, srun_pid);
    v(30, relative);
    v(31, overcommit);
    v(32, memory_per_cpu_mib);
    v(33, gpus);
    v(34, gpus_per_task);
    v(38, immediate_s);
    v(39, time_limit);
    v(100, parts);
    v(160, threads_per_core);
    v(161, cpus_per_gpu);
    v(162, memory_per_gpu_mib);
    v(163, features);
    v(164, async);
    v(165, preserve_env);
    v(210, reserved_ports);
    v(211, interactive);
    v(250, unallocated);
    v(400, tres);
  }
};
// A command gives back the allocation that it owns.
struct ReleaseRequest {
  JobId job;
  std::uint32_t exit_status = 0;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, exit_status);
  }
};
// sacct
struct AccountingRequest {
  std::vector<JobRef> jobs;
  std::vector<Text> users, accounts, names, partitions, nodes, qos, states, clusters;
  std::vector<Uid> uids;
  bool all_users = false;
  Time start, end;
  bool duplicates = false;        // -D
  bool allocations_only = false;  // -X
  bool by_state = false;          // -s given: jobs that were in that state within the window
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, users);
    v(3, accounts);
    v(4, names);
    v(5, partitions);
    v(6, nodes);
    v(7, qos);
    v(8, states);
    v(9, clusters);
    v(10, uids);
    v(11, all_users);
    v(12, start);
    v(13, end);
    v(14, duplicates);
    v(15, allocations_only);
    v(16, by_state);
  }
};
struct BatchScriptRequest {  // scontrol write batch_script
  JobId job;
  template <class V>
  void fields(V& v) {
    v(1, job);
  }
};

struct ExplainRequest {  // why it waits, and what would let it start sooner
  JobRef job;
  template <class V>
  void fields(V& v) {
    v(1, job);
  }
};
struct TopologyRequest {
  template <class V>
  void fields(V&) {}
};
struct ReservationsRequest {
  template <class V>
  void fields(V&) {}
};

// sattach: where the processes of a running step are. Answered with a StepReply.
struct AttachStepRequest {
  JobId job;
  StepId step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};

// The factors of each waiting job's priority (sprio).
struct PrioritiesRequest {
  template <class V>
  void fields(V&) {}
};

// What each association may use and has used (sshare).
struct SharesRequest {
  template <class V>
  void fields(V&) {}
};

// sbcast: where a job's or a step's nodes are, and permission to write the caller's files there.
struct BroadcastRequest {
  JobId job;
  std::optional<StepId> step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};

// slurmd -F: which node in state FUTURE this machine becomes.
struct ClaimNodeRequest {
  NodeClaim by;
  NodeFacts facts;
  Text feature;  // a feature that the node must have; empty = any
  template <class V>
  void fields(V& v) {
    v(1, by);
    v(2, facts);
    v(3, feature);
  }
};

using Request =
    std::variant<PingRequest, SubmitRequest, JobsRequest, NodesRequest, PartitionsRequest,
                 ConfigRequest, CancelRequest, JobActionRequest, UpdateRequest, ReconfigureRequest,
                 ShutdownRequest, DebugRequest, WaitJobRequest, StepRequest, ReleaseRequest,
                 AccountingRequest, BatchScriptRequest, ReservationsRequest, AttachStepRequest,
                 PrioritiesRequest, BroadcastRequest, TopologyRequest, SharesRequest,
                 ExplainRequest, ClaimNodeRequest, AccountsRequest, StatisticsRequest,
                 SetTriggerRequest, ClearTriggersRequest, TriggersRequest, LimitsRequest,
                 BudgetRequest>;

}  // namespace muster::wire
