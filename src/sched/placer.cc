#include "sched/placer.h"

#include <algorithm>
#include <map>

#include "sched/node_fit.h"

namespace muster::sched {

std::vector<NodeId> having(const Cluster& cluster, const std::vector<FeatureTerm>& features,
                           const std::vector<NodeId>& nodes) {
  std::vector<NodeId> found;
  for (NodeId id : nodes)
    if (has_features(cluster.nodes.at(id), features)) found.push_back(id);
  return found;
}

Placer::Shares Placer::run(const std::vector<NodeId>& nodes) {
  if (request_.constraint.same.empty()) return among(nodes);
  for (const auto& feature : request_.constraint.same)
    if (auto shares = among(having(cluster_, feature, nodes))) return shares;
  return std::nullopt;
}

bool Placer::is_plain() const {
  return request_.required_nodes.empty() && request_.constraint.counts.empty() &&
         !request_.contiguous && !request_.least_loaded && !request_.spread &&
         !request_.as_many_nodes && !request_.topology;
}

Placer::Shares Placer::among(const std::vector<NodeId>& nodes) {
  usable_.clear();
  for (NodeId id : nodes) {
    const Free* free = free_(id);
    if (!free) continue;
    NodeFit fit(request_, cluster_.nodes.at(id), *free);
    std::uint32_t capacity = fit.task_capacity();
    if (capacity == 0) continue;
    std::uint32_t least = std::max(1u, fit.cpus_for(1) / request_.cpus_per_task);
    while (least > 1 && fit.cpus_for(least) > fit.cpus_for(1)) --least;
    usable_.push_back({id, capacity, std::min(capacity, least)});
    // Mostly the first nodes that have room will do, and the others need not be looked at.
    if (usable_.size() == request_.min_nodes && is_plain())
      if (auto shares = on(usable_)) return shares;
  }
  if (!covers_required()) return std::nullopt;
  if (request_.least_loaded) by_free_cpus();
  if (!hold_all_tasks()) return std::nullopt;
  auto most =
      std::min<std::uint32_t>(request_.max_nodes, static_cast<std::uint32_t>(usable_.size()));
  const bool most_first = request_.spread || request_.as_many_nodes;
  if (most_first && !request_.tasks_follow_nodes)
    most = std::min(most, std::max(request_.tasks, request_.min_nodes));
  for (std::uint32_t i = 0; request_.min_nodes + i <= most; ++i) {
    std::uint32_t count = most_first ? most - i : request_.min_nodes + i;
    if (auto shares = choose(count)) return shares;
  }
  return std::nullopt;
}

// All usable nodes together, which says nothing yet of those that will be chosen.
bool Placer::hold_all_tasks() const {
  if (request_.tasks_follow_nodes || !request_.tasks_on_required.empty()) return true;
  std::uint64_t room = 0;
  for (const Usable& u : usable_) room += u.capacity;
  return room >= request_.tasks;
}

Placer::Shares Placer::choose(std::uint32_t count) const {
  if (request_.contiguous) return neighbours(count);
  if (!request_.topology || count == 1) return of_all(count, usable_);
  return close_together(count);
}

// Below one switch, and on as few leaves as possible.
Placer::Shares Placer::close_together(std::uint32_t count) const {
  std::vector<NodeId> ids;
  ids.reserve(usable_.size());
  for (const Usable& u : usable_) ids.push_back(u.node);
  for (const std::vector<NodeId>& nodes : nodes_by_switch(*request_.topology, ids, count)) {
    std::vector<Usable> here;
    here.reserve(nodes.size());
    for (NodeId id : nodes) here.push_back(*find(id));
    auto shares = of_all(count, here);
    if (!shares || !has_required(*shares)) continue;
    std::vector<NodeId> chosen;
    for (const NodeShare& share : *shares) chosen.push_back(share.node);
    if (request_.switches_max && leaves_of(*request_.topology, chosen) > request_.switches_max)
      continue;
    return shares;
  }
  return std::nullopt;
}

bool Placer::has_required(const std::vector<NodeShare>& shares) const {
  return std::ranges::all_of(request_.required_nodes, [&](NodeId id) {
    return std::ranges::find(shares, id, &NodeShare::node) != shares.end();
  });
}

bool Placer::covers_required() const {
  return std::all_of(request_.required_nodes.begin(), request_.required_nodes.end(),
                     [&](NodeId id) { return find(id) != nullptr; });
}
const Placer::Usable* Placer::find(NodeId id) const {
  auto at =
      std::find_if(usable_.begin(), usable_.end(), [&](const Usable& u) { return u.node == id; });
  return at == usable_.end() ? nullptr : &*at;
}

void Placer::by_free_cpus() {
  auto share = [&](const Usable& u) {
    return static_cast<double>(free_(u.node)->usable_cpus()) /
           std::max(1u, cluster_.nodes.at(u.node).config.cpus);
  };
  std::stable_sort(usable_.begin(), usable_.end(),
                   [&](const Usable& a, const Usable& b) { return share(a) > share(b); });
}

// The required nodes, those of counted features, then the first others; if these hold too few
// tasks, the roomiest ones.
Placer::Shares Placer::of_all(std::uint32_t count, std::vector<Usable> others) const {
  std::vector<Usable> first;
  auto move_over = [&](auto matches, std::uint32_t n) {
    for (auto at = others.begin(); at != others.end() && n > 0;) {
      if (!matches(*at)) {
        ++at;
        continue;
      }
      first.push_back(*at);
      at = others.erase(at);
      --n;
    }
    return n == 0;
  };
  const auto& required = request_.required_nodes;
  move_over(
      [&](const Usable& u) { return std::binary_search(required.begin(), required.end(), u.node); },
      static_cast<std::uint32_t>(required.size()));
  for (const FeatureCount& c : request_.constraint.counts) {
    auto has = [&](const Usable& u) { return has_features(cluster_.nodes.at(u.node), c.what); };
    if (!move_over(has, std::min(c.nodes, count))) return std::nullopt;
  }
  if (first.size() > count) return std::nullopt;
  auto choose = [&]() -> Shares {
    const std::size_t rest = count - first.size();
    if (others.size() < rest) return std::nullopt;
    std::vector<Usable> chosen;
    chosen.reserve(count);
    chosen = first;
    chosen.insert(chosen.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(rest));
    return on(std::move(chosen));
  };
  if (auto shares = choose()) return shares;
  if (!std::ranges::is_sorted(others, std::ranges::greater{}, &Usable::capacity))
    std::ranges::stable_sort(others, std::ranges::greater{}, &Usable::capacity);
  return choose();
}

// Nodes next to each other in the cluster's order, as early as possible.
Placer::Shares Placer::neighbours(std::uint32_t count) const {
  std::map<NodeId, Usable> usable;
  for (const Usable& u : usable_) usable[u.node] = u;
  std::vector<Usable> run;
  for (NodeId id : *cluster_.node_order) {
    auto at = usable.find(id);
    if (at == usable.end()) {
      run.clear();
      continue;
    }
    run.push_back(at->second);
    if (run.size() > count) run.erase(run.begin());
    if (run.size() < count) continue;
    bool complete = std::all_of(
        request_.required_nodes.begin(), request_.required_nodes.end(), [&](NodeId required) {
          return std::any_of(run.begin(), run.end(),
                             [&](const Usable& u) { return u.node == required; });
        });
    if (!complete) continue;
    if (auto shares = on(run)) return shares;
  }
  return std::nullopt;
}

Placer::Shares Placer::on(std::vector<Usable> chosen) const {
  std::sort(chosen.begin(), chosen.end(),
            [](const Usable& a, const Usable& b) { return a.node < b.node; });
  auto tasks = distribute(chosen);
  if (!tasks) return std::nullopt;
  std::vector<NodeShare> shares;
  shares.reserve(chosen.size());
  std::uint64_t gpus_left = request_.gpus_total ? request_.gpus_total->count : 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Free& free = *free_(chosen[i].node);
    NodeFit fit(request_, cluster_.nodes.at(chosen[i].node), free);
    auto share = fit.take((*tasks)[i]);
    if (!share) return std::nullopt;
    if (request_.gpus_total) {
      // Every later node needs at least one of what is left.
      std::uint64_t later = chosen.size() - i - 1;
      if (gpus_left <= later) return std::nullopt;
      Devices left = fit.devices_beside(*share);
      std::uint64_t n = std::min(free_devices(left, *request_.gpus_total), gpus_left - later);
      if (n == 0 || !take_devices(left, *request_.gpus_total, n, share->gres,
                                  fit.preferred_gpus(share->cpus)))
        return std::nullopt;
      gpus_left -= n;
    }
    shares.push_back(std::move(*share));
  }
  if (gpus_left > 0) return std::nullopt;
  return shares;
}

// The first node takes what the others leave over, which have one task each, or as many as there
// is room for on the core that it gets; spread evenly if asked.
std::optional<std::vector<std::uint32_t>> Placer::distribute(
    const std::vector<Usable>& chosen) const {
  std::vector<std::uint32_t> tasks;
  if (request_.tasks_follow_nodes) {
    std::uint32_t each = std::max(1u, request_.tasks_per_node_max);
    for (const Usable& u : chosen) {
      if (u.capacity < each) return std::nullopt;
      tasks.push_back(each);
    }
    return tasks;
  }
  if (!request_.tasks_on_required.empty()) return as_listed(chosen);
  std::uint64_t left = request_.tasks, room_later = 0;
  for (const Usable& u : chosen) room_later += u.least;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::uint64_t later = chosen.size() - i - 1;
    room_later -= chosen[i].least;
    std::uint64_t wanted =
        std::max<std::uint64_t>(left > room_later ? left - room_later : 0, chosen[i].least);
    std::uint64_t n =
        left > later ? std::min<std::uint64_t>({chosen[i].capacity, left - later, wanted}) : 0;
    if (request_.spread) n = std::min(n, (left + later) / (later + 1));
    if (n == 0) return std::nullopt;
    tasks.push_back(static_cast<std::uint32_t>(n));
    left -= n;
  }
  if (left > 0) return std::nullopt;
  return tasks;
}

std::optional<std::vector<std::uint32_t>> Placer::as_listed(
    const std::vector<Usable>& chosen) const {
  std::vector<std::uint32_t> tasks;
  for (const Usable& u : chosen) {
    auto at = std::ranges::find(request_.required_nodes, u.node);
    if (at == request_.required_nodes.end()) return std::nullopt;
    tasks.push_back(
        request_.tasks_on_required[static_cast<std::size_t>(at - request_.required_nodes.begin())]);
    if (u.capacity < tasks.back()) return std::nullopt;
  }
  return tasks;
}

}  // namespace muster::sched
