// Triggers: watches for what triggers wait for, and starts their programs (see model/trigger.h).
// Triggers are in the state; what happened while slurmctld was away is not noticed afterwards.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "controller/ledger/ledger.h"
#include "wire/triggers.h"

namespace muster::controller {

class Triggers {
 public:
  explicit Triggers(Ledger& ledger) : ledger_(ledger) {}

  wire::Answer set(Caller caller, Trigger trigger);
  wire::Answer clear(Caller caller, const wire::ClearTriggersRequest& request);

  void recover();  // this controller has taken over
  void look();     // at nodes that have changed
  void tick();     // time passes: limits, ends of jobs, idle nodes, programs that are due
  void pull(TriggerEvent event);  // one that concerns no job and no node
  void on_clock_step(Millis by);

 private:
  struct NodeMarks {
    bool down = false, drained = false, fail = false;
  };
  static NodeMarks marks_of(const Node& node);
  Result<void> check(Caller caller, const Trigger& trigger) const;
  Result<void> check_place(const Trigger& trigger) const;
  bool may_set(Caller caller, const Trigger& trigger) const;
  void pull(TriggerEvent event, const std::set<NodeId>& nodes);
  void pull_by_nodes(Trigger trigger, const std::set<NodeId>& nodes);
  void tick_one(Trigger trigger);
  std::set<NodeId> nodes_of(const Trigger& trigger, const std::set<NodeId>& among) const;
  std::set<NodeId> nodes_idle_for(const Trigger& trigger, Time seen) const;
  void await_program(Trigger trigger, Time due, Text about);
  void fire(Trigger trigger);
  void remove(const Trigger& trigger);

  Ledger& ledger_;
  std::map<NodeId, NodeMarks> marks_;        // as of the last look
  std::map<std::uint32_t, Time> idle_seen_;  // of permanent idle triggers: looked at until then
};

}  // namespace muster::controller
