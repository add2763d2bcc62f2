// Host: what the core needs from the world around it. The daemon implements it with sockets,
// threads and SQLite, the simulator with fakes.
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
#include "base/time.h"
#include "controller/effects/outgoing.h"
#include "model/cluster.h"
#include "sched/plan.h"
#include "state/store.h"
#include "wire/client_messages.h"

namespace muster::controller {

// The address of a reply: a client's connection, and the number of its request.
struct ReplyTo {
  std::uint64_t connection = 0;
  std::uint64_t request = 0;
  bool closes_after_reply = false;  // the client asks nothing else
};

using NodeConnection = std::uint64_t;  // 0 = none

// Load of a node as last reported; not journalled.
struct NodeLoad {
  double cpu_load = -1;
  std::uint64_t free_memory_mib = 0;
  Time last_contact;
};

// What readers are answered from: the last committed state, and the scheduler's last plans.
struct Published {
  Cluster cluster;
  std::shared_ptr<const sched::Plan> plan;  // shared: readers keep the plan of their snapshot
  std::shared_ptr<const std::map<NodeId, NodeLoad>> loads;
  Time at;  // the time of the plan
  std::shared_ptr<const sched::Plan>
      thorough;  // the last plan that looked at the whole queue, if `plan` did not
};

class Host {
 public:
  virtual ~Host() = default;

  // Makes the batch durable, then calls Core::on_committed; until then the batch stays. One at a
  // time.
  virtual void commit(const Batch& batch) = 0;
  virtual void publish(Published published) = 0;
  // Accounting learns of a committed batch, at some later time.
  virtual void account(accounting::AccountingDelta delta) = 0;
  virtual void reply(ReplyTo to, wire::Answer answer) = 0;
  virtual void send(NodeConnection to, Epoch epoch, std::vector<OutgoingOrder> orders) = 0;
  // Makes a plan for this state and calls Core::on_planned, perhaps before returning; then calls
  // Core::on_planner_idle as soon as it can take another.
  virtual void start_planning(Cluster cluster, Time now, sched::Budget budget) = 0;
  // Does long work for a user's request outside of the core's thread, then calls `done` with the
  // result, as a delivery. If the client has gone or has too much of such work, neither is called,
  // and the client is told.
  virtual void run_aside(ReplyTo to, Uid user, std::function<wire::Answer()> work,
                         std::function<void(wire::Answer)> done) {
    (void)to, (void)user;
    done(work());
  }
  // A secret of this step in this run: a client that knows it may attach to the step. No two steps
  // ever have the same one, even if ids start over.
  virtual Secret step_key(const Job& job, StepId step) = 0;
  // Names of the user's groups, for partitions with AllowGroups.
  virtual std::vector<std::string> groups_of(Uid user) = 0;
  virtual bool is_user(std::string_view name) = 0;
  // Names of the group's users; unset if there is no such group.
  virtual std::optional<std::vector<std::string>> users_of_group(std::string_view group) = 0;
  // Starts the program, and calls Core::on_program_ended when it has ended.
  virtual void run_program(SiteProgramRun run) = 0;
  virtual void log(std::string_view line) = 0;
  virtual void log_error(std::string_view line) = 0;
};

}  // namespace muster::controller
