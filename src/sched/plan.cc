#include "sched/plan.h"

#include <algorithm>
#include <set>

#include "base/duration.h"
#include "base/hostlist.h"
#include "base/strings.h"
#include "sched/dependency.h"
#include "sched/place.h"
#include "sched/request.h"

namespace muster::sched {

namespace {

class Planner {
 public:
  Planner(const Cluster& cluster, Time now, Budget budget)
      : cluster_(cluster), now_(now), budget_(budget) {
    cluster_.nodes.each([&](const Node& node) {
      if (is_available(node)) free_[node.id] = free_of(node);
    });
  }

  Plan run() {
    for (const Job* job : in_order()) consider(*job);
    std::sort(plan_.waits.begin(), plan_.waits.end(),
              [](const Wait& a, const Wait& b) { return a.job < b.job; });
    return std::move(plan_);
  }

 private:
  // Higher partition tier first, then priority, then age.
  std::vector<const Job*> in_order() const {
    std::vector<std::pair<std::uint32_t, const Job*>> jobs;
    for (const IdSet::Range& range : cluster_.pending.ranges())
      for (std::uint64_t id = range.first; id <= range.last; ++id) {
        const Job& job = cluster_.jobs.at(JobId{static_cast<std::uint32_t>(id)});
        const Partition* partition = partition_of(job);
        jobs.emplace_back(partition ? partition->priority_tier : 0, &job);
      }
    std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first > b.first;
      return a.second->priority > b.second->priority;
    });
    std::vector<const Job*> ordered;
    ordered.reserve(jobs.size());
    for (const auto& [tier, job] : jobs) ordered.push_back(job);
    return ordered;
  }

  // Jobs come in runs of the same partition.
  const Partition* partition_of(const Job& job) const {
    if (last_partition_ && last_partition_->name == job.partition) return last_partition_;
    return last_partition_ = cluster_.find_partition(job.partition);
  }

  void wait(const Job& job, Reason reason, Text detail = {}) {
    plan_.waits.push_back({job.id, reason, std::move(detail)});
  }

  void consider(const Job& job) {
    if (job.hold != Hold::none)
      return wait(job, job.hold == Hold::user ? Reason::held_user : Reason::held_admin);
    const Partition* partition = partition_of(job);
    if (!partition || partition->state == PartitionState::inactive)
      return wait(job, Reason::partition_inactive);
    if (!job.spec->dependency.empty() && !dependency_allows(job)) return;
    if (job.eligible > now_) return wait(job, Reason::begin_time);
    if (partition->state == PartitionState::down) return wait(job, Reason::partition_down);
    if (partition->max_time && job.time_limit > *partition->max_time)
      return wait(job, Reason::partition_time_limit);
    if (job.spec->min_nodes > partition->nodes.size()) return wait(job, Reason::partition_config);
    if (blocked_everywhere(*partition)) return wait(job, Reason::priority);
    if (plan_.starts.size() >= budget_.max_starts || placements_ >= budget_.max_placements) {
      plan_.complete = false;
      return wait(job, Reason::priority);
    }
    auto request = make_request(cluster_, *job.spec, *partition);
    if (!request) return wait(job, Reason::bad_constraints);
    if (exceeds_partition(*request, *partition)) return wait(job, Reason::partition_config);
    place_job(job, *request, *partition);
  }

  bool exceeds_partition(const Request& request, const Partition& partition) const {
    if (request.min_nodes > partition.nodes.size()) return true;
    if (partition.max_nodes && request.min_nodes > *partition.max_nodes) return true;
    return request.max_nodes < partition.min_nodes;
  }

  // Array tasks with aftercorr are asked one by one in place_job.
  bool dependency_allows(const Job& job) {
    auto dependencies = parse_dependencies(job.spec->dependency);
    if (!dependencies) {
      wait(job, Reason::bad_constraints);
      return false;
    }
    if (job.is_array_record() && corresponds(*dependencies)) return true;
    switch (fulfilment(cluster_, job, *dependencies, std::nullopt, now_)) {
      case Fulfilment::met:
        return true;
      case Fulfilment::waiting:
        wait(job, Reason::dependency);
        return false;
      case Fulfilment::never:
        wait(job, Reason::dependency_never_satisfied);
        plan_.hopeless.push_back(job.id);
        return false;
    }
    return false;
  }

  static bool corresponds(const Dependencies& d) {
    return std::any_of(d.conditions.begin(), d.conditions.end(),
                       [](const Condition& c) { return c.kind == DependencyKind::after_corr; });
  }

  // Nodes on which an earlier job waits are not for later ones.
  bool blocked_everywhere(const Partition& partition) {
    if (reserved_.empty()) return false;
    auto [at, fresh] = fully_blocked_.try_emplace(partition.name, std::pair{std::size_t{0}, false});
    if (at->second.first == reserved_.size()) return at->second.second;
    bool all = std::all_of(partition.nodes.begin(), partition.nodes.end(), [&](NodeId id) {
      return reserved_.contains(id) || !free_.contains(id);
    });
    at->second = {reserved_.size(), all};
    return all;
  }

  void place_job(const Job& job, const Request& request, const Partition& partition) {
    std::vector<NodeId> all = candidates(cluster_, request, partition);
    std::vector<NodeId> open;
    for (NodeId id : all)
      if (!reserved_.contains(id)) open.push_back(id);

    if (!job.is_array_record()) {
      ++placements_;
      auto shares = place(cluster_, request, open, free_);
      if (!shares) return blocked(job, request, all, open);
      return start(job, std::nullopt, partition, std::move(*shares));
    }
    auto dependencies = parse_dependencies(job.spec->dependency);
    bool one_by_one = !job.spec->dependency.empty() && dependencies && corresponds(*dependencies);
    std::uint32_t running = job.task_limit ? running_tasks(job) : 0;
    bool some_wait = false;
    for (std::uint32_t task : job.waiting_tasks.first(budget_.max_starts).ids()) {
      if (job.task_limit && running >= job.task_limit) return wait(job, Reason::array_task_limit);
      if (plan_.starts.size() >= budget_.max_starts) {
        plan_.complete = false;
        return wait(job, Reason::none);
      }
      if (one_by_one && fulfilment(cluster_, job, *dependencies, task, now_) != Fulfilment::met) {
        some_wait = true;
        continue;
      }
      ++placements_;
      auto shares = place(cluster_, request, open, free_);
      if (!shares) return blocked(job, request, all, open);
      start(job, task, partition, std::move(*shares));
      ++running;
    }
    if (job.waiting_tasks.size() > budget_.max_starts) {
      plan_.complete = false;
      return wait(job, Reason::none);
    }
    if (some_wait) wait(job, Reason::dependency);
  }

  std::uint32_t running_tasks(const Job& record) const {
    std::uint32_t n = 0;
    for (std::uint32_t id : cluster_.active.ids()) {
      const Job& job = cluster_.jobs.at(JobId{id});
      if (job.array_id == record.array_id && is_active(job.state)) ++n;
    }
    // A task with a record of its own may still wait, or have been started by this plan.
    for (const Start& s : plan_.starts)
      if (cluster_.jobs.at(s.job).array_id == record.array_id) ++n;
    return n;
  }

  void start(const Job& job, std::optional<std::uint32_t> task, const Partition& partition,
             std::vector<NodeShare> shares) {
    for (const NodeShare& share : shares) take(free_.at(share.node), share);
    plan_.starts.push_back({job.id, task, partition.name, std::move(shares)});
  }

  void blocked(const Job& job, const Request& request, const std::vector<NodeId>& all,
               const std::vector<NodeId>& open) {
    bool behind_others = open.size() < all.size() && fits_without_reservations(request, all);
    std::vector<std::string> unavailable;
    for (NodeId id : request.required_nodes)
      if (!free_.contains(id)) unavailable.push_back(cluster_.nodes.at(id).config.name.str());
    // A job that names all its nodes stands in nobody's way elsewhere.
    bool names_all = request.required_nodes.size() >= request.max_nodes;
    for (NodeId id : names_all ? request.required_nodes : all) reserved_.insert(id);
    if (!unavailable.empty())
      return wait(job, Reason::required_node_not_available,
                  "ReqNodeNotAvail, UnavailableNodes:" + compress_hostlist_sorted(unavailable));
    bool any_up =
        std::any_of(all.begin(), all.end(), [&](NodeId id) { return free_.contains(id); });
    if (!any_up) return wait(job, Reason::nodes_down);
    wait(job, behind_others || open.empty() ? Reason::priority : Reason::resources);
  }

  bool fits_without_reservations(const Request& request, const std::vector<NodeId>& all) const {
    return place(cluster_, request, all, free_).has_value();
  }

  const Cluster& cluster_;
  Time now_;
  Budget budget_;
  Plan plan_;
  std::map<NodeId, Free> free_;  // of available nodes, less what this plan starts
  std::set<NodeId> reserved_;    // where an earlier job waits
  std::map<Text, std::pair<std::size_t, bool>>
      fully_blocked_;  // by size of reserved_ when last asked
  std::uint32_t placements_ = 0;
  mutable const Partition* last_partition_ = nullptr;
};

}  // namespace

Plan plan(const Cluster& cluster, Time now, Budget budget) {
  return Planner(cluster, now, budget).run();
}

const Wait* find_wait(const Plan& plan, JobId job) {
  auto at = std::lower_bound(plan.waits.begin(), plan.waits.end(), job,
                             [](const Wait& w, JobId id) { return w.job < id; });
  return at != plan.waits.end() && at->job == job ? &*at : nullptr;
}

}  // namespace muster::sched
