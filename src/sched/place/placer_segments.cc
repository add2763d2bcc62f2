// Chooses nodes by segments (node_segments.h). The first choice uses upper bounds; only the chosen
// nodes are probed for what is really free. All nodes are probed only if that leads nowhere.
#include <algorithm>
#include <functional>

#include "sched/place/placer.h"

namespace muster::sched {

bool Placer::can_use_segments() const {
  return upper_bound_on_ && request_.constraint.counts.empty() &&
         request_.tasks_on_required.empty() && !request_.least_loaded && !request_.topology &&
         !request_.spread && !request_.first_nodes;
}

// pack_serial_at_end: takes the last node of the lowest weight that fits.
Placer::Shares Placer::place_on_last(const std::vector<NodeId>& nodes) {
  auto rank = [&](NodeId id) { return upper_bound_on_(id).rank; };
  for (auto begin = nodes.begin(); begin != nodes.end();) {
    const auto end = std::ranges::upper_bound(begin, nodes.end(), rank(*begin), {}, rank);
    for (auto at = end; at != begin;) {
      const NodeId id = *--at;
      const Free* free = tasks_at_most(id, upper_bound_on_(id)) > 0 ? free_(id) : nullptr;
      if (!free) continue;
      const Node& node = cluster_.nodes.at(id);
      const TaskRoom room = room_on(node, NodeFit(request_, node, *free));
      if (room.capacity == 0) continue;
      if (auto shares = place_on({{id, room}})) return shares;
    }
    begin = end;
  }
  return std::nullopt;
}

// Contiguous nodes are chosen by position, whatever their weight.
void Placer::forget_weights() {
  for (NodeOffer& offer : offers_) offer.rank >>= kWeightBits;
  std::ranges::stable_sort(offers_, {},
                           [](const NodeOffer& o) { return std::pair(o.rank, o.place); });
}

// An upper bound of the tasks that fit: what an idle node of this kind holds, and no more than the
// free CPUs and memory allow.
std::uint32_t Placer::tasks_at_most(NodeId node, const FreeUpperBound& bound) {
  if (bound.cpus == 0) return 0;
  if (bound.kind >= idle_tasks_.size()) idle_tasks_.resize(bound.kind + 1);
  std::optional<std::uint32_t>& idle = idle_tasks_[bound.kind];
  if (!idle) {
    const Node& example = cluster_.nodes.at(node);
    const Free free = all_of(example);
    idle = NodeFit(request_, example, free).task_capacity();
  }
  if (bound.untouched || *idle == 0) return *idle;
  if (request_.exclusive || request_.memory_per_node_mib.value_or(0) > bound.memory_mib) return 0;
  for (const GresRequest& g : request_.gres_per_node)
    if (g.name == "gpu" && g.count > bound.gpus) return 0;
  std::uint64_t cpus = bound.cpus;
  if (const std::uint64_t each = request_.memory_per_cpu_mib.value_or(0); each > 0)
    cpus = std::min(cpus, bound.memory_mib / each);
  if (cpus == 0 || request_.overcommit) return cpus == 0 ? 0 : *idle;
  return std::min(*idle, static_cast<std::uint32_t>(cpus / request_.cpus_per_task));
}

static std::uint32_t leaf_of(const ResourceRequest& request, NodeId node) {
  const bool known = request.leaves && node.value < request.leaves->size();
  return known ? (*request.leaves)[node.value] : 0;
}

// Turns nodes into offers until there are `most` offers.
void Placer::make_offers(const std::vector<NodeId>& nodes, std::size_t most) {
  offers_.reserve(std::min(most, offers_.size() + nodes.size() - looked_at_));
  for (; looked_at_ < nodes.size() && offers_.size() < most; ++looked_at_) {
    const NodeId id = nodes[looked_at_];
    const FreeUpperBound bound = upper_bound_on_(id);
    const std::uint32_t tasks = tasks_at_most(id, bound);
    if (tasks == 0 || tasks < request_.tasks_on_each_node()) continue;
    const bool is_required = std::ranges::binary_search(request_.required_nodes, id);
    offers_.push_back(
        {id, bound.place, bound.rank, bound.cpus, tasks, is_required, leaf_of(request_, id)});
  }
  rooms_.resize(offers_.size());
}

PlacementNeed Placer::placement_need() const {
  PlacementNeed need{.min_nodes = request_.min_nodes,
                     .wanted_nodes = request_.min_nodes,
                     .max_nodes = request_.max_nodes,
                     .tasks = request_.tasks,
                     .contiguous = request_.contiguous};
  if (request_.as_many_nodes) need.wanted_nodes = request_.wanted_nodes;
  return need;
}

// Probes the node of this offer. True if it has what the upper bound said.
bool Placer::probe_offer(std::size_t i) {
  if (rooms_[i]) return true;
  rooms_[i] = TaskRoom{};
  NodeOffer& offer = offers_[i];
  const NodeOffer thought = offer;
  offer.tasks = offer.cpus = 0;
  if (const Free* free = free_(offer.node)) {
    const Node& node = cluster_.nodes.at(offer.node);
    rooms_[i] = room_on(node, NodeFit(request_, node, *free));
    offer.cpus = free->usable_cpus();
    offer.tasks = rooms_[i]->capacity < request_.tasks_on_each_node() ? 0 : rooms_[i]->capacity;
  }
  return offer.tasks == thought.tasks && offer.cpus == thought.cpus;
}

std::vector<Placer::Usable> Placer::usable_of(const std::vector<std::size_t>& offers) const {
  std::vector<Usable> usable;
  usable.reserve(offers.size());
  for (std::size_t i : offers) usable.push_back({offers_[i].node, *rooms_[i]});
  return usable;
}

bool Placer::are_neighbours(std::vector<std::size_t> offers) const {
  std::ranges::sort(offers, {}, [&](std::size_t i) { return offers_[i].place; });
  return offers_[offers.back()].place - offers_[offers.front()].place + 1 == offers.size();
}

// Chooses nodes and probes them. If one has less than its upper bound, it chooses again; after a
// few such surprises it takes the choice as it is.
Placer::Shares Placer::offered_to(const PlacementNeed& need) {
  constexpr int kSurprises = 4;
  for (int i = 0; i <= kSurprises; ++i) {
    const auto chosen = choose_offers(offers_, need);
    if (!chosen) return std::nullopt;
    bool as_thought = true;
    for (std::size_t offer : *chosen) as_thought &= probe_offer(offer);
    if (!as_thought && i < kSurprises) continue;
    if (need.contiguous && !are_neighbours(*chosen)) return std::nullopt;
    return place_on(usable_of(*chosen));
  }
  return std::nullopt;
}

std::uint64_t Placer::gpus_wanted() const {
  return sum_of(request_.gpus_total) + sum_of(request_.gpus_per_task) * request_.tasks;
}

// The GPUs that the node can give to the job.
std::uint64_t Placer::gpus_on(NodeId node, const Free& free) const {
  std::uint64_t gpus = 0;
  if (!request_.gpus_total.empty()) {
    NodeFit fit(request_, cluster_.nodes.at(node), free);
    for (std::uint64_t of_type : fit.count_gpus(gpus_counted())) gpus += of_type;
  }
  for (const GresRequest& g : request_.gpus_per_task) gpus += free_devices(free.gres, g);
  return gpus;
}

// For GPUs counted over the whole job: ranks nodes with more free GPUs first, so that the job gets
// few nodes. False if all nodes together have too few.
bool Placer::weigh_gpus(std::uint64_t wanted) {
  gpus_.clear();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    probe_offer(i);
    NodeOffer& offer = offers_[i];
    const Free* free = offer.tasks ? free_(offer.node) : nullptr;
    const std::uint64_t gpus = free ? std::min(wanted, gpus_on(offer.node, *free)) : 0;
    offer.rank = offer.rank * (wanted + 1) + (wanted - gpus);
    gpus_.push_back(gpus);
    sum += gpus;
    if (!request_.gpus_per_task.empty())
      offer.cpus = std::min(offer.cpus, offer.tasks * request_.cpus_per_task);
  }
  return sum >= wanted;
}

// The fewest nodes that can have this many GPUs together.
std::uint32_t Placer::fewest_nodes(std::uint64_t gpus) const {
  std::vector<std::uint64_t> most = gpus_;
  std::ranges::sort(most, std::greater{});
  std::uint32_t nodes = 0;
  for (std::uint64_t sum = 0; nodes < most.size() && sum < gpus; ++nodes) sum += most[nodes];
  return nodes;
}

Placer::Shares Placer::counted_gpus(std::uint64_t gpus) {
  if (!weigh_gpus(gpus)) return std::nullopt;
  PlacementNeed need = this->placement_need();
  need.min_nodes = std::max(need.min_nodes, fewest_nodes(gpus));
  for (; need.min_nodes <= std::min<std::size_t>(need.max_nodes, offers_.size());
       ++need.min_nodes) {
    need.wanted_nodes = std::max(need.wanted_nodes, need.min_nodes);
    if (auto shares = offered_to(need)) return shares;
  }
  return std::nullopt;
}

Placer::Shares Placer::from_offers() {
  if (auto shares = offered_to(placement_need())) return shares;
  if (!may_suffice(offers_, placement_need())) return std::nullopt;
  for (std::size_t i = 0; i < offers_.size(); ++i) probe_offer(i);
  return offered_to(placement_need());
}

// In a large cluster the best of the first nodes will do; the others need not be examined.
Placer::Shares Placer::place_by_segments(const std::vector<NodeId>& nodes) {
  const std::uint64_t gpus = gpus_wanted();
  const bool any = request_.required_nodes.empty() && !request_.contiguous && gpus == 0;
  if (request_.last_node && any) return place_on_last(nodes);
  constexpr std::size_t kMany = 128, kSome = 64;
  offers_.clear();
  rooms_.clear();
  looked_at_ = 0;
  std::size_t most = nodes.size();
  if (any && nodes.size() > kMany) most = kSome + 2 * std::size_t{request_.min_nodes};
  do {
    make_offers(nodes, most);
    if (std::ranges::count_if(offers_, &NodeOffer::required) != std::ssize(request_.required_nodes))
      return std::nullopt;
    if (request_.contiguous) forget_weights();
    if (auto shares = gpus > 0 ? counted_gpus(gpus) : from_offers()) return shares;
    most *= 4;
  } while (looked_at_ < nodes.size());
  if (!may_suffice(offers_, placement_need())) return std::nullopt;
  for (std::size_t i = 0; i < offers_.size(); ++i)
    if (rooms_[i] && offers_[i].tasks > 0) usable_.push_back({offers_[i].node, *rooms_[i]});
  return std::nullopt;
}

}  // namespace muster::sched
