// What the controller answers.
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
#include "base/containers/secret.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/accounts/accounting_record.h"
#include "model/cluster.h"
#include "model/job/job.h"
#include "model/job/job_spec.h"
#include "model/node/node.h"
#include "model/node/partition.h"
#include "wire/accounts.h"
#include "wire/job_ref.h"
#include "wire/limits.h"
#include "wire/statistics.h"
#include "wire/triggers.h"

namespace muster::wire {

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
// OverSubscribe of a job, on which its partition has an influence.
enum class Sharing : std::uint8_t { ok, no, yes, user, mcs };
std::string_view sharing_name(Sharing sharing);
// A job, with facts about it that are not in the journal.
struct JobView {
  Cow<Job> job;
  Text reason;         // why it waits: "Resources", "Priority", ...
  Text reason_detail;  // "ReqNodeNotAvail, UnavailableNodes:n3": printed instead if set
  Time expected_start;
  Time last_evaluated;
  Text nodes;  // hostlist of its allocation
  Text scheduled_nodes;
  Text batch_host;
  Text dependency;               // as users see it: "afterok:12(unfulfilled)"
  std::vector<Text> node_names;  // parallel to job.allocation
  std::uint32_t spec_place = 0;  // position in JobsReply::specs, from 1; 0 = the job holds its own
  Sharing sharing = Sharing::ok;
  std::optional<std::uint64_t> billing;  // by TRESBillingWeights; unset = its CPUs
  Time preemptable_since;                // unset = it has not started, or can never be preempted
  // The job's request; not in a brief view of a job that has its nodes.
  std::uint64_t requested_cpus = 0;
  Text requested_tres;
  std::uint32_t least_nodes = 0;  // as many as its tasks need, while it waits; 0 = not counted
  std::vector<std::uint32_t> partition_priorities;  // if it waits for several partitions

  // A job that is held or waits for others has no eligible time, unless it asked for a begin time.
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
    v(12, requested_cpus);
    v(13, requested_tres);
    v(110, sharing);
    v(140, billing);
    v(320, preemptable_since);
    v(382, least_nodes);
    v(383, partition_priorities);
  }
};
// Jobs of a long queue often share a specification, so each is sent once. The receiver puts it back
// into every job.
struct JobsReply {
  Time now;
  std::vector<JobView> jobs;
  std::vector<Cow<JobSpec>> specs;
  std::uint32_t at_most = 0;   // so many jobs come in all parts together
  std::string lines;           // Detail::least: these and no jobs, see wire/job_line.h
  bool hides_nothing = false;  // which jobs to leave out is not for this user: PrivateData
  template <class V>
  void fields(V& v) {
    v(1, now);
    v(2, jobs);
    v(3, specs);
    v(4, at_most);
    v(5, lines);
    v(6, hides_nothing);
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
  Text owner;  // "alice(1000)": the only user whose jobs may use the node; empty = no such user
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, cpu_load);
    v(3, free_memory_mib);
    v(4, free_memory_known);
    v(5, last_contact);
    v(6, partitions);
    v(7, owner);
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
// Ids that could not be cancelled, one entry each; the others were cancelled.
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
  JobId job;  // the component that the node belongs to
  Attempt attempt;
  Secret key;  // proves to the step that this srun is its owner
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
  std::vector<StepPlace> places;  // of all its components
  std::uint32_t num_tasks = 0;
  std::vector<std::uint32_t> part_tasks;  // of each command, if there are several
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
  std::vector<AccountingRow> rows;  // in printing order
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
  std::vector<std::pair<Text, Text>> node_cores;  // of nodes that it has only in part: "n1", "0-3"
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
  std::int32_t nice = 0, site = 0;
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
    v(16, site);
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

// One account or user, after its parent and before its children.
struct ShareView {
  AssociationKey key;
  std::uint32_t depth = 0;  // 0 = root
  std::uint32_t shares = 1;
  bool shares_of_parent = false;
  double shares_norm = 0, usage_raw = 0, usage_norm = 0, usage_effective = 0;
  double factor = 0;                              // for users
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
  std::uint32_t position = 0;  // 1 = the next in line, 0 = not in line
  // Users of the jobs ahead, those with the most jobs first.
  std::vector<std::pair<Text, std::uint32_t>> ahead;
  std::vector<Suggestion> sooner;
  bool tried_all = true;  // false: there was no time for more suggestions
  Text because;           // why it waits, or what became of it, as a sentence
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
  std::vector<Explanation> jobs;  // one for each task or component
  std::uint32_t left_out = 0;     // the number of jobs that are not in the list
  template <class V>
  void fields(V& v) {
    v(1, now);
    v(2, jobs);
    v(3, left_out);
  }
};

struct ClaimNodeReply {
  Text name;
  template <class V>
  void fields(V& v) {
    v(1, name);
  }
};

// scontrol notify: sent to the command that keeps an allocation, in between the answers it waits
// for.
struct Notice {
  Text text;
  template <class V>
  void fields(V& v) {
    v(1, text);
  }
};

using Answer =
    std::variant<Error, Done, PingReply, SubmitReply, JobsReply, NodesReply, PartitionsReply,
                 ConfigReply, CancelReply, StepReply, AccountingReply, BatchScriptReply,
                 ReservationsReply, PrioritiesReply, BroadcastReply, TopologyReply, SharesReply,
                 ExplainReply, ClaimNodeReply, Notice, AccountsReply, StatisticsReply,
                 TriggersReply, LimitsReply, BudgetReply>;

}  // namespace muster::wire
