// Releases, starts and promises on one node, and the answers to probes. node_promises.cc has what
// promises leave to other jobs.
#include "sched/timeline/node_profile.h"

#include <algorithm>

#include "sched/place/sharing.h"

namespace muster::sched {

void NodeProfile::Demand::add(const Demand& other, int sign) {
  cpus += sign * other.cpus;
  memory_mib += sign * other.memory_mib;
  while (devices.size() < other.devices.size()) devices.push_back(0);
  for (std::size_t i = 0; i < other.devices.size(); ++i) devices[i] += sign * other.devices[i];
}

void NodeProfile::Demand::raise_to(const Demand& other) {
  cpus = std::max(cpus, other.cpus);
  memory_mib = std::max(memory_mib, other.memory_mib);
  while (devices.size() < other.devices.size()) devices.push_back(0);
  for (std::size_t i = 0; i < other.devices.size(); ++i)
    devices[i] = std::max(devices[i], other.devices[i]);
}

NodeProfile::NodeProfile(const Cluster& cluster, const Node& node, Time now,
                         std::vector<const Reservation*> reservations,
                         const std::set<const Reservation*>& awaited)
    : cluster_(&cluster),
      node_(&node),
      time_(now),
      now_(free_of(node)),
      reservations_(std::move(reservations)),
      awaited_(&awaited) {}

void NodeProfile::forget_answers() {
  asked_.reset();
  given_back_ = 0;
}

NodeProfile::Demand NodeProfile::demand_of(const NodeShare& share) const {
  Demand demand{.cpus = static_cast<std::int64_t>(share.held_cpus().size()),
                .memory_mib = static_cast<std::int64_t>(share.memory_mib),
                .devices = {}};
  if (share.gres.empty()) return demand;
  for (const GresShare& pool : now_.gres) {
    std::int64_t& sum = demand.devices.emplace_back();
    for (const GresShare& held : share.gres)
      if (held.name == pool.name && held.type == pool.type)
        sum += static_cast<std::int64_t>(held.count);
  }
  return demand;
}

NodeProfile::Release NodeProfile::release_of(Time at, const NodeShare& share,
                                             std::string_view partition) const {
  return {at, &share, partition, demand_of(share), {}};
}

// CPUs that several jobs hold become free when the last of these leaves.
void NodeProfile::find_who_leaves_last() {
  const bool are_shared =
      !now_.shared_cpus.layers.empty() ||
      std::ranges::any_of(releases_, [](const Release& r) { return r.share->sharing > 1; });
  if (!are_shared) return;
  CpuOverlap shared_cpus = now_.shared_cpus;
  for (Release& release : releases_) {
    release.frees_only = shared_cpus.remove(release.share->held_cpus());
    release.gives.cpus = static_cast<std::int64_t>(release.frees().size());
  }
}

void NodeProfile::learn_releases() {
  if (releases_known_) return;
  releases_known_ = true;
  node_->jobs.each([&](std::uint32_t id) {
    const Job& job = cluster_->jobs.at(JobId{id});
    for (const NodeShare& share : job.run->allocation)
      if (share.node == node_->id)
        releases_.push_back(
            release_of(leaves_at(*cluster_, job, time_), share, first_of(job.partitions).view()));
  });
  std::ranges::stable_sort(releases_, {}, &Release::at);
  find_who_leaves_last();
}

const std::vector<Time>& NodeProfile::changes() {
  if (changes_known_) return changes_;
  learn_releases();
  changes_known_ = true;
  changes_.clear();
  for (const Release& r : releases_) changes_.push_back(r.at);
  for (const Promise& p : promises_) changes_.push_back(p.until);
  for (const Reservation* r : reservations_) changes_.push_back(r->end);
  std::ranges::sort(changes_);
  changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());
  return changes_;
}

Access NodeProfile::access_for(const Window& window) const {
  if (reservations_.empty() && !window.reservation) return {};
  return access(reservations_, {node_->id, window.from, window.until, window.reservation,
                                window.yields_within, awaited_});
}

bool NodeProfile::is_open_to(const Window& window) const {
  if (private_to_ && *private_to_ != window.user) return false;
  if (!window.exclusive_user) return true;
  for (Uid other : started_)
    if (other != window.user) return false;
  auto jobs = node_->jobs.ids();
  return std::ranges::all_of(jobs, [&](std::uint32_t id) {
    return cluster_->jobs.at(JobId{id}).spec->uid == window.user;
  });
}

const Free* NodeProfile::free_during(const Window& window) {
  if (asked_ == window) return answer_to_last();
  answer_ = find_out(window);
  asked_ = window;
  return answer_to_last();
}

const Free* NodeProfile::answer_to_last() const {
  switch (answer_) {
    case Answer::nothing:
      return nullptr;
    case Answer::now:
      return &now_;
    case Answer::later:
      return &later_;
    case Answer::narrowed:
      return &narrowed_;
  }
  return nullptr;
}

NodeProfile::Answer NodeProfile::find_out(const Window& window) {
  if (!is_open_to(window)) return Answer::nothing;
  const Access access = access_for(window);
  if (access.closed) return Answer::nothing;
  const bool is_later = window.from > time_;
  const Free& then = is_later ? after_releases_until(window.from) : now_;
  const bool bounded = window.partition && window.partition->max_cpus_per_node;
  if (promises_.empty() && !bounded && window.holders == 0 && !access.is_limited())
    return is_later ? Answer::later : Answer::now;
  narrowed_ = then;
  IdSet shared;
  if (window.holders > 0) shared = shareable_during(window);
  narrowed_.cpus.merge(shared);
  narrow(narrowed_, access);
  if (!promises_.empty()) keep_promises(window, access, shared);
  if (bounded) keep_below_bound(window);
  return Answer::narrowed;
}

// Fast if called with ascending times, as is mostly the case.
const Free& NodeProfile::after_releases_until(Time from) {
  learn_releases();
  const auto end = std::ranges::upper_bound(releases_, from, {}, &Release::at);
  const auto due = static_cast<std::size_t>(end - releases_.begin());
  if (given_back_ == 0 || due < given_back_) {
    later_ = now_;
    given_back_ = 0;
  }
  for (; given_back_ < due; ++given_back_) give_back(later_, *releases_[given_back_].share);
  later_.untouched = due == releases_.size();
  return later_;
}

IdSet NodeProfile::shareable_during(const Window& window) {
  learn_releases();
  std::vector<Claim> claims;
  for (const Release& r : releases_)
    if (window.from <= time_ || r.at > window.from) claims.push_back({r.share, r.partition});
  return shareable(claims, window.partition->name.view(), window.holders);
}

void NodeProfile::start(const NodeShare& share, const Window& by) {
  learn_releases();
  take(now_, share);
  const Time until = std::min(by.until, time_ + kNoLimitLeaves);
  releases_.insert(std::ranges::upper_bound(releases_, until, {}, &Release::at),
                   release_of(until, share, by.partition->name.view()));
  find_who_leaves_last();
  if (by.exclusive_user) private_to_ = by.user;
  started_.push_back(by.user);
  changes_known_ = false;
  forget_answers();
}

void NodeProfile::promise(const NodeShare& share, const Window& to) {
  const Promise made{to.from, to.until, demand_of(share), access_for(to).only, to.partition};
  promises_.insert(std::ranges::upper_bound(promises_, made.from, {}, &Promise::from), made);
  if (made.from < made.until)
    by_end_.insert(std::ranges::upper_bound(by_end_, made.until, {}, &Promise::until), made);
  changes_known_ = false;
  forget_answers();
}

void NodeProfile::remove_release(const NodeShare& share) {
  learn_releases();
  std::erase_if(releases_, [&](const Release& r) { return r.share == &share; });
  changes_known_ = false;
  forget_answers();
}

void NodeProfile::release(const NodeShare& share) {
  remove_release(share);
  give_back(now_, share);
  find_who_leaves_last();
  now_.untouched = releases_.empty();
}

void NodeProfile::release_cpus(const NodeShare& share) {
  remove_release(share);
  give_back_cpus(now_, share.held_cpus());
  find_who_leaves_last();
  now_.untouched = releases_.empty();
}

}  // namespace muster::sched
