// Between the controller and slurmd, over one connection that slurmd keeps open. Orders are
// idempotent: a node that gets an order again answers with what it knows. Every order carries the
// controller's epoch; a node refuses an order with a lower epoch than it has seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "base/containers/secret.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/idset.h"
#include "base/text/string_block.h"
#include "base/time.h"
#include "model/job/job_spec.h"
#include "model/job/step.h"
#include "model/job/stop_notice.h"
#include "model/job/task_options.h"
#include "model/node/node.h"
#include "model/node/resources.h"

namespace muster::wire {

struct StepRef {
  JobId job;
  Attempt attempt;
  StepId step;
  auto operator<=>(const StepRef&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, step);
  }
};

// The tasks of a step on one of its nodes.
struct NodeRanks {
  Text node;
  std::vector<std::uint32_t> ranks;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, ranks);
  }
};

// Everything a slurmstepd needs to run its node's part of a step or the batch script.
struct StepLaunch {
  StepRef ref;
  Uid uid;
  Gid gid;
  Text user_name, job_name;
  JobId array_id;
  std::uint32_t task_id = kNoTask;

  TaskOptions task;
  std::string script;       // batch only
  StringBlock environment;  // complete except for variables that differ per node or task
  // Bytes of a StringBlock: variables that replace those in `environment`.
  std::string submitted_environment;
  std::uint32_t restarts = 0;
  bool get_user_env = false;

  std::uint32_t node_index = 0;        // SLURM_NODEID
  std::uint32_t num_tasks = 1;         // of the whole step
  std::vector<std::uint32_t> ranks;    // of the tasks on this node
  NodeShare share;                     // what the step may use on this node
  std::vector<Text> device_files;      // of its devices on this node
  std::uint64_t memory_limit_mib = 0;  // 0 = none
  Secret key;  // an srun proves that it has this key before it may attach; empty = nobody may
  bool waits_for_client = false;  // tasks start once srun has connected
  std::uint32_t cpus_per_task = 1;
  Secret watch_key;                             // who proves this key may ask what the step uses
  std::vector<std::string> prolog_environment;  // of the node's Prolog; empty = no Prolog
  std::vector<NodeRanks> layout;                // of the whole step, if --mpi needs it
  template <class V>
  void fields(V& v) {
    v(1, ref);
    v(2, uid);
    v(3, gid);
    v(4, user_name);
    v(5, job_name);
    v(6, array_id);
    v(7, task_id);
    v(8, script);
    v(9, task);
    v(11, environment);
    v(18, restarts);
    v(19, get_user_env);
    v(22, node_index);
    v(23, num_tasks);
    v(24, ranks);
    v(25, share);
    v(26, device_files);
    v(27, memory_limit_mib);
    v(28, key);
    v(29, waits_for_client);
    v(40, cpus_per_task);
    v(46, watch_key);
    v(60, prolog_environment);
    v(131, layout);
    v(230, submitted_environment);
  }
};

// --- controller to node ---

struct LaunchOrder {
  StepLaunch launch;
  template <class V>
  void fields(V& v) {
    v(1, launch);
  }
};
struct SignalOrder {
  JobId job;
  Attempt attempt;
  std::set<StepId> steps;  // empty = the flags below say which
  bool batch = false;      // the batch shell (with `whole_batch`: all its processes)
  bool whole_batch = false;
  bool all_steps = false;  // all numbered steps on this node
  int signal = 0;
  bool announce = false;  // writes "CANCELLED AT" to the output of the steps
  bool notice =
      false;  // announces an end: processes that signalled tasks leave behind may run until then
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, steps);
    v(4, batch);
    v(5, whole_batch);
    v(6, all_steps);
    v(7, signal);
    v(8, notice);
    v(160, announce);
  }
};
// Ends everything of this attempt: CONT and TERM at once, KILL after the wait. Answered by JobGone.
// The batch step writes the message to the job's standard error ("CANCELLED AT ... DUE TO TIME
// LIMIT").
struct EndJobOrder {
  JobId job;
  Attempt attempt;
  Seconds kill_wait{30};
  Text message_suffix;  // "", " DUE TO TIME LIMIT", ...
  bool announce = false;
  std::vector<std::string> epilog_environment;  // of the node's Epilog
  Millis delay{0};  // before the signals, because a command of the job itself asked for the end
  std::optional<StopNotice> notice;  // for the job's processes, before the signals
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, kill_wait);
    v(4, message_suffix);
    v(5, announce);
    v(20, epilog_environment);
    v(21, delay);
    v(600, notice);
  }
};
struct EndStepOrder {
  StepRef ref;
  Seconds kill_wait{30};
  bool announce = false;
  Text message_suffix;  // as in EndJobOrder
  Millis delay{0};      // likewise
  template <class V>
  void fields(V& v) {
    v(1, ref);
    v(2, kill_wait);
    v(3, announce);
    v(4, message_suffix);
    v(5, delay);
  }
};
struct SuspendOrder {
  JobId job;
  Attempt attempt;
  bool resume = false;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, resume);
  }
};
struct ConfirmOrder {  // the controller knows the ends of these steps: the node may forget them
  std::vector<StepRef> steps;
  template <class V>
  void fields(V& v) {
    v(1, steps);
  }
};
struct ReconfigureOrder {
  template <class V>
  void fields(V&) {}
};
struct ShutdownOrder {
  template <class V>
  void fields(V&) {}
};
// Run the Prolog for this attempt now, before anything is launched (PrologFlags=Alloc).
struct PrepareOrder {
  JobId job;
  Attempt attempt;
  std::vector<std::string> environment;
  bool tell = false;  // answer with PreparedReport (PrologFlags=DeferBatch)
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, environment);
    v(210, tell);
  }
};
struct HealthCheckOrder {  // run HealthCheckProgram now
  template <class V>
  void fields(V&) {}
};
struct RebootOrder {  // run RebootProgram
  template <class V>
  void fields(V&) {}
};
struct NotifyOrder {  // writes a line to the error output of the batch script
  JobId job;
  Attempt attempt;
  Text text;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, text);
  }
};
// The job's processes are told of a stop to come. One without a reason takes the last one back.
struct StopNoticeOrder {
  JobId job;
  Attempt attempt;
  StopNotice notice;
  bool extends = false;  // what is being ended already is killed when the notice says, not before
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, notice);
    v(4, extends);
  }
};
struct JobAnswerOrder {  // the answer to a JobAskReport
  std::uint64_t ask = 0;
  Text refusal;  // empty = it is done
  Seconds granted{0};
  template <class V>
  void fields(V& v) {
    v(1, ask);
    v(2, refusal);
    v(3, granted);
  }
};
using Order =
    std::variant<LaunchOrder, SignalOrder, EndJobOrder, EndStepOrder, SuspendOrder, ConfirmOrder,
                 ReconfigureOrder, ShutdownOrder, PrepareOrder, HealthCheckOrder, RebootOrder,
                 NotifyOrder, StopNoticeOrder, JobAnswerOrder>;
struct OrderBatch {
  Epoch epoch;
  std::vector<Order> orders;
  template <class V>
  void fields(V& v) {
    v(1, epoch);
    v(2, orders);
  }
};

// --- node to controller ---

struct StepEnd {
  StepRef ref;
  std::uint32_t exit_status = 0;  // highest wait status of the tasks here
  std::map<std::uint32_t, std::uint32_t> exit_by_rank;
  bool out_of_memory = false;
  bool launch_failed = false;
  Text failure;  // why it could not be launched
  Time started, ended;
  Usage usage;
  bool prolog_failed = false;  // it was not launched, because the Prolog failed
  bool not_begun = false;      // slurmd itself could not start it
  bool unkillable = false;     // some of its processes do not end
  Text node_fault;  // it was not launched for a reason that concerns every job on this node
  template <class V>
  void fields(V& v) {
    v(1, ref);
    v(2, exit_status);
    v(3, exit_by_rank);
    v(4, out_of_memory);
    v(5, launch_failed);
    v(6, failure);
    v(7, started);
    v(8, ended);
    v(9, usage);
    v(20, prolog_failed);
    v(190, not_begun);
    v(240, unkillable);
    v(300, node_fault);
  }
};
// The first message on each connection: the node's name, what runs there and what has ended.
struct RegisterReport {
  Text name;
  NodeFacts facts;
  std::vector<StepRef> running;
  std::vector<StepEnd> ended;  // ended steps that are not confirmed yet
  double cpu_load = 0;
  std::uint64_t free_memory_mib = 0;
  std::optional<NodeConfig> dynamic;  // slurmd -Z: the node's description, which is in no file
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, facts);
    v(3, running);
    v(4, ended);
    v(5, cpu_load);
    v(6, free_memory_mib);
    v(120, dynamic);
  }
};
struct HeartbeatReport {
  double cpu_load = 0;
  std::uint64_t free_memory_mib = 0;
  template <class V>
  void fields(V& v) {
    v(1, cpu_load);
    v(2, free_memory_mib);
  }
};
struct StepEndReport {
  StepEnd end;
  template <class V>
  void fields(V& v) {
    v(1, end);
  }
};
struct JobGoneReport {  // nothing of this attempt runs any more, and its Epilog has run
  JobId job;
  Attempt attempt;
  bool epilog_failed = false;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, epilog_failed);
  }
};
struct LeavingReport {  // slurmd was told to stop; its steps go on
  bool host = false;    // the whole machine stops, and its jobs must end
  template <class V>
  void fields(V& v) {
    v(1, host);
  }
};
struct PrologFailedReport {  // when no launch can report it
  JobId job;
  Attempt attempt;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
  }
};
struct PreparedReport {  // the Prolog of this attempt has succeeded
  JobId job;
  Attempt attempt;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
  }
};
// A process of the job asks for something. slurmd has made sure that it belongs to the job.
struct JobAskReport {
  std::uint64_t ask = 0;  // chosen by slurmd; the answer names it
  JobId job;
  Attempt attempt;
  JobAsk what = JobAsk::extend_grace;
  Seconds by{0};
  template <class V>
  void fields(V& v) {
    v(1, ask);
    v(2, job);
    v(3, attempt);
    v(4, what);
    v(5, by);
  }
};
using Report = std::variant<RegisterReport, HeartbeatReport, StepEndReport, JobGoneReport,
                            LeavingReport, PrologFailedReport, PreparedReport, JobAskReport>;
struct ReportBatch {
  std::vector<Report> reports;
  template <class V>
  void fields(V& v) {
    v(1, reports);
  }
};

}  // namespace muster::wire

MUSTER_DECLARE_CODEC(muster::wire::OrderBatch)
MUSTER_DECLARE_CODEC(muster::wire::ReportBatch)
