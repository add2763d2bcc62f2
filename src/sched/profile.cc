#include "sched/profile.h"

#include <algorithm>

#include "sched/sharing.h"

namespace muster::sched {

namespace {

// Resources of one node by number.
struct Amount {
  explicit Amount(const Free& like) : pools(like.gres), devices(like.gres.size()) {}

  void add(std::int64_t n, std::uint64_t mib, const std::vector<GresShare>& gres, int sign = 1) {
    cpus += sign * n;
    memory += sign * static_cast<std::int64_t>(mib);
    for (const GresShare& g : gres)
      for (std::size_t i = 0; i < pools.size(); ++i)
        if (pools[i].name == g.name && pools[i].type == g.type)
          devices[i] += sign * static_cast<std::int64_t>(g.count);
  }
  void subtract(std::int64_t n, std::uint64_t mib, const std::vector<GresShare>& gres) {
    add(n, mib, gres, -1);
  }
  void raise_to(const Amount& other) {
    cpus = std::max(cpus, other.cpus);
    memory = std::max(memory, other.memory);
    for (std::size_t i = 0; i < devices.size(); ++i)
      devices[i] = std::max(devices[i], other.devices[i]);
  }

  const std::vector<GresShare>& pools;
  std::int64_t cpus = 0, memory = 0;
  std::vector<std::int64_t> devices;  // parallel to the pools
};

}  // namespace

namespace {

bool keeps_others_out(const Cluster& cluster, const Job& job) {
  if (job.spec->exclusive_user) return true;
  const Partition* partition = cluster.find_partition(job.partition);
  return partition && partition->exclusive_user;
}

// CPUs kept for the system may be lent to a job that asks for them: such a node is never full.
bool can_be_full(const Node& node) {
  return node.config.core_spec_count == 0 && node.config.cpu_spec_list.empty();
}

// The same as free_of(node).cpus.empty(), for all nodes of a plan.
bool is_full(const Node& node) {
  if (node.used_cpus.empty() || !can_be_full(node)) return false;
  const IdSet::Range& used = node.used_cpus.ranges().front();
  return used.first == 0 && used.last >= std::max(1u, node.config.cpus) - 1;
}

}  // namespace

Profile::Profile(const Cluster& cluster, Time now) : cluster_(cluster), now_(now) {
  states_.resize(cluster.next_node_id.value);
  cluster.nodes.each([&](const Node& node) {
    State& state = states_[node.id.value];
    state.available = is_available(node);
    if (!state.available) return;
    state.full = is_full(node);
    if (state.full) ++full_;
  });
  for (const Reservation& r : *cluster.reservations)
    if (r.has("TIME_FLOAT") || r.end > now) reservations_.push_back(&r);
  awaited_ = awaited_lenders(cluster, now);
  has_private_nodes_ = std::ranges::any_of(cluster.active.ids(), [&](std::uint32_t id) {
    return keeps_others_out(cluster, cluster.jobs.at(JobId{id}));
  });
}

// Made when a node is first asked for: most are full, or are not looked at.
Profile::Entry& Profile::entry(NodeId id) {
  State& state = states_[id.value];
  if (state.entry > 0) return entries_[state.entry - 1];
  entries_.emplace_back();
  state.entry = static_cast<std::uint32_t>(entries_.size());
  Entry& e = entries_.back();
  const Node& node = cluster_.nodes.at(id);
  if (state.available) e.now = free_of(node);
  for (const Reservation* r : reservations_)
    if (r->holds_node(id)) e.reservations.push_back(r);
  if (has_private_nodes_)
    for (std::uint32_t job : node.jobs.ids())
      if (keeps_others_out(cluster_, cluster_.jobs.at(JobId{job})))
        e.private_to = cluster_.jobs.at(JobId{job}).spec->uid;
  return e;
}

void Profile::note_fullness(NodeId node) {
  State& state = states_[node.value];
  const bool full = can_be_full(cluster_.nodes.at(node)) && entry(node).now.cpus.empty();
  if (full != state.full) full_ += full ? 1 : static_cast<std::size_t>(-1);
  state.full = full;
}

// What is full stays so for the rest of a plan, but for trials: the list is shortened from time to
// time.
const std::vector<NodeId>& Profile::worth_asking(const std::vector<NodeId>& nodes,
                                                 const Window& window) {
  if (window.from > now_ || window.holders > 0 || trials_ > 0) return nodes;
  auto [at, fresh] = roomy_.try_emplace(&nodes);
  Roomy& roomy = at->second;
  if (fresh) roomy.nodes = nodes;
  if (fresh || full_ > roomy.full_then + roomy.nodes.size() / 4) {
    std::erase_if(roomy.nodes, [&](NodeId id) { return available(id) && states_[id.value].full; });
    roomy.full_then = full_;
  }
  return roomy.nodes;
}

void Profile::learn_releases(Entry& entry, NodeId node) {
  if (entry.releases_known) return;
  entry.releases_known = true;
  for (std::uint32_t id : cluster_.nodes.at(node).jobs.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    for (const NodeShare& share : job.allocation)
      if (share.node == node)
        entry.releases.push_back({leaves_at(cluster_, job, now_), &share, job.partition.view()});
  }
  std::stable_sort(entry.releases.begin(), entry.releases.end(),
                   [](const Release& a, const Release& b) { return a.at < b.at; });
}

void Profile::bar(NodeId node) {
  State& state = states_[node.value];
  if (!state.barred) ++barred_;
  state.barred = true;
}

Access Profile::access_to(const Entry& entry, NodeId node, const Window& window) const {
  return access(entry.reservations, {node, window.from, window.until, window.reservation,
                                     window.yields_within, &awaited_});
}

bool Profile::is_reserved(NodeId node, const Window& window) {
  return available(node) && access_to(entry(node), node, window).closed;
}

bool Profile::open_to(const Entry& entry, NodeId node, const Window& window) const {
  if (entry.private_to && *entry.private_to != window.user) return false;
  if (!window.exclusive_user) return true;
  for (const Window& other : entry.started)
    if (other.user != window.user) return false;
  auto jobs = cluster_.nodes.at(node).jobs.ids();
  return std::all_of(jobs.begin(), jobs.end(), [&](std::uint32_t id) {
    return cluster_.jobs.at(JobId{id}).spec->uid == window.user;
  });
}

// Of the jobs that hold something there now.
std::uint32_t Profile::cpus_used_by(const Partition& partition, const Entry& entry,
                                    NodeId node) const {
  std::uint32_t used = 0;
  for (std::uint32_t id : cluster_.nodes.at(node).jobs.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (job.partition != partition.name) continue;
    for (const NodeShare& share : job.allocation)
      if (share.node == node) used += static_cast<std::uint32_t>(share.cpus.size());
  }
  for (std::size_t i = 0; i < entry.started.size(); ++i)
    if (entry.started[i].partition == &partition) used += entry.started_cpus[i];
  return used;
}

// What must stay unused: the most that promises take at any one time within the window beyond what
// running jobs will have given back by then.
void Profile::keep_promises(const Entry& entry, const Window& window, const Access& access,
                            Free& free) {
  Amount most(free);
  for (const Promise& start : entry.promises) {
    Time t = std::max(start.from, window.from);
    if (t >= window.until || t >= start.until) continue;
    free.untouched = false;
    Amount now(free);
    for (const Promise& p : entry.promises)
      if (p.from <= t && t < p.until)
        // Whoever is bound to CPUs of a reservation takes none from the others.
        now.add(p.only == access.only ? p.cpus : 0, p.memory_mib, p.gres);
    for (const Release& r : entry.releases)
      if (r.at > window.from && r.at <= t)
        // Whether others stay on CPUs that are shared is not looked at: these do not count.
        now.subtract(r.share->sharing > 1
                         ? 0
                         : static_cast<std::int64_t>(access.usable(r.share->cpus).size()),
                     r.share->memory_mib, r.share->gres);
    most.raise_to(now);
  }
  free.promised_cpus = static_cast<std::uint32_t>(most.cpus);
  free.memory_mib -=
      std::min<std::uint64_t>(free.memory_mib, static_cast<std::uint64_t>(most.memory));
  for (std::size_t i = 0; i < most.devices.size(); ++i)
    free.gres[i].count -=
        std::min<std::uint64_t>(free.gres[i].count, static_cast<std::uint64_t>(most.devices[i]));
}

IdSet Profile::shareable_at(const Entry& entry, const Window& window) const {
  std::vector<Claim> claims;
  for (const Release& r : entry.releases)
    if (window.from <= now_ || r.at > window.from) claims.push_back({r.share, r.partition});
  return shareable(claims, window.partition->name.view(), window.holders);
}

const Free* Profile::during(NodeId node, const Window& window) {
  if (!is_open(node)) return nullptr;
  if (states_[node.value].full && window.from <= now_ && window.holders == 0) return nullptr;
  ++questions_;
  Entry& e = entry(node);
  if (!open_to(e, node, window)) return nullptr;
  const Access access = access_to(e, node, window);
  if (access.closed) return nullptr;
  const bool bounded = window.partition && window.partition->max_cpus_per_node;
  if (window.from <= now_ && e.promises.empty() && !bounded && window.holders == 0 &&
      !access.is_limited())
    return &e.now;
  e.scratch = e.now;
  if (window.from > now_) {
    learn_releases(e, node);
    std::size_t left = e.releases.size();
    for (const Release& r : e.releases) {
      if (r.at > window.from) break;
      give_back(e.scratch, *r.share);
      --left;
    }
    e.scratch.untouched = left == 0;
  }
  if (window.holders > 0) {
    learn_releases(e, node);
    e.scratch.cpus.merge(shareable_at(e, window));
  }
  narrow(e.scratch, access);
  if (!e.promises.empty()) {
    learn_releases(e, node);
    keep_promises(e, window, access, e.scratch);
  }
  if (bounded) {
    std::uint32_t limit = *window.partition->max_cpus_per_node;
    std::uint32_t rest = limit - std::min(limit, cpus_used_by(*window.partition, e, node));
    auto free = static_cast<std::uint32_t>(e.scratch.cpus.size());
    e.scratch.promised_cpus = std::max(e.scratch.promised_cpus, free - std::min(free, rest));
  }
  return &e.scratch;
}

std::vector<Time> Profile::changes(NodeId node) {
  std::vector<Time> times;
  if (!available(node)) return times;
  Entry& e = entry(node);
  learn_releases(e, node);
  for (const Release& r : e.releases) times.push_back(r.at);
  for (const Promise& p : e.promises) times.push_back(p.until);
  for (const Reservation* r : e.reservations) times.push_back(r->end);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void Profile::start(const NodeShare& share, const Window& by) {
  Entry& e = entry(share.node);
  learn_releases(e, share.node);
  take(e.now, share);
  note_fullness(share.node);
  started_.push_back(share);
  const Time until = std::min(by.until, now_ + kNoLimitLeaves);
  auto after = std::upper_bound(e.releases.begin(), e.releases.end(), until,
                                [](Time t, const Release& r) { return t < r.at; });
  e.releases.insert(after, {until, &started_.back(), by.partition->name.view()});
  if (by.exclusive_user) e.private_to = by.user;
  has_private_nodes_ |= by.exclusive_user;
  e.started.push_back(by);
  e.started_cpus.push_back(static_cast<std::uint32_t>(share.cpus.size()));
}

void Profile::promise(const NodeShare& share, const Window& to) {
  Entry& e = entry(share.node);
  e.promises.push_back({to.from, to.until, static_cast<std::uint32_t>(share.cpus.size()),
                        share.memory_mib, share.gres, access_to(e, share.node, to).only});
}

Profile::Trial::~Trial() {
  for (auto& [node, entry] : before_) {
    profile_.entry(node) = std::move(entry);
    profile_.note_fullness(node);
  }
  --profile_.trials_;
}

void Profile::Trial::give(const Job& job, void (*back)(Free&, const NodeShare&)) {
  for (const NodeShare& share : job.allocation) {
    if (!job.unfinished.contains(share.node) || !profile_.available(share.node)) continue;
    ++profile_.questions_;  // it costs about as much
    Entry& e = profile_.entry(share.node);
    profile_.learn_releases(e, share.node);
    before_.try_emplace(share.node, e);
    std::erase_if(e.releases, [&](const Release& r) { return r.share == &share; });
    back(e.now, share);
    profile_.note_fullness(share.node);
    e.now.untouched = e.releases.empty();
  }
}

void Profile::Trial::vacate(const Job& job) { give(job, &give_back); }

void Profile::Trial::lend(const Job& job) {
  give(job, [](Free& free, const NodeShare& share) { give_back_cpus(free, share.cpus); });
}

}  // namespace muster::sched
