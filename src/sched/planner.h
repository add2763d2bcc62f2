// One plan in the making: through the queue in the order of priority (planner.cc), each job started
// where it fits (planner_start.cc), or else promised a time, with the reason why it waits
// (planner_promise.cc).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/gate/gate.h"
#include "sched/limits/accrual.h"
#include "sched/limits/limits.h"
#include "sched/plan.h"
#include "sched/preempt/make_room.h"
#include "sched/priority/priority.h"
#include "sched/timeline/license_book.h"
#include "sched/timeline/profile.h"
#include "sched/timeline/shape.h"
#include "sched/timeline/together.h"

namespace muster::sched {

using Form = std::pair<const Shape*, Minutes>;  // jobs of the same form are alike to the plan

// How a plan is made that tries something out.
struct WhatIf {
  std::set<JobId> gone;             // these have left already
  std::vector<Start> started;       // these are under way
  std::set<JobId> displace_nobody;  // nobody makes room for these
  bool all_stay = false;            // ... nor for anybody
};

class Planner {
 public:
  // The memory's index speaks of this cluster.
  Planner(const Cluster& cluster, Time now, Budget budget, PlanMemory& memory,
          const WhatIf& what_if)
      : cluster_(cluster),
        now_(now),
        budget_(budget),
        memory_(memory),
        what_if_(what_if),
        profile_(cluster, now, memory.nodes, memory.notes),
        licenses_(cluster, now, what_if.gone),
        rooms_(cluster, profile_, licenses_, now, budget.max_questions, what_if.gone),
        shapes_(cluster, now, memory.nodes, profile_.has_private_nodes()),
        priorities_(cluster, now),
        limits_(cluster, now, &priorities_.fair_shares(), what_if.gone),
        accruals_(cluster, now) {
    plan_.thorough = budget.thorough;
    if (what_if.gone.empty()) return;
    without_.emplace(profile_);
    for (JobId id : what_if.gone) without_->vacate(cluster.jobs.at(id));
  }

  Plan run();

 private:
  // --- the queue ---
  const Partition* partition_at(std::uint32_t place) const;
  bool nobody_can_start();
  bool nothing_is_free(const Partition& partition);
  void tell_of_deferred();
  void finish();
  void wait(const Job& job, Reason reason, Text detail = {});
  void all_wait(const Members& members, Reason reason, const Text& detail = {});
  bool exhausted() const;
  void consider(const Job& job, const Venue& venue);
  bool admit(const Job& job, const Venue& venue, Members& members);
  bool settles(const Partition& partition);
  bool admit_in_some_partition(const Job& component, Members& members);
  Venue venue_of(const Job& job, std::string_view partition) const;
  void others_wait_for(const Job& kept_back);
  void consider_tasks(const Job& record, const Shape& shape);
  bool is_throttled(const Job& record);

  // --- starts ---
  void repeat(const Start& start);
  Minutes limit_of(const Job& job, const Shape& shape) const;
  bool has_licenses(const Members& members, Time from) const;
  static std::vector<Form> form_of(const Members& members);
  static PlannedRun run_of(const Member& m, const std::vector<NodeShare>& shares);
  LimitHit limit_before_placing(const Members& members) const;
  void set_aside(const Job& job, const UseKey& full);
  Text limit_in_the_way(const Members& members, const JointSlot& slot) const;
  Reason try_together(Members& members, std::optional<std::uint32_t> task);
  std::optional<JointSlot> place_shorter(Members& one);
  void start(const Member& m, std::optional<std::uint32_t> task, std::vector<NodeShare> shares,
             const std::vector<JobId>& displaces);

  // --- those who wait ---
  void blocked(const Members& members, Reason reason);
  bool may_reserve(const Members& members) const;
  bool may_promise_idly(std::uint64_t nodes) const;
  bool can_be_promised(const Members& members);
  bool has_promise(const Members& members) const;
  const std::vector<NodeId>& waits_on(const Shape& shape) const;
  void stand_in_line(const Shape& shape);
  bool someone_waits_on(const Shape& shape);
  void bar(const Members& members);
  void explain(const Member& member, bool first_here);
  bool enough_are_up(const Shape& shape) const;
  std::string kept_by_reservations(const Member& member);
  bool blocked_everywhere(const Partition& partition);
  void promise(const Members& members);
  std::optional<JointSlot> earliest_slot(const Members& members, Time from);
  std::optional<Time> limit_until(const Members& members, const JointSlot& slot) const;
  void keep(const Members& members, const JointSlot& slot, Time at);
  bool may_displace(const Members& members) const;
  bool preempt_for(const Members& members);

  const Cluster& cluster_;
  Time now_;
  Budget budget_;
  PlanMemory& memory_;
  const WhatIf& what_if_;
  Profile profile_;
  LicenseBook licenses_;
  RoomMaker rooms_;
  Plan plan_;
  Shapes shapes_;
  Priorities priorities_;
  LimitBook limits_;
  Text limit_hit_;                      // by those that were tried last
  std::set<std::vector<Form>> failed_;  // what does not fit now never will in this plan
  std::map<std::vector<Form>, Time> not_before_;
  std::set<JobId> settled_, promised_;
  std::optional<std::set<Text>> settling_;  // partitions where nothing starts yet
  std::set<const Partition*> stopped_;      // assoc_limit_stop: ... nor anything behind a limit
  std::map<JobId, IdSet> started_tasks_;    // of arrays
  std::optional<std::map<JobId, std::uint32_t>> running_tasks_;  // by array, once one is throttled
  std::set<const Shape*> in_line_;                               // somebody waits with this shape
  std::set<const std::vector<NodeId>*> lines_;                   // ... for these nodes
  std::set<const std::vector<NodeId>*> spread_out_;              // of the lines: they are in
  std::vector<bool> waited_on_;                                  // by node id
  std::map<const Partition*, std::size_t> first_free_;  // where the nodes with free CPUs begin
  std::map<const Partition*, std::pair<std::size_t, bool>> fully_barred_;
  Accruals accruals_;
  std::optional<Profile::Trial> without_;  // those who have gone
};

}  // namespace muster::sched
