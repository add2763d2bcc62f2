// Planner: makes one plan. It walks through the queue in order of priority (planner.cc) and starts
// each job that fits (planner_start.cc). Any other job is promised a time and gets the reason why
// it waits (planner_promise.cc).
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
#include "sched/limits/permission.h"
#include "sched/plan.h"
#include "sched/preempt/preemptor.h"
#include "sched/priority/priority.h"
#include "sched/timeline/license_book.h"
#include "sched/timeline/profile.h"
#include "sched/timeline/shape.h"
#include "sched/timeline/together.h"

namespace muster::sched {

using ShapeKey = std::pair<const Shape*, Minutes>;  // jobs with equal keys are interchangeable

// Assumptions of a trial plan.
struct WhatIf {
  std::set<JobId> gone;               // jobs that count as gone
  std::vector<Start> started;         // starts that count as made
  std::set<JobId> no_preemption_for;  // no job is preempted for these ...
  bool no_preemption = false;         // ... nor for any other
};

class Planner {
 public:
  // The cache's node index must be up to date with this cluster.
  Planner(const Cluster& cluster, Time now, Budget budget, PlannerCache& cache,
          const WhatIf& what_if)
      : cluster_(cluster),
        now_(now),
        budget_(budget),
        cache_(cache),
        what_if_(what_if),
        profile_(cluster, now, cache.nodes, cache.scratch),
        licenses_(cluster, now, what_if.gone),
        preemptor_(cluster, profile_, licenses_, now, budget.max_probes, what_if.gone),
        shapes_(cluster, now, cache.nodes, profile_.has_private_nodes()),
        priorities_(cluster, now),
        limits_(cluster, now, &priorities_.fair_shares(), what_if.gone),
        permissions_(cluster),
        accruals_(cluster, now) {
    plan_.thorough = budget.thorough;
    if (what_if.gone.empty()) return;
    without_.emplace(profile_);
    for (JobId id : what_if.gone) without_->release(cluster.jobs.at(id));
  }

  Plan run();

 private:
  // --- the queue ---
  const Partition* partition_at(std::uint32_t place) const;
  bool nobody_can_start();
  bool nothing_is_free(const Partition& partition);
  void explain_deferred();
  void finish();
  void wait(const Job& job, Reason reason, Text detail = {});
  void all_wait(const JobGroup& group, Reason reason, const Text& detail = {});
  bool exhausted() const;
  void consider(const Job& job, const StartTarget& target);
  bool admit(const Job& job, const StartTarget& target, JobGroup& group);
  bool waits_for_completing_jobs(const Partition& partition);
  bool admit_in_some_partition(const Job& component, JobGroup& group);
  StartTarget target_for(const Job& job, const Partition* partition) const;
  void others_wait_for(const Job& kept_back);
  void consider_tasks(const Job& record, const Shape& shape);
  bool is_throttled(const Job& record);

  // --- starts ---
  void repeat(const Start& start);
  Minutes limit_of(const Job& job, const Shape& shape) const;
  bool has_licenses(const JobGroup& group, Time from) const;
  static std::vector<ShapeKey> shape_keys_of(const JobGroup& group);
  static PlannedRun run_of(const GroupMember& m, const std::vector<NodeShare>& shares);
  LimitHit limit_exceeded_before_placing(const JobGroup& group);
  const Amounts& least_of(const Shape& shape);
  void set_aside(const Job& job, const LimitScopeKey& full, const Text& words);
  Text limit_exceeded_by(const JobGroup& group, const GroupSlot& slot) const;
  Reason try_together(JobGroup& group, std::optional<std::uint32_t> task);
  std::optional<GroupSlot> place_shorter(JobGroup& one);
  void start(const GroupMember& m, std::optional<std::uint32_t> task, std::vector<NodeShare> shares,
             const std::vector<JobId>& suspends);

  // --- jobs that wait ---
  void on_blocked(const JobGroup& group, Reason reason);
  bool may_reserve(const JobGroup& group) const;
  bool may_promise_idly(std::uint64_t nodes) const;
  bool can_be_promised(const JobGroup& group);
  bool has_promise(const JobGroup& group) const;
  const std::vector<NodeId>& waits_on(const Shape& shape) const;
  void stand_in_line(const Shape& shape);
  bool someone_waits_on(const Shape& shape);
  void block_nodes_of(const JobGroup& group);
  void explain(const GroupMember& member, bool first_here);
  bool enough_are_up(const Shape& shape) const;
  std::string kept_by_reservations(const GroupMember& member);
  bool blocked_everywhere(const Partition& partition);
  void promise(const JobGroup& group);
  std::optional<GroupSlot> earliest_slot(const JobGroup& group, Time from);
  std::optional<Time> limit_until(const JobGroup& group, const GroupSlot& slot) const;
  void keep(const JobGroup& group, const GroupSlot& slot, Time at);
  bool preemption_allowed(const JobGroup& group) const;
  bool preempt_for(const JobGroup& group);

  const Cluster& cluster_;
  Time now_;
  Budget budget_;
  PlannerCache& cache_;
  const WhatIf& what_if_;
  Profile profile_;
  LicenseBook licenses_;
  Preemptor preemptor_;
  Plan plan_;
  Shapes shapes_;
  Priorities priorities_;
  LimitBook limits_;
  Text limit_hit_;                          // by the group that was tried last
  std::set<std::vector<ShapeKey>> failed_;  // what did not fit once will not fit later in this plan
  std::map<const Shape*, Amounts> least_;   // what jobs of the shape hold at least
  std::map<std::vector<ShapeKey>, Time> not_before_;
  std::set<JobId> settled_, promised_;
  std::optional<std::set<Text>>
      completing_partitions_;             // CompleteWait: partitions where nothing starts yet
  std::set<const Partition*> stopped_;    // assoc_limit_stop: closed behind a job at its limit
  std::map<JobId, IdSet> started_tasks_;  // by array record
  std::optional<std::map<JobId, std::uint32_t>> running_tasks_;  // by array; filled when needed
  std::set<const Shape*> in_line_;                               // some job with this shape waits
  std::set<const std::vector<NodeId>*> lines_;          // the node lists that such jobs wait for
  std::set<const std::vector<NodeId>*> spread_out_;     // the lists that are already merged into:
  std::vector<bool> waited_on_;                         // by node id
  std::map<const Partition*, std::size_t> first_free_;  // index of the first node with free CPUs
  std::map<const Partition*, std::pair<std::size_t, bool>> fully_blocked_;
  Permissions permissions_;
  Accruals accruals_;
  std::optional<Profile::Trial> without_;  // removes WhatIf::gone from the profile
};

}  // namespace muster::sched
