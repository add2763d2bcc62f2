// The nodes that node_runs chooses, by rough numbers first: only those that are chosen are asked
// what they really have, and all of them only where that leads nowhere.
#include <algorithm>
#include <functional>

#include "sched/place/placer.h"

namespace muster::sched {

bool Placer::goes_by_runs() const {
  return rough_ && request_.constraint.counts.empty() && request_.tasks_on_required.empty() &&
         !request_.least_loaded && !request_.topology && !request_.spread && !request_.first_nodes;
}

// pack_serial_at_end: the last of the lightest nodes.
Placer::Shares Placer::last_of(const std::vector<NodeId>& nodes) {
  auto rank = [&](NodeId id) { return rough_(id).rank; };
  for (auto begin = nodes.begin(); begin != nodes.end();) {
    const auto end = std::ranges::upper_bound(begin, nodes.end(), rank(*begin), {}, rank);
    for (auto at = end; at != begin;) {
      const NodeId id = *--at;
      const Free* free = tasks_at_most(id, rough_(id)) > 0 ? free_(id) : nullptr;
      if (!free) continue;
      const Node& node = cluster_.nodes.at(id);
      const TaskRoom room = room_on(node, NodeFit(request_, node, *free));
      if (room.capacity == 0) continue;
      if (auto shares = on({{id, room}})) return shares;
    }
    begin = end;
  }
  return std::nullopt;
}

// Neighbours are chosen by where they are, however heavy.
void Placer::forget_weights() {
  for (Offer& offer : offers_) offer.rank >>= kWeightBits;
  std::ranges::stable_sort(offers_, {}, [](const Offer& o) { return std::pair(o.rank, o.place); });
}

// On an idle node of its kind it has so much room, on this one at most what its CPUs and memory
// have.
std::uint32_t Placer::tasks_at_most(NodeId node, const Rough& rough) {
  if (rough.cpus == 0) return 0;
  if (rough.kind >= idle_tasks_.size()) idle_tasks_.resize(rough.kind + 1);
  std::optional<std::uint32_t>& idle = idle_tasks_[rough.kind];
  if (!idle) {
    const Node& example = cluster_.nodes.at(node);
    const Free free = all_of(example);
    idle = NodeFit(request_, example, free).task_capacity();
  }
  if (rough.untouched || *idle == 0) return *idle;
  if (request_.exclusive || request_.memory_per_node_mib.value_or(0) > rough.memory_mib) return 0;
  for (const GresRequest& g : request_.gres_per_node)
    if (g.name == "gpu" && g.count > rough.gpus) return 0;
  std::uint64_t cpus = rough.cpus;
  if (const std::uint64_t each = request_.memory_per_cpu_mib.value_or(0); each > 0)
    cpus = std::min(cpus, rough.memory_mib / each);
  if (cpus == 0 || request_.overcommit) return cpus == 0 ? 0 : *idle;
  return std::min(*idle, static_cast<std::uint32_t>(cpus / request_.cpus_per_task));
}

static std::uint32_t leaf_of(const Request& request, NodeId node) {
  const bool known = request.leaves && node.value < request.leaves->size();
  return known ? (*request.leaves)[node.value] : 0;
}

// Until there are so many.
void Placer::make_offers(const std::vector<NodeId>& nodes, std::size_t most) {
  offers_.reserve(std::min(most, offers_.size() + nodes.size() - looked_at_));
  for (; looked_at_ < nodes.size() && offers_.size() < most; ++looked_at_) {
    const NodeId id = nodes[looked_at_];
    const Rough rough = rough_(id);
    const std::uint32_t tasks = tasks_at_most(id, rough);
    if (tasks == 0 || tasks < request_.tasks_on_each_node()) continue;
    const bool is_required = std::ranges::binary_search(request_.required_nodes, id);
    offers_.push_back(
        {id, rough.place, rough.rank, rough.cpus, tasks, is_required, leaf_of(request_, id)});
  }
  rooms_.resize(offers_.size());
}

Need Placer::need() const {
  Need need{.min_nodes = request_.min_nodes,
            .wanted_nodes = request_.min_nodes,
            .max_nodes = request_.max_nodes,
            .tasks = request_.tasks,
            .contiguous = request_.contiguous};
  if (request_.as_many_nodes) need.wanted_nodes = request_.wanted_nodes;
  return need;
}

// Is it as was thought?
bool Placer::ask(std::size_t i) {
  if (rooms_[i]) return true;
  rooms_[i] = TaskRoom{};
  Offer& offer = offers_[i];
  const Offer thought = offer;
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

// Whoever turns out to have less than was thought is not so much of a choice any more; after some
// such surprises what there is will do.
Placer::Shares Placer::offered_to(const Need& need) {
  constexpr int kSurprises = 4;
  for (int i = 0; i <= kSurprises; ++i) {
    const auto chosen = choose_offers(offers_, need);
    if (!chosen) return std::nullopt;
    bool as_thought = true;
    for (std::size_t offer : *chosen) as_thought &= ask(offer);
    if (!as_thought && i < kSurprises) continue;
    if (need.contiguous && !are_neighbours(*chosen)) return std::nullopt;
    return on(usable_of(*chosen));
  }
  return std::nullopt;
}

std::uint64_t Placer::gpus_wanted() const {
  return sum_of(request_.gpus_total) + sum_of(request_.gpus_per_task) * request_.tasks;
}

// That it can give to the job.
std::uint64_t Placer::gpus_on(NodeId node, const Free& free) const {
  std::uint64_t gpus = 0;
  if (!request_.gpus_total.empty()) {
    NodeFit fit(request_, cluster_.nodes.at(node), free);
    for (std::uint64_t of_type : fit.count_gpus(gpus_counted())) gpus += of_type;
  }
  for (const GresRequest& g : request_.gpus_per_task) gpus += free_devices(free.gres, g);
  return gpus;
}

// GPUs that are counted over the whole job: nodes that have more of them to give go first, so that
// it is on few nodes. Is there enough?
bool Placer::weigh_gpus(std::uint64_t wanted) {
  gpus_.clear();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    ask(i);
    Offer& offer = offers_[i];
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

// That have so many, if they are those with the most.
std::uint32_t Placer::fewest_nodes(std::uint64_t gpus) const {
  std::vector<std::uint64_t> most = gpus_;
  std::ranges::sort(most, std::greater{});
  std::uint32_t nodes = 0;
  for (std::uint64_t sum = 0; nodes < most.size() && sum < gpus; ++nodes) sum += most[nodes];
  return nodes;
}

Placer::Shares Placer::counted_gpus(std::uint64_t gpus) {
  if (!weigh_gpus(gpus)) return std::nullopt;
  Need need = this->need();
  need.min_nodes = std::max(need.min_nodes, fewest_nodes(gpus));
  for (; need.min_nodes <= std::min<std::size_t>(need.max_nodes, offers_.size());
       ++need.min_nodes) {
    need.wanted_nodes = std::max(need.wanted_nodes, need.min_nodes);
    if (auto shares = offered_to(need)) return shares;
  }
  return std::nullopt;
}

Placer::Shares Placer::from_offers() {
  if (auto shares = offered_to(need())) return shares;
  if (!may_suffice(offers_, need())) return std::nullopt;
  for (std::size_t i = 0; i < offers_.size(); ++i) ask(i);
  return offered_to(need());
}

// In a large cluster the best of many will do, and the others need not be looked at.
Placer::Shares Placer::by_runs(const std::vector<NodeId>& nodes) {
  const std::uint64_t gpus = gpus_wanted();
  const bool any = request_.required_nodes.empty() && !request_.contiguous && gpus == 0;
  if (request_.last_node && any) return last_of(nodes);
  constexpr std::size_t kMany = 128, kSome = 64;
  offers_.clear();
  rooms_.clear();
  looked_at_ = 0;
  std::size_t most = nodes.size();
  if (any && nodes.size() > kMany) most = kSome + 2 * std::size_t{request_.min_nodes};
  do {
    make_offers(nodes, most);
    if (std::ranges::count_if(offers_, &Offer::required) != std::ssize(request_.required_nodes))
      return std::nullopt;
    if (request_.contiguous) forget_weights();
    if (auto shares = gpus > 0 ? counted_gpus(gpus) : from_offers()) return shares;
    most *= 4;
  } while (looked_at_ < nodes.size());
  if (!may_suffice(offers_, need())) return std::nullopt;
  for (std::size_t i = 0; i < offers_.size(); ++i)
    if (rooms_[i] && offers_[i].tasks > 0) usable_.push_back({offers_[i].node, *rooms_[i]});
  return std::nullopt;
}

}  // namespace muster::sched
