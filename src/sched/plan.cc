#include "sched/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/duration.h"
#include "base/hostlist.h"
#include "base/strings.h"
#include "sched/accrual.h"
#include "sched/gate.h"
#include "sched/license_book.h"
#include "sched/limits.h"
#include "sched/make_room.h"
#include "sched/preempt.h"
#include "sched/priority.h"
#include "sched/profile.h"
#include "sched/shape.h"
#include "sched/together.h"
#include "sched/usage.h"

namespace muster::sched {

namespace {

constexpr int kTasksPromised = 10;  // of one array

using Form = std::pair<const Shape*, Minutes>;  // jobs of the same form are alike to the plan

class Planner {
 public:
  Planner(const Cluster& cluster, Time now, Budget budget)
      : cluster_(cluster),
        now_(now),
        budget_(budget),
        profile_(cluster, now),
        licenses_(cluster, now),
        rooms_(cluster, profile_, licenses_, now, budget.max_questions),
        shapes_(cluster, now, profile_.has_private_nodes()),
        priorities_(cluster, now),
        limits_(cluster, now, &priorities_.fair_shares()),
        accruals_(cluster, now) {
    plan_.thorough = budget.thorough;
  }

  Plan run(Queue& queue) {
    if (budget_.thorough || budget_.order_changed || !queue.is_made())
      queue.make_anew(cluster_, now_);
    else
      queue.add_new_jobs(cluster_, now_);
    queue.each(cluster_, [&](const Queue::Place& place) {
      if (!budget_.thorough && nobody_can_start()) {
        plan_.complete = false;
        return false;
      }
      const Job& job = cluster_.jobs.at(place.job);
      accruals_.look_at(job);
      for (const Reservation* reservation : choices(cluster_, job, now_))
        if (!settled_.contains(place.job))
          consider(job, {partition_at(place.partition), reservation});
      return true;
    });
    finish();
    return std::move(plan_);
  }

 private:
  const Partition* partition_at(std::uint32_t place) const {
    return place == Queue::kNoPartition ? nullptr : &(*cluster_.partitions)[place];
  }

  // Nobody behind could start either, and what may be asked to tell them when has been asked.
  bool nobody_can_start() {
    if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
    if (exhausted()) return true;
    if (profile_.questions() < budget_.max_idle_questions) return false;
    return std::ranges::all_of(*cluster_.partitions,
                               [&](const Partition& p) { return nothing_is_free(p); });
  }

  // Nor can anybody else be made to go.
  bool nothing_is_free(const Partition& partition) {
    if (cluster_.settings().preempt.type != PreemptType::none || partition.sharing(true) > 1)
      return false;
    std::size_t& next = first_free_[&partition];
    while (next < partition.nodes.size() && !profile_.has_free_cpus(partition.nodes[next])) ++next;
    return next == partition.nodes.size();
  }

  // A job with several partitions may have waited in one and started in another.
  void finish() {
    plan_.accruing = accruals_.take();
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

  void all_wait(const Members& members, Reason reason, const Text& detail = {}) {
    for (const Member& m : members) wait(*m.job, reason, detail);
  }

  bool exhausted() const {
    return plan_.starts.size() >= budget_.max_starts ||
           profile_.questions() >= budget_.max_questions;
  }

  void consider(const Job& job, const Venue& venue) {
    if (!job.leads()) return;  // its first component brings it along
    Members members;
    if (!admit(job, venue, members)) return others_wait_for(job);
    if (job.is_het())
      for (const Job* other : cluster_.components(job))
        if (other != &job && !admit_in_some_partition(*other, members))
          return others_wait_for(*other);
    if (job.is_array_record()) return consider_tasks(job, *members.front().shape);
    Reason reason = try_together(members, std::nullopt);
    if (reason != Reason::none) blocked(members, reason);
  }

  // May it be placed in this partition? Why not is told.
  bool admit(const Job& job, const Venue& venue, Members& members) {
    Gate g = gate(cluster_, job, venue, now_);
    if (g.hopeless) plan_.hopeless.push_back(job.id);
    if (g.reason != Reason::none) {
      wait(job, g.reason);
      return false;
    }
    if (exhausted() || blocked_everywhere(*venue.partition)) {
      if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
      plan_.complete = false;
      wait(job, Reason::priority);
      return false;
    }
    const Shape& shape = shapes_.of(job, venue);
    if (shape.impossible != Reason::none) {
      wait(job, shape.impossible);
      return false;
    }
    members.push_back({&job, &shape, limit_of(job, shape)});
    return true;
  }

  bool admit_in_some_partition(const Job& component, Members& members) {
    auto names = split(component.partition, ',');
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return admit(component, venue_of(component, name), members);
    });
  }

  Venue venue_of(const Job& job, std::string_view partition) const {
    return {cluster_.find_partition(partition), choices(cluster_, job, now_).front()};
  }

  // What keeps one component back keeps them all; some have reasons of their own.
  void others_wait_for(const Job& kept_back) {
    if (!kept_back.is_het()) return;
    for (const Job* component : cluster_.components(kept_back)) {
      if (component == &kept_back) continue;
      auto first = split(component->partition, ',').front();
      Reason own = gate(cluster_, *component, venue_of(*component, first), now_).reason;
      wait(*component, own == Reason::none ? Reason::resources : own);
    }
  }

  void consider_tasks(const Job& record, const Shape& shape) {
    bool one_by_one = asks_task_by_task(record);
    std::uint32_t running = record.task_limit ? running_tasks(record) : 0;
    bool some_wait = false;
    IdSet waiting = record.waiting_tasks;
    waiting.subtract(started_tasks_[record.id]);  // elsewhere, by this plan
    for (std::uint32_t task : waiting.first(budget_.max_starts).ids()) {
      if (record.task_limit && running >= record.task_limit) {
        settled_.erase(record.id);
        return wait(record, Reason::array_task_limit);
      }
      if (one_by_one && !task_may_run(cluster_, record, task, now_)) {
        some_wait = true;
        continue;
      }
      Members member{{&record, &shape, limit_of(record, shape)}};
      Reason reason = try_together(member, task);
      if (reason != Reason::none) {
        settled_.erase(record.id);
        return blocked(member, reason);
      }
      ++running;
    }
    bool more = waiting.size() > budget_.max_starts;
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

  bool has_licenses(const Members& members, Time from) const {
    const auto wanted = licenses_of(members);
    return wanted.empty() || licenses_.has(wanted, span_of(members.front(), from));
  }

  static std::vector<Form> form_of(const Members& members) {
    std::vector<Form> form;
    for (const Member& m : members) form.emplace_back(m.shape, m.limit);
    return form;
  }

  static Run run_of(const Member& m, const std::vector<NodeShare>& shares) {
    return {m.job, m.shape->partition, &shares, &m.shape->request.licenses, m.limit};
  }
  Text limit_before_placing(const Members& members) const {
    for (const Member& m : members) {
      Text hit = limits_.before_placing(*m.job, *m.shape->partition, m.job->time_limit);
      if (!hit.empty()) return hit;
    }
    return {};
  }
  // Several that start together count like some that start one after the other.
  Text limit_in_the_way(const Members& members, const JointSlot& slot) const {
    if (members.size() == 1) return limits_.in_the_way(run_of(members[0], slot.shares[0]));
    LimitBook together = limits_;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member& m = members[i];
      Text hit = together.before_placing(*m.job, *m.shape->partition, m.job->time_limit);
      if (hit.empty()) hit = together.in_the_way(run_of(m, slot.shares[i]));
      if (!hit.empty()) return hit;
      together.start(run_of(m, slot.shares[i]));
    }
    return {};
  }

  // Starts them all, or says what they lack. `task` is the one of an array.
  Reason try_together(Members& members, std::optional<std::uint32_t> task) {
    limit_hit_ = {};
    if (!has_licenses(members, now_)) return Reason::licenses;
    if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
    if (exhausted()) return Reason::priority;
    limit_hit_ = limit_before_placing(members);
    if (!limit_hit_.empty()) return Reason::limit;
    auto form = form_of(members);
    if (failed_.contains(form)) return Reason::resources;
    auto slot = place_together(cluster_, members, now_, profile_);
    if (!slot && members.size() == 1) slot = place_shorter(members);
    std::optional<Room> room = slot ? Room{std::move(*slot), {}} : rooms_.lent(members);
    if (!room) {
      failed_.insert(std::move(form));
      return Reason::resources;
    }
    limit_hit_ = limit_in_the_way(members, room->slot);
    if (!limit_hit_.empty()) return Reason::limit;
    rooms_.borrow(room->victims);
    for (std::size_t i = 0; i < members.size(); ++i)
      start(members[i], task, std::move(room->slot.shares[i]), room->victims);
    return Reason::none;
  }

  // --time-min: the longest run that ends before a promise is due.
  std::optional<JointSlot> place_shorter(Members& one) {
    Member& member = one.front();
    if (!member.job->spec->time_min) return std::nullopt;
    const Minutes asked = member.limit;
    auto place_for = [&](Minutes limit) {
      member.limit = limit;
      return place_together(cluster_, one, now_, profile_);
    };
    Minutes low = std::max(*member.job->spec->time_min, Minutes{1});
    if (low >= asked || !place_for(low)) {
      member.limit = asked;
      return std::nullopt;
    }
    for (Minutes high = std::min(asked, kNoLimitLeaves); low + Minutes{1} < high;) {
      Minutes middle = low + (high - low) / 2;
      (place_for(middle) ? low : high) = middle;
    }
    return place_for(low);
  }

  void start(const Member& m, std::optional<std::uint32_t> task, std::vector<NodeShare> shares,
             const std::vector<JobId>& displaces) {
    Window window = window_of(*m.shape, now_, m.limit);
    window.user = m.job->spec->uid;
    for (const NodeShare& share : shares) profile_.start(share, window);
    const Reservation* reservation = m.shape->reservation;
    const Text name = reservation ? reservation->name : Text();
    licenses_.use(m.shape->request.licenses, span_of(m, now_));
    limits_.start(run_of(m, shares));
    settled_.insert(m.job->id);
    if (task) started_tasks_[m.job->id].insert(*task);
    plan_.starts.push_back({m.job->id, task, m.shape->partition->name, std::move(shares), m.limit,
                            displaces, name, priorities_.of(*m.job, m.shape->partition)});
  }

  // They cannot start now: make room for them, promise them a time, and say why they wait.
  void blocked(const Members& members, Reason reason) {
    // Nobody stands in line behind a job that its own limits keep back, or the licenses it lacks.
    if (reason == Reason::limit) return all_wait(members, reason, limit_hit_);
    const bool lacks_licenses = reason == Reason::licenses;
    bool first_here = std::none_of(members.begin(), members.end(),
                                   [&](const Member& m) { return someone_waits_on(*m.shape); });
    if (!can_be_promised(members)) {
      plan_.complete = false;
    } else if (!exhausted() && !has_promise(members)) {
      const bool may_preempt = !lacks_licenses || cluster_.settings().preempt.reclaim_licenses;
      if (may_preempt && preempt_for(members))
        return all_wait(members, lacks_licenses ? reason : Reason::resources);
      // Where no time is known the nodes they lack are down: others need not wait for that.
      if (cluster_.settings().backfill && may_reserve(members))
        promise(members);
      else if (!cluster_.settings().backfill && !lacks_licenses)
        bar(members);
    } else if (!has_promise(members)) {
      plan_.complete = false;
      if (!lacks_licenses) bar(members);
    }
    if (lacks_licenses) return all_wait(members, reason);
    for (const Member& m : members) stand_in_line(*m.shape);
    for (const Member& m : members) explain(m, first_here);
  }

  // MinPrioThreshold: of its QOS, or else of its association.
  bool may_reserve(const Members& members) const {
    const Member& first = members.front();
    const Qos* qos = cluster_.find_qos(first.job->qos);
    std::optional<std::uint32_t> least = qos ? qos->min_priority : std::nullopt;
    if (!least)
      if (const Association* own =
              find_association(*cluster_.associations, association_of(cluster_, *first.job)))
        least = own->min_priority;
    return !least || priorities_.of(*first.job, first.shape->partition) >= *least;
  }

  // Where nothing is free a promise keeps nobody from starting: it may be left for a better time.
  bool can_be_promised(const Members& members) {
    std::uint64_t nodes = 0;
    for (const Member& m : members) {
      if (!nothing_is_free(*m.shape->partition)) return true;
      nodes += m.shape->nodes.size();
    }
    return profile_.questions() + nodes <= budget_.max_idle_questions;
  }

  bool has_promise(const Members& members) const {
    return promised_.contains(members.front().job->id);
  }

  // The nodes it stands in line for: those it names, or all that would do.
  const std::vector<NodeId>& waits_on(const Shape& shape) const {
    const Request& r = shape.request;
    return r.required_nodes.size() >= r.max_nodes ? r.required_nodes : shape.nodes;
  }
  void stand_in_line(const Shape& shape) {
    if (!in_line_.insert(&shape).second) return;
    for (NodeId id : waits_on(shape)) waited_on_.insert(id);
  }
  bool someone_waits_on(const Shape& shape) const {
    if (in_line_.contains(&shape)) return true;
    const auto& nodes = waits_on(shape);
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](NodeId id) { return waited_on_.contains(id); });
  }
  void bar(const Members& members) {
    for (const Member& m : members)
      for (NodeId id : waits_on(*m.shape)) profile_.bar(id);
  }

  void explain(const Member& member, bool first_here) {
    const Job& job = *member.job;
    const Shape& shape = *member.shape;
    std::vector<std::string> unavailable;
    for (NodeId id : shape.request.required_nodes)
      if (!profile_.available(id)) unavailable.push_back(cluster_.nodes.at(id).config.name.str());
    if (!unavailable.empty())
      return wait(job, Reason::required_node_not_available,
                  "ReqNodeNotAvail, UnavailableNodes:" + compress_hostlist_sorted(unavailable));
    bool any_up = std::any_of(shape.nodes.begin(), shape.nodes.end(),
                              [&](NodeId id) { return profile_.available(id); });
    if (!any_up) return wait(job, Reason::nodes_down);
    if (std::string kept = kept_by_reservations(member); !kept.empty())
      return wait(job, Reason::required_node_not_available, kept);
    wait(job, first_here ? Reason::resources : Reason::priority);
  }

  std::string kept_by_reservations(const Member& member) {
    if (!profile_.has_reservations()) return {};
    const Shape& shape = *member.shape;
    const Window window = window_of(shape, now_, member.limit);
    auto is_reserved = [&](NodeId id) { return profile_.is_reserved(id, window); };
    if (std::ranges::any_of(shape.request.required_nodes, is_reserved))
      return "ReqNodeNotAvail, May be reserved for other job";
    if (std::ranges::all_of(shape.nodes,
                            [&](NodeId id) { return !profile_.available(id) || is_reserved(id); }))
      return "ReqNodeNotAvail, Reserved for maintenance";
    return {};
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

  // They get the earliest time from which all fit for as long as they run, and their part is kept.
  void promise(const Members& members) {
    const Job& job = *members.front().job;
    std::size_t wanted =
        job.is_array_record() ? std::min<std::size_t>(job.waiting_tasks.size(), kTasksPromised) : 1;
    // Those of the same form before them have all that is earlier.
    Time& from = not_before_.try_emplace(form_of(members), now_).first->second;
    for (std::size_t i = 0; i < wanted && !exhausted(); ++i) {
      auto slot = earliest_slot(members, from);
      if (!slot) return;
      from = slot->at;
      keep(members, *slot, slot->at);
    }
  }

  // With nodes and licenses, and within its limits.
  std::optional<JointSlot> earliest_slot(const Members& members, Time from) {
    const auto licenses = licenses_of(members);
    while (!exhausted()) {
      if (!has_licenses(members, from)) {
        auto later = licenses_.next_release(licenses, from);
        if (!later) return std::nullopt;
        from = *later;
        continue;
      }
      auto slot = earliest_together(cluster_, members, from, profile_, budget_.max_questions);
      if (!slot) return std::nullopt;
      from = slot->at;
      if (!has_licenses(members, from)) continue;
      auto later = limit_until(members, *slot);
      if (!later) return slot;
      if (*later == Time::max()) return std::nullopt;
      from = *later;
    }
    return std::nullopt;
  }

  // Where a limit forbids them that time: the next one to try; Time::max() where there is none.
  std::optional<Time> limit_until(const Members& members, const JointSlot& slot) const {
    auto forbidden = [&](const LimitBook& book, const Run& run) -> std::optional<Time> {
      if (book.in_the_way_at(run, slot.at).empty()) return std::nullopt;
      return limits_.next_release(run, slot.at).value_or(Time::max());
    };
    if (members.size() == 1) return forbidden(limits_, run_of(members[0], slot.shares[0]));
    LimitBook together = limits_;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Run run = run_of(members[i], slot.shares[i]);
      if (auto until = forbidden(together, run)) return until;
      together.promise(run, slot.at);
    }
    return std::nullopt;
  }

  // What they have is theirs for a run from the slot's time on; `at` is what they are told.
  void keep(const Members& members, const JointSlot& slot, Time at) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member& m = members[i];
      Window window = window_of(*m.shape, slot.at, m.limit);
      licenses_.use(m.shape->request.licenses, span_of(m, slot.at));
      limits_.promise(run_of(m, slot.shares[i]), slot.at);
      Expected expected{.job = m.job->id, .at = at};
      for (const NodeShare& share : slot.shares[i]) {
        profile_.promise(share, window);
        expected.nodes.push_back(share.node);
        expected.cpus += static_cast<std::uint32_t>(share.cpus.size());
      }
      if (promised_.insert(m.job->id).second) plan_.expected.push_back(std::move(expected));
    }
  }

  // --- preemption ---

  // Running jobs of lower standing go, and they get their place when these have gone.
  bool preempt_for(const Members& members) {
    auto room = rooms_.vacated(members);
    if (!room) return false;
    for (JobId id : room->victims)
      plan_.evictions.push_back(
          {id, members.front().job->id, preempt_mode(cluster_, cluster_.jobs.at(id))});
    keep(members, room->slot, rooms_.vacant_at(*room));
    return true;
  }

  const Cluster& cluster_;
  Time now_;
  Budget budget_;
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
  std::map<JobId, IdSet> started_tasks_;                // of arrays
  std::set<NodeId> waited_on_;                          // somebody waits for these
  std::set<const Shape*> in_line_;                      // with a job of this shape
  std::map<const Partition*, std::size_t> first_free_;  // where the nodes with free CPUs begin
  std::map<const Partition*, std::pair<std::size_t, bool>> fully_barred_;
  Accruals accruals_;
};

template <class T>
const T* find_job(const std::vector<T>& list, JobId job) {
  auto at = std::lower_bound(list.begin(), list.end(), job,
                             [](const T& item, JobId id) { return item.job < id; });
  return at != list.end() && at->job == job ? &*at : nullptr;
}

}  // namespace

Budget quick_budget(const Cluster& cluster) {
  return {.max_questions = 3000 + 4 * std::uint64_t{cluster.nodes.size()},
          .max_idle_questions = 3000,
          .thorough = false,
          .order_changed = false};
}

Budget thorough_budget(const Cluster& cluster) {
  return {.max_questions = 100000 + 100 * std::uint64_t{cluster.nodes.size()}};
}

Plan plan(const Cluster& cluster, Time now, Budget budget, Queue& queue) {
  return Planner(cluster, now, budget).run(queue);
}

Plan plan(const Cluster& cluster, Time now, Budget budget) {
  Queue queue;
  return plan(cluster, now, budget, queue);
}

const Wait* find_wait(const Plan& plan, JobId job) { return find_job(plan.waits, job); }
const Expected* find_expected(const Plan& plan, JobId job) { return find_job(plan.expected, job); }

}  // namespace muster::sched
