#include "sched/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/duration.h"
#include "base/hostlist.h"
#include "base/strings.h"
#include "sched/earliest.h"
#include "sched/gate.h"
#include "sched/make_room.h"
#include "sched/preempt.h"
#include "sched/priority.h"
#include "sched/profile.h"
#include "sched/shape.h"

namespace muster::sched {

namespace {

constexpr int kTasksPromised = 10;  // of one array

struct Entry {
  std::uint32_t tier = 0, priority = 0;
  const Job* job = nullptr;
  const Partition* partition = nullptr;
};

class Planner {
 public:
  Planner(const Cluster& cluster, Time now, Budget budget)
      : cluster_(cluster),
        now_(now),
        budget_(budget),
        profile_(cluster, now),
        rooms_(cluster, profile_, now, budget.max_questions),
        shapes_(cluster, now) {
    for (const auto& [name, count] : cluster.settings().licenses) licenses_[name] = count;
    for (std::uint32_t id : cluster.active.ids()) {
      const Job& job = cluster.jobs.at(JobId{id});
      if (job.spec->licenses.empty()) continue;
      if (auto held = parse_licenses(cluster, job.spec->licenses))
        for (const auto& [name, count] : *held) use_license(name, count);
    }
  }

  Plan run() {
    for (const Entry& entry : in_order())
      if (!settled_.contains(entry.job->id)) consider(entry);
    finish();
    return std::move(plan_);
  }

 private:
  // One entry for each partition that a job may use: higher tier first, then priority, then age.
  std::vector<Entry> in_order() const {
    Priorities priorities(cluster_, now_);
    std::vector<Entry> entries;
    const Partition* last = nullptr;
    auto add = [&](const Job& job, std::string_view name) {
      if (!last || last->name != name) last = cluster_.find_partition(name);
      entries.push_back({last ? last->priority_tier : 0, priorities.of(job, last), &job, last});
    };
    for (const IdSet::Range& range : cluster_.pending.ranges())
      for (std::uint64_t id = range.first; id <= range.last; ++id) {
        const Job& job = cluster_.jobs.at(JobId{static_cast<std::uint32_t>(id)});
        for (std::string_view name : split(job.partition, ',')) add(job, name);
      }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      if (a.tier != b.tier) return a.tier > b.tier;
      return a.priority > b.priority;
    });
    return entries;
  }

  // A job with several partitions may have waited in one and started in another.
  void finish() {
    auto by_job = [](const auto& a, const auto& b) { return a.job < b.job; };
    std::stable_sort(plan_.waits.begin(), plan_.waits.end(), by_job);
    auto same = [](const Wait& a, const Wait& b) { return a.job == b.job; };
    plan_.waits.erase(std::unique(plan_.waits.begin(), plan_.waits.end(), same), plan_.waits.end());
    std::erase_if(plan_.waits, [&](const Wait& w) { return settled_.contains(w.job); });
    std::stable_sort(plan_.expected.begin(), plan_.expected.end(), by_job);
    std::erase_if(plan_.expected, [&](const Expected& e) { return settled_.contains(e.job); });
  }

  void wait(const Job& job, Reason reason, Text detail = {}) {
    plan_.waits.push_back({job.id, reason, std::move(detail)});
  }

  void use_license(const Text& name, std::uint32_t count) {
    auto at = licenses_.find(name);
    if (at != licenses_.end()) at->second -= std::min(at->second, count);
  }

  bool exhausted() const {
    return plan_.starts.size() >= budget_.max_starts ||
           profile_.questions() >= budget_.max_questions;
  }

  void consider(const Entry& entry) {
    const Job& job = *entry.job;
    Gate g = gate(cluster_, job, entry.partition, now_);
    if (g.hopeless) plan_.hopeless.push_back(job.id);
    if (g.reason != Reason::none) return wait(job, g.reason);
    if (blocked_everywhere(*entry.partition)) {
      plan_.complete = false;
      return wait(job, Reason::priority);
    }
    const Shape& shape = shapes_.of(job, *entry.partition);
    if (shape.impossible != Reason::none) return wait(job, shape.impossible);
    if (!job.is_array_record()) {
      Reason reason = try_one(job, shape, std::nullopt);
      if (reason != Reason::none) blocked(job, shape, reason);
      return;
    }
    consider_tasks(job, shape);
  }

  void consider_tasks(const Job& record, const Shape& shape) {
    bool one_by_one = asks_task_by_task(record);
    std::uint32_t running = record.task_limit ? running_tasks(record) : 0;
    bool some_wait = false;
    for (std::uint32_t task : record.waiting_tasks.first(budget_.max_starts).ids()) {
      if (record.task_limit && running >= record.task_limit) {
        settled_.erase(record.id);
        return wait(record, Reason::array_task_limit);
      }
      if (one_by_one && !task_may_run(cluster_, record, task, now_)) {
        some_wait = true;
        continue;
      }
      Reason reason = try_one(record, shape, task);
      if (reason != Reason::none) {
        settled_.erase(record.id);
        return blocked(record, shape, reason);
      }
      ++running;
    }
    bool more = record.waiting_tasks.size() > budget_.max_starts;
    if (!more && !some_wait) return;
    settled_.erase(record.id);
    if (more) plan_.more_starts = true;
    wait(record, some_wait ? Reason::dependency : Reason::none);
  }

  std::uint32_t running_tasks(const Job& record) const {
    std::uint32_t n = 0;
    for (std::uint32_t id : cluster_.active.ids()) {
      const Job& job = cluster_.jobs.at(JobId{id});
      if (job.array_id == record.array_id && is_active(job.state)) ++n;
    }
    // A task with a record of its own may have been started by this plan.
    for (const Start& s : plan_.starts)
      if (cluster_.jobs.at(s.job).array_id == record.array_id) ++n;
    return n;
  }

  Minutes limit_of(const Job& job, const Shape& shape) const {
    Minutes limit = job.time_limit;
    if (shape.partition->max_time) limit = std::min(limit, *shape.partition->max_time);
    return limit;
  }
  // Starts it, or says what it lacks.
  Reason try_one(const Job& job, const Shape& shape, std::optional<std::uint32_t> task) {
    for (const auto& [name, count] : shape.request.licenses) {
      auto at = licenses_.find(name);
      if (at == licenses_.end() || at->second < count) return Reason::licenses;
    }
    if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
    if (exhausted()) return Reason::priority;
    Minutes limit = limit_of(job, shape);
    if (failed_.contains({&shape, limit})) return Reason::resources;
    auto shares = place_now(shape, limit);
    if (!shares && job.spec->time_min) shares = place_shorter(job, shape, limit);
    if (shares) return start(job, shape, task, {std::move(*shares), {}}, limit);
    if (auto room = rooms_.lent(job, shape, window_of(shape, now_, limit)))
      return start(job, shape, task, std::move(*room), limit);
    failed_.insert({&shape, limit_of(job, shape)});
    return Reason::resources;
  }

  std::optional<std::vector<NodeShare>> place_now(const Shape& shape, Minutes limit) {
    return place_during(cluster_, shape, window_of(shape, now_, limit), profile_);
  }

  // --time-min: the longest run that ends before a promise is due.
  std::optional<std::vector<NodeShare>> place_shorter(const Job& job, const Shape& shape,
                                                      Minutes& limit) {
    Minutes least = std::max(*job.spec->time_min, Minutes{1});
    if (least >= limit || !place_now(shape, least)) return std::nullopt;
    Minutes low = least, high = std::min(limit, kNoLimitLeaves);
    while (low + Minutes{1} < high) {
      Minutes middle = low + (high - low) / 2;
      (place_now(shape, middle) ? low : high) = middle;
    }
    limit = low;
    return place_now(shape, low);
  }

  Reason start(const Job& job, const Shape& shape, std::optional<std::uint32_t> task, Room room,
               Minutes limit) {
    for (const NodeShare& share : room.shares) profile_.start(share, window_of(shape, now_, limit));
    for (const auto& [name, count] : shape.request.licenses) use_license(name, count);
    settled_.insert(job.id);
    plan_.starts.push_back({job.id, task, shape.partition->name, std::move(room.shares), limit,
                            std::move(room.victims)});
    return Reason::none;
  }

  // It cannot start now: make room for it, promise it a time, and say why it waits.
  void blocked(const Job& job, const Shape& shape, Reason reason) {
    if (reason == Reason::licenses) return wait(job, reason);
    bool first_here = !someone_waits_on(shape);
    if (!exhausted() && !has_promise(job)) {
      if (preempt_for(job, shape)) return wait(job, Reason::resources);
      // Where no time is known the nodes it lacks are down: others need not wait for that.
      if (!cluster_.settings().backfill)
        bar(shape);
      else
        promise(job, shape);
    } else if (!has_promise(job)) {
      plan_.complete = false;
      bar(shape);
    }
    for (NodeId id : waits_on(shape)) waited_on_.insert(id);
    explain(job, shape, first_here);
  }

  bool has_promise(const Job& job) const { return promised_.contains(job.id); }

  // The nodes it stands in line for: those it names, or all that would do.
  const std::vector<NodeId>& waits_on(const Shape& shape) const {
    const Request& r = shape.request;
    return r.required_nodes.size() >= r.max_nodes ? r.required_nodes : shape.nodes;
  }
  bool someone_waits_on(const Shape& shape) const {
    const auto& nodes = waits_on(shape);
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](NodeId id) { return waited_on_.contains(id); });
  }
  void bar(const Shape& shape) {
    for (NodeId id : waits_on(shape)) profile_.bar(id);
  }

  void explain(const Job& job, const Shape& shape, bool first_here) {
    std::vector<std::string> unavailable;
    for (NodeId id : shape.request.required_nodes)
      if (!profile_.available(id)) unavailable.push_back(cluster_.nodes.at(id).config.name.str());
    if (!unavailable.empty())
      return wait(job, Reason::required_node_not_available,
                  "ReqNodeNotAvail, UnavailableNodes:" + compress_hostlist_sorted(unavailable));
    bool any_up = std::any_of(shape.nodes.begin(), shape.nodes.end(),
                              [&](NodeId id) { return profile_.available(id); });
    if (!any_up) return wait(job, Reason::nodes_down);
    wait(job, first_here ? Reason::resources : Reason::priority);
  }

  bool blocked_everywhere(const Partition& partition) {
    if (profile_.barred() == 0) return false;
    auto [at, fresh] = fully_barred_.try_emplace(&partition, std::pair{std::size_t{0}, false});
    auto& [barred_then, all] = at->second;
    if (barred_then == profile_.barred()) return all;
    barred_then = profile_.barred();
    all = std::none_of(partition.nodes.begin(), partition.nodes.end(),
                       [&](NodeId id) { return profile_.is_open(id); });
    return all;
  }

  // It gets the earliest time from which it fits for as long as it runs, and its part is kept.
  void promise(const Job& job, const Shape& shape) {
    Minutes limit = limit_of(job, shape);
    std::size_t wanted =
        job.is_array_record() ? std::min<std::size_t>(job.waiting_tasks.size(), kTasksPromised) : 1;
    // Those of the same shape before it have all that is earlier.
    Time& from = not_before_.try_emplace({&shape, limit}, now_).first->second;
    for (std::size_t i = 0; i < wanted && !exhausted(); ++i) {
      auto slot = earliest(cluster_, shape, limit, from, profile_, budget_.max_questions);
      if (!slot) return;
      from = slot->at;
      keep(job, slot->at, slot->shares, window_of(shape, slot->at, limit));
    }
  }

  void keep(const Job& job, Time at, const std::vector<NodeShare>& shares, const Window& window) {
    Expected expected{.job = job.id, .at = at};
    for (const NodeShare& share : shares) {
      profile_.promise(share, window.from, window.until);
      expected.nodes.push_back(share.node);
      expected.cpus += static_cast<std::uint32_t>(share.cpus.size());
    }
    if (promised_.insert(job.id).second) plan_.expected.push_back(std::move(expected));
  }

  // --- preemption ---

  // Running jobs of lower standing go, and it gets their place when they have gone.
  bool preempt_for(const Job& job, const Shape& shape) {
    Window window = window_of(shape, now_, limit_of(job, shape));
    auto room = rooms_.vacated(job, shape, window);
    if (!room) return false;
    for (JobId id : room->victims)
      plan_.evictions.push_back({id, job.id, preempt_mode(cluster_, cluster_.jobs.at(id))});
    keep(job, rooms_.vacant_at(*room), room->shares, window);
    return true;
  }

  const Cluster& cluster_;
  Time now_;
  Budget budget_;
  Profile profile_;
  RoomMaker rooms_;
  Plan plan_;
  Shapes shapes_;
  std::set<std::pair<const Shape*, Minutes>>
      failed_;  // what does not fit now never will in this plan
  std::map<std::pair<const Shape*, Minutes>, Time> not_before_;
  std::set<JobId> settled_, promised_;
  std::set<NodeId> waited_on_;  // somebody waits for these
  std::map<const Partition*, std::pair<std::size_t, bool>> fully_barred_;
  std::map<Text, std::uint32_t> licenses_;
};

template <class T>
const T* find_job(const std::vector<T>& list, JobId job) {
  auto at = std::lower_bound(list.begin(), list.end(), job,
                             [](const T& item, JobId id) { return item.job < id; });
  return at != list.end() && at->job == job ? &*at : nullptr;
}

}  // namespace

Budget quick_budget(const Cluster& cluster) {
  return {.max_questions = 3000 + 4 * std::uint64_t{cluster.nodes.size()}};
}

Budget thorough_budget(const Cluster& cluster) {
  return {.max_questions = 100000 + 100 * std::uint64_t{cluster.nodes.size()}};
}

Plan plan(const Cluster& cluster, Time now, Budget budget) {
  return Planner(cluster, now, budget).run();
}

const Wait* find_wait(const Plan& plan, JobId job) { return find_job(plan.waits, job); }
const Expected* find_expected(const Plan& plan, JobId job) { return find_job(plan.expected, job); }

}  // namespace muster::sched
