// What commands ask of the controller and what it answers. One request per id, one or more replies;
// every message of a stream but the last has Reply::more set.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "base/cow.h"
#include "base/ids.h"
#include "base/idset.h"
#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "model/cluster.h"
#include "model/job.h"
#include "model/job_spec.h"
#include "model/node.h"
#include "model/partition.h"

namespace muster::wire {

// A job id as users write it: "12", "12_3", "12_[1-4]", "12+1"; `step` for "12.0", "12.batch".
struct JobRef {
  JobId job;
  IdSet tasks;  // empty = the job, or the whole array
  std::optional<StepId> step;
  std::optional<std::uint32_t> component;  // of a heterogeneous job
  bool operator==(const JobRef&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, tasks);
    v(3, step);
    v(100, component);
  }
};
Result<JobRef> parse_job_ref(std::string_view text);
std::string job_ref_text(const JobRef& ref);

// Empty lists do not restrict.
struct JobFilter {
  std::vector<JobRef> jobs;
  std::vector<Text> users, accounts, names, partitions, qos, nodes, reservations, licenses;
  std::vector<Uid> uids;
  std::vector<JobState> states;
  bool all_states = false;  // -t all
  bool completing = false;  // COMPLETING is asked for too
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, users);
    v(3, accounts);
    v(4, names);
    v(5, partitions);
    v(6, qos);
    v(7, nodes);
    v(8, reservations);
    v(9, licenses);
    v(10, uids);
    v(11, states);
    v(12, all_states);
    v(13, completing);
  }
};

struct PingRequest {
  template <class V>
  void fields(V&) {}
};
struct StepRequest;
struct SubmitRequest {
  Cow<JobSpec> spec;
  std::string script;                    // batch jobs
  std::string environment;               // see base/environment_block.h
  bool test_only = false;                // --test-only: say when and where it would start
  bool immediate = false;                // -I: refuse rather than wait
  std::vector<Cow<JobSpec>> components;  // of a heterogeneous job, besides the first
  // srun: the one step that the allocation is for. Once it has started, its StepReply (or an Error)
  // follows the SubmitReply; a JobsReply comes when the job has ended. Job ids are the controller's
  // to fill in.
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
struct JobsRequest {
  JobFilter filter;
  bool with_steps = false;
  template <class V>
  void fields(V& v) {
    v(1, filter);
    v(2, with_steps);
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
  bool hurry = false;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, filter);
    v(3, signal);
    v(4, batch_only);
    v(5, full);
    v(6, hurry);
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
};
struct JobActionRequest {
  JobAction action = JobAction::hold;
  std::vector<JobRef> jobs;
  Text name;  // jobname=: all of that name instead of ids
  template <class V>
  void fields(V& v) {
    v(1, action);
    v(2, jobs);
    v(3, name);
  }
};
// scontrol update: keys as written, in order; the controller knows what they mean.
struct UpdateRequest {
  enum class Kind : std::uint8_t { job, node, partition, step, reservation };
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
// Answered when the job has started or ended (sbatch -W, srun, salloc).
struct WaitJobRequest {
  JobId job;
  bool until_started = false;  // else until it has ended
  Ownership ownership = Ownership::unchanged;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, until_started);
    v(3, ownership);
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
  Text gres;  // on each node; empty = all that the job has, "none" = nothing
  Text distribution;
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  Text work_dir, std_in, std_out,
      std_err;  // patterns for files that the nodes open; empty = to srun
  OpenMode open_mode = OpenMode::unset;
  std::uint32_t umask = 022;
  bool pty = false, kill_on_bad_exit = false;
  std::map<std::uint32_t, std::vector<std::string>> argv_by_rank;  // --multi-prog
  Text submit_line;
  Text launcher_host;
  std::uint32_t launcher_port = 0;
  bool propagate_limits = true;
  std::optional<std::uint32_t> relative;  // -r: leave out this many nodes of the job
  bool overcommit = false;
  std::optional<std::uint64_t> memory_per_cpu_mib;
  Text gpus, gpus_per_task;                  // "[type:]count"
  Text gpu_bind, cpu_bind, mem_bind;         // as written
  std::optional<std::uint32_t> immediate_s;  // -I: refuse it after this time instead of waiting on
  std::optional<Minutes> time_limit;
  Text task_prolog, task_epilog;
  std::vector<StepRequest> parts;  // in further components of a heterogeneous job
  bool rendezvous = false;         // its tasks are told where they can meet
  Text mpi;                        // --mpi, "" for none
  std::optional<std::uint32_t> threads_per_core, cpus_per_gpu;
  std::optional<std::uint64_t> memory_per_gpu_mib;
  Text features;              // -C: nodes of the job that have them
  bool async = false;         // it is queued, and starts when there is room without its srun
  bool preserve_env = false;  // -E: counts of nodes and tasks stay those of the caller
  // --resv-ports; unset = as many as tasks on the fullest node and one more.
  std::optional<std::uint32_t> reserved_ports;
  bool interactive = false;  // salloc's shell: kInteractiveStep
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
    v(15, argv);
    v(16, environment);
    v(17, work_dir);
    v(18, std_in);
    v(19, std_out);
    v(20, std_err);
    v(21, open_mode);
    v(22, umask);
    v(23, pty);
    v(24, kill_on_bad_exit);
    v(25, argv_by_rank);
    v(26, submit_line);
    v(27, launcher_host);
    v(28, launcher_port);
    v(29, propagate_limits);
    v(30, relative);
    v(31, overcommit);
    v(32, memory_per_cpu_mib);
    v(33, gpus);
    v(34, gpus_per_task);
    v(35, gpu_bind);
    v(36, cpu_bind);
    v(37, mem_bind);
    v(38, immediate_s);
    v(39, time_limit);
    v(40, task_prolog);
    v(41, task_epilog);
    v(100, parts);
    v(101, rendezvous);
    v(130, mpi);
    v(160, threads_per_core);
    v(161, cpus_per_gpu);
    v(162, memory_per_gpu_mib);
    v(163, features);
    v(164, async);
    v(165, preserve_env);
    v(210, reserved_ports);
    v(211, interactive);
  }
};
// The end of an allocation that a command owns.
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
  bool by_state = false;          // -s given: jobs in that state within the window
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

struct ExplainRequest {  // why it waits, and what would help
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

// sattach: where a running step's processes are. Answered with a StepReply.
struct AttachStepRequest {
  JobId job;
  StepId step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};

// What the priority of each waiting job is made of (sprio).
struct PrioritiesRequest {
  template <class V>
  void fields(V&) {}
};

// What each association may use, and has used (sshare).
struct SharesRequest {
  template <class V>
  void fields(V&) {}
};

// sbcast: where a job's nodes are, or a step's, and leave to write the caller's files there.
struct BroadcastRequest {
  JobId job;
  std::optional<StepId> step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};

using Request =
    std::variant<PingRequest, SubmitRequest, JobsRequest, NodesRequest, PartitionsRequest,
                 ConfigRequest, CancelRequest, JobActionRequest, UpdateRequest, ReconfigureRequest,
                 ShutdownRequest, DebugRequest, WaitJobRequest, StepRequest, ReleaseRequest,
                 AccountingRequest, BatchScriptRequest, ReservationsRequest, AttachStepRequest,
                 PrioritiesRequest, BroadcastRequest, TopologyRequest, SharesRequest,
                 ExplainRequest>;

// --- replies ---

struct Done {
  template <class V>
  void fields(V&) {}
};
struct PingReply {
  Text host, mode;  // mode: "primary"
  Epoch epoch;
  Time started;
  template <class V>
  void fields(V& v) {
    v(1, host);
    v(2, mode);
    v(3, epoch);
    v(4, started);
  }
};
struct SubmitReply {
  JobId job;
  std::vector<std::string> warnings;
  Time would_start;  // test_only
  Text nodes;        // test_only
  std::uint32_t cpus = 0;
  Text partition;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, warnings);
    v(3, would_start);
    v(4, nodes);
    v(5, cpus);
    v(6, partition);
  }
};
// OverSubscribe of a job, which its partition has a say in.
enum class Sharing : std::uint8_t { ok, no, yes, user };
std::string_view sharing_name(Sharing sharing);
// A job with what is known of it beyond the journal.
struct JobView {
  Cow<Job> job;
  Text reason;         // why it waits: "Resources", "Priority", ...
  Text reason_detail;  // "ReqNodeNotAvail, UnavailableNodes:n3": printed instead where set
  Time expected_start;
  Time last_evaluated;
  Text nodes;  // hostlist of its allocation
  Text scheduled_nodes;
  Text batch_host;
  Text dependency;               // as users see it: "afterok:12(unfulfilled)"
  std::vector<Text> node_names;  // parallel to job.allocation
  std::uint32_t spec_place = 0;  // in JobsReply::specs, from 1; 0 = the job holds its own
  Sharing sharing = Sharing::ok;
  std::optional<std::uint64_t> billing;  // by TRESBillingWeights; unset = its CPUs

  // One that is held or waits for others is not eligible, but for the time that it asked for.
  Time eligible() const;

  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, reason);
    v(3, reason_detail);
    v(4, expected_start);
    v(5, last_evaluated);
    v(6, nodes);
    v(7, scheduled_nodes);
    v(8, batch_host);
    v(9, dependency);
    v(10, node_names);
    v(11, spec_place);
    v(110, sharing);
    v(140, billing);
  }
};
// Most jobs of a long queue have the specification of another: it travels once. Whoever receives
// the reply finds it in each job again.
struct JobsReply {
  Time now;
  std::vector<JobView> jobs;
  std::vector<Cow<JobSpec>> specs;
  template <class V>
  void fields(V& v) {
    v(1, now);
    v(2, jobs);
    v(3, specs);
    if constexpr (std::is_same_v<V, Decoder>) put_specs_back();
  }
  void put_specs_back() {
    for (JobView& view : jobs)
      if (view.job && view.spec_place > 0 && view.spec_place <= specs.size())
        view.job.edit().spec = specs[view.spec_place - 1];
  }
};
struct NodeView {
  Cow<Node> node;
  double cpu_load = -1;  // -1 = not known
  std::uint64_t free_memory_mib = 0;
  bool free_memory_known = false;
  Time last_contact;
  std::vector<Text> partitions;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, cpu_load);
    v(3, free_memory_mib);
    v(4, free_memory_known);
    v(5, last_contact);
    v(6, partitions);
  }
};
struct NodesReply {
  Time now;
  std::vector<NodeView> nodes;  // in the order of the configuration
  std::vector<Partition> partitions;
  template <class V>
  void fields(V& v) {
    v(1, now);
    v(2, nodes);
    v(3, partitions);
  }
};
struct PartitionView {
  Partition partition;
  Text nodes;  // hostlist
  std::vector<Text> node_names;
  std::uint32_t total_cpus = 0, total_nodes = 0;
  Text tres;  // "cpu=32,mem=64000M,node=4,billing=32"
  template <class V>
  void fields(V& v) {
    v(1, partition);
    v(2, nodes);
    v(3, node_names);
    v(4, total_cpus);
    v(5, total_nodes);
    v(6, tres);
  }
};
struct PartitionsReply {
  std::vector<PartitionView> partitions;
  template <class V>
  void fields(V& v) {
    v(1, partitions);
  }
};
struct ConfigReply {
  std::vector<std::pair<std::string, std::string>> settings;  // in printing order
  template <class V>
  void fields(V& v) {
    v(1, settings);
  }
};
// What did not work, one entry per id; the rest did.
struct CancelReply {
  std::vector<std::pair<JobRef, Error>> errors;
  std::uint32_t cancelled = 0;
  template <class V>
  void fields(V& v) {
    v(1, errors);
    v(2, cancelled);
  }
};
struct StepPlace {
  Text node, address;
  std::uint32_t port = 0;
  std::vector<std::uint32_t> ranks;
  JobId job;  // the component whose node it is
  Attempt attempt;
  std::string key;  // proves to the step that this srun is its own
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, address);
    v(3, port);
    v(4, ranks);
    v(100, job);
    v(101, attempt);
    v(102, key);
  }
};
struct StepReply {
  StepId step;
  std::vector<StepPlace> places;  // of all its parts
  std::uint32_t num_tasks = 0;
  std::vector<std::uint32_t> part_tasks;  // of each command, where there are several
  template <class V>
  void fields(V& v) {
    v(1, step);
    v(4, places);
    v(5, num_tasks);
    v(210, part_tasks);
  }
};
struct BroadcastReply {
  std::vector<StepPlace> places;
  std::string grant;  // see FileOffer
  template <class V>
  void fields(V& v) {
    v(1, places);
    v(2, grant);
  }
};
struct AccountingReply {
  std::vector<std::string> rows;  // encoded model/accounting_record.h, in printing order
  template <class V>
  void fields(V& v) {
    v(1, rows);
  }
};
struct BatchScriptReply {
  std::string script;
  template <class V>
  void fields(V& v) {
    v(1, script);
  }
};

struct ReservationView {
  Reservation reservation;
  Text nodes;  // hostlist
  std::uint32_t cpus = 0, cores = 0;
  std::vector<std::pair<Text, Text>> node_cores;  // of nodes that it has in part: "n1", "0-3"
  template <class V>
  void fields(V& v) {
    v(1, reservation);
    v(2, nodes);
    v(3, cpus);
    v(4, cores);
    v(150, node_cores);
  }
};
struct ReservationsReply {
  Time now;
  std::vector<ReservationView> reservations;
  template <class V>
  void fields(V& v) {
    v(1, now);
    v(2, reservations);
  }
};

struct PriorityView {
  JobId job;
  Uid uid;
  Text user, partition, account, qos;
  double age = 0, association = 0, fair_share = 0, job_size = 0, partition_factor = 0,
         qos_factor = 0;                      // between 0 and 1
  std::vector<std::pair<Text, double>> tres;  // likewise, by resource
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, uid);
    v(3, user);
    v(4, partition);
    v(5, account);
    v(6, qos);
    v(7, age);
    v(8, association);
    v(9, fair_share);
    v(10, job_size);
    v(11, partition_factor);
    v(12, qos_factor);
    v(13, tres);
    v(14, nice);
    v(15, priority);
  }
};
struct PrioritiesReply {
  PrioritySettings weights;
  std::vector<PriorityView> jobs;
  template <class V>
  void fields(V& v) {
    v(1, weights);
    v(2, jobs);
  }
};

struct TopologyReply {
  std::vector<Switch> switches;  // leaves first
  template <class V>
  void fields(V& v) {
    v(1, switches);
  }
};

// One account or user, after its parent and before those below it.
struct ShareView {
  AssociationKey key;
  std::uint32_t depth = 0;  // 0 = root
  std::uint32_t shares = 1;
  bool shares_of_parent = false;
  double shares_norm = 0, usage_raw = 0, usage_norm = 0, usage_effective = 0;
  double factor = 0;                              // of a user
  double level_fs = 0;                            // fair tree
  TresAmounts group_minutes, running_minutes;     // GrpTRESMins; TRES minutes of running jobs
  std::vector<std::pair<Text, double>> tres_raw;  // TRES seconds
  template <class V>
  void fields(V& v) {
    v(1, key);
    v(2, depth);
    v(3, shares);
    v(4, shares_of_parent);
    v(5, shares_norm);
    v(6, usage_raw);
    v(7, usage_norm);
    v(8, usage_effective);
    v(9, factor);
    v(10, level_fs);
    v(11, group_minutes);
    v(12, running_minutes);
    v(13, tres_raw);
  }
};
struct SharesReply {
  bool counted = false;  // PriorityType=priority/multifactor
  bool fair_tree = true;
  std::vector<ShareView> rows;
  template <class V>
  void fields(V& v) {
    v(1, counted);
    v(2, fair_tree);
    v(3, rows);
  }
};

struct Suggestion {
  Text change;  // "with --time=2:00:00"
  Time start;   // when it would start then
  template <class V>
  void fields(V& v) {
    v(1, change);
    v(2, start);
  }
};
struct Explanation {
  JobView view;
  std::uint32_t position = 0;                         // in line; 1 = the next, 0 = not in line
  std::vector<std::pair<Text, std::uint32_t>> ahead;  // users of those before it, the most first
  std::vector<Suggestion> sooner;
  bool tried_all = true;  // false: there was no time for more suggestions
  Text because;           // why it waits, or what became of it, in a sentence
  template <class V>
  void fields(V& v) {
    v(1, view);
    v(2, position);
    v(3, ahead);
    v(4, sooner);
    v(5, tried_all);
    v(6, because);
  }
};
struct ExplainReply {
  Time now;
  std::vector<Explanation> jobs;  // tasks and components each have their own
  std::uint32_t left_out = 0;     // there are so many more
  template <class V>
  void fields(V& v) {
    v(1, now);
    v(2, jobs);
    v(3, left_out);
  }
};

using Answer = std::variant<Error, Done, PingReply, SubmitReply, JobsReply, NodesReply,
                            PartitionsReply, ConfigReply, CancelReply, StepReply, AccountingReply,
                            BatchScriptReply, ReservationsReply, PrioritiesReply, BroadcastReply,
                            TopologyReply, SharesReply, ExplainReply>;

struct RequestFrame {
  std::uint64_t id = 0;
  Request request;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, request);
  }
};
struct ReplyFrame {
  std::uint64_t id = 0;
  bool more = false;
  Answer answer;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, more);
    v(3, answer);
  }
};

}  // namespace muster::wire

MUSTER_DECLARE_CODEC(muster::wire::RequestFrame)
MUSTER_DECLARE_CODEC(muster::wire::ReplyFrame)
