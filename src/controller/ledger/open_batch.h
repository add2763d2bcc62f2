// OpenBatch: the events that wait for the next commit, and what leaves once they are durable.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "accounting/changes.h"
#include "base/log_entry.h"
#include "base/text/idset.h"
#include "controller/ledger/host.h"
#include "controller/ledger/job_counts.h"
#include "model/cluster.h"
#include "state/store.h"

namespace muster::controller {

struct OpenBatch {
  std::vector<std::string> events;
  std::vector<std::pair<std::string, std::string>> blobs;
  std::vector<std::pair<ReplyTo, wire::Answer>> replies;
  std::vector<std::pair<NodeId, wire::Order>> orders;
  std::set<NodeId> touched_nodes;
  accounting::AccountingChanges changes;
  IdSet changed_jobs;  // all jobs that an event names
  std::vector<SiteProgramRun> programs;
  std::vector<LogEntry> log;
  // How many of the replies go to clients that also wait for a plan.
  std::size_t replies_awaiting_plan = 0;
  bool plan_seen = false;  // their plan has been made

  bool empty() const {
    return events.empty() && replies.empty() && orders.empty() && touched_nodes.empty() &&
           programs.empty();
  }
  // If clients wait for an answer together with a start, the batch is committed together with that
  // start: one commit instead of two. It waits for one plan, and only if no other client waits.
  bool only_awaits_plan() const {
    return !plan_seen && replies_awaiting_plan > 0 && replies.size() == replies_awaiting_plan &&
           orders.empty();
  }
};

// A position in the open batch.
struct OpenMark {
  std::size_t events, blobs, replies, orders, programs, log, replies_awaiting_plan;
  JobCounter job_counts;
};

// A sealed batch. It stays whole until its commit has succeeded: a full disk makes it try again.
// Then it stays until all of the rest has left: memory may run out on the way.
struct Flight {
  Batch batch;
  OpenBatch rest;
  Cluster cluster;  // the state as of this batch
  std::size_t replies_sent = 0, programs_run = 0;
};
static_assert(std::is_nothrow_move_constructible_v<Flight>);

}  // namespace muster::controller
