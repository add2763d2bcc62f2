// Host: what the controller's core asks of the world. The daemon answers with sockets, threads and
// SQLite, the simulator with virtual ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/changes.h"
#include "base/containers/secret.h"
#include "base/ids.h"
#include "base/log_entry.h"
#include "base/time.h"
#include "controller/effects/outgoing.h"
#include "model/cluster.h"
#include "sched/plan.h"
#include "state/store.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Where a reply goes: a client's connection and the number of its request there.
struct ReplyTo {
  std::uint64_t connection = 0;
  std::uint64_t request = 0;
  bool closes_after_reply = false;  // it asks nothing else
};

using NodeConnection = std::uint64_t;  // 0 = none

// Usage of a node as last heard; never journalled.
struct NodeLoad {
  double cpu_load = -1;
  std::uint64_t free_memory_mib = 0;
  Time last_contact;
};

// What readers are answered from: the last committed state and what the scheduler thought of it.
struct Published {
  Cluster cluster;
  std::shared_ptr<const sched::Plan>
      plan;  // shared: readers keep the plan their snapshot came with
  std::shared_ptr<const std::map<NodeId, NodeLoad>> loads;
  Time at;  // of the plan
  std::shared_ptr<const sched::Plan>
      thorough;  // the last one that looked at the whole queue, where `plan` did not
};

class Host {
 public:
  virtual ~Host() = default;

  // Makes the batch durable, then calls Core::on_committed, until when the batch stays. One at a
  // time.
  virtual void commit(const Batch& batch) = 0;
  virtual void publish(Published published) = 0;
  // Accounting is to be told of a committed batch, some time.
  virtual void account(accounting::AccountingPortion portion) = 0;
  virtual void reply(ReplyTo to, wire::Answer answer) = 0;
  virtual void send(NodeConnection to, Epoch epoch, std::vector<OutgoingOrder> orders) = 0;
  // Plans on this state and calls Core::on_planned, which may be before it returns, then
  // Core::on_planner_idle once it takes another.
  virtual void start_planning(Cluster cluster, Time now, sched::Budget budget) = 0;
  // Does something long for a user's request without keeping anybody else waiting, then calls
  // `done` with the result, as a delivery. Does neither if the client is gone or has too much of
  // this under way, which it is told.
  virtual void run_aside(ReplyTo to, Uid user, std::function<wire::Answer()> work,
                         std::function<void(wire::Answer)> done) {
    (void)to, (void)user;
    done(work());
  }
  // A secret for this step of this run: a client that knows it may attach to the step. No other
  // step ever has the same, even if ids start over.
  virtual Secret step_key(const Job& job, StepId step) = 0;
  // Names of the user's groups, for partitions that list some.
  virtual std::vector<std::string> groups_of(Uid user) = 0;
  virtual bool is_user(std::string_view name) = 0;
  // Names of the group's users; nothing where there is no such group.
  virtual std::optional<std::vector<std::string>> users_of_group(std::string_view group) = 0;
  // Starts it and calls Core::on_program_ended when it is over.
  virtual void run_program(SiteProgramRun run) = 0;
  // Something has happened, and is durable.
  virtual void log_event(LogEntry) {}
  virtual void log(std::string_view line) = 0;
  virtual void log_error(std::string_view line) = 0;
};

}  // namespace muster::controller
