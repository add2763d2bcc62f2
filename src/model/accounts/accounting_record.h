// accounting_record: what accounting keeps about jobs, steps, nodes out of service, the size of the
// cluster, and reservations. A record replaces the row with the same key, so delivering it twice
// does no harm.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/accounts/qos.h"
#include "model/job/job_state.h"
#include "model/job/step.h"

namespace muster {

struct StepRecord {
  JobId job;
  Attempt attempt;
  StepId step;
  Text name, state_text;  // "COMPLETED", "CANCELLED"
  JobState state = JobState::running;
  Uid cancelled_by;
  std::uint32_t num_tasks = 0, num_cpus = 0, num_nodes = 0;
  Text nodes, tres;  // hostlist; accounting text
  Time started, ended;
  Millis suspended{};
  std::uint32_t exit_status = 0;
  Usage usage;
  Text submit_line;
  std::map<NodeId, Text> usage_nodes;  // names of the nodes that `usage` refers to
  bool operator==(const StepRecord&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, step);
    v(4, name);
    v(5, state_text);
    v(6, state);
    v(7, cancelled_by);
    v(8, num_tasks);
    v(9, num_cpus);
    v(10, num_nodes);
    v(11, nodes);
    v(12, tres);
    v(13, started);
    v(14, ended);
    v(15, suspended);
    v(16, exit_status);
    v(17, usage);
    v(19, submit_line);
    v(40, usage_nodes);
  }
};

// Key: (job, attempt). A pending job has attempt = the run it waits for.
struct JobRecord {
  JobId job;
  Attempt attempt;
  JobId array_id;
  std::uint32_t task_id = kNoTask;
  Text waiting_tasks;  // "0-5%2" of an array record
  Text name, partition, account, qos, user_name, group_name, wckey, work_dir, comment,
      admin_comment, constraints, reservation, submit_line, cluster, flags;
  Uid uid;
  Gid gid;
  JobState state = JobState::pending;
  Text state_text;          // "COMPLETED", "REQUEUED", "CANCELLED by 0", "PREEMPTED"
  bool superseded = false;  // an earlier run of a requeued job: only shown with -D
  Uid cancelled_by;
  Time submitted, eligible, started, ended;
  Millis suspended{};
  Minutes time_limit{};
  std::uint32_t requested_cpus = 0, requested_nodes = 0, allocated_cpus = 0, allocated_nodes = 0;
  Text requested_memory;  // "100M", "16000M"
  Text nodes, requested_tres, allocated_tres;
  std::uint32_t exit_status = 0, derived_exit_status = 0;
  std::uint32_t priority = 0;
  std::uint32_t restarts = 0;
  Text reason;
  JobId het_id;  // id of the first component
  std::uint32_t het_offset = 0;
  // --chunk: of the earlier pieces, and when the first one started
  std::uint32_t earlier_pieces = 0;
  Millis earlier_run_time{};
  Time first_started;
  bool operator==(const JobRecord&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, array_id);
    v(4, task_id);
    v(5, waiting_tasks);
    v(6, name);
    v(7, partition);
    v(8, account);
    v(9, qos);
    v(10, user_name);
    v(11, group_name);
    v(12, wckey);
    v(13, work_dir);
    v(14, comment);
    v(15, admin_comment);
    v(16, constraints);
    v(17, reservation);
    v(18, submit_line);
    v(19, cluster);
    v(20, flags);
    v(21, uid);
    v(22, gid);
    v(23, state);
    v(24, state_text);
    v(25, superseded);
    v(26, cancelled_by);
    v(27, submitted);
    v(28, eligible);
    v(29, started);
    v(30, ended);
    v(31, suspended);
    v(32, time_limit);
    v(33, requested_cpus);
    v(34, requested_nodes);
    v(35, allocated_cpus);
    v(36, allocated_nodes);
    v(37, requested_memory);
    v(38, nodes);
    v(39, requested_tres);
    v(40, allocated_tres);
    v(41, exit_status);
    v(42, derived_exit_status);
    v(43, priority);
    v(44, restarts);
    v(45, reason);
    v(100, het_id);
    v(101, het_offset);
    v(600, earlier_pieces);
    v(601, earlier_run_time);
    v(602, first_started);
  }
};

// The time that a run was suspended. Key: the run, start. An end without its start ends the one
// that is open.
struct SuspensionRecord {
  JobId job;
  Attempt attempt;
  Time start, end;  // no end: it goes on
  bool operator==(const SuspensionRecord&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, start);
    v(4, end);
  }
};

// What holds from `start` on: a node is out of service, or in service again (no state), or the
// cluster has so many resources. It ends what held before. What holds already is not kept again.
struct EventRecord {
  Text cluster, node;  // no node: of the cluster
  Time start, end;     // the end is the store's to say
  Text state;          // "DOWN", "DRAIN"
  Text reason;
  Uid by;
  Text nodes;  // of the cluster
  TresAmounts tres;
  bool operator==(const EventRecord&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, cluster);
    v(2, node);
    v(3, start);
    v(4, end);
    v(5, state);
    v(6, reason);
    v(7, by);
    v(8, nodes);
    v(9, tres);
  }
};

// Key: cluster, number, start.
struct ReservationRecord {
  Text cluster, name;
  std::uint32_t number = 0;
  Time start, end;
  Text nodes, flags;
  std::vector<Text> users, accounts;
  TresAmounts tres;
  bool gone = false;  // it was removed before it began: its row goes
  bool operator==(const ReservationRecord&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, cluster);
    v(2, name);
    v(3, number);
    v(4, start);
    v(5, end);
    v(6, nodes);
    v(7, flags);
    v(8, users);
    v(9, accounts);
    v(10, tres);
    v(11, gone);
  }
};

using AccountingRecord =
    std::variant<JobRecord, StepRecord, SuspensionRecord, EventRecord, ReservationRecord>;

// One result of a query: a run of a job with its steps, both in printing order.
struct AccountingRow {
  JobRecord job;
  std::vector<StepRecord> steps;
  bool steps_only = false;  // the query was "12.0": the job's own line is not printed
  bool operator==(const AccountingRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, steps);
    v(3, steps_only);
  }
};

}  // namespace muster

MUSTER_DECLARE_CODEC(muster::AccountingRow)
