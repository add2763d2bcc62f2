// Chooses nodes in the order of the list, and distributes tasks and GPUs over chosen nodes.
#include "sched/place/placer.h"

#include <algorithm>
#include <array>
#include <functional>

namespace muster::sched {

std::vector<NodeId> having(const Cluster& cluster, const std::vector<FeatureTerm>& features,
                           const std::vector<NodeId>& nodes) {
  std::vector<NodeId> found;
  for (NodeId id : nodes)
    if (has_features(cluster.nodes.at(id), features)) found.push_back(id);
  return found;
}

Placer::Shares Placer::run(const std::vector<NodeId>& nodes) {
  if (request_.constraint.same.empty()) return place_among(nodes);
  for (const auto& feature : request_.constraint.same)
    if (auto shares = place_among(having(cluster_, feature, nodes))) return shares;
  return std::nullopt;
}

bool Placer::is_plain() const {
  return request_.required_nodes.empty() && request_.constraint.counts.empty() &&
         !request_.contiguous && !request_.least_loaded && !request_.as_many_nodes &&
         !request_.topology;
}

// Collects the usable nodes. Returns the shares at once if the first usable nodes will do.
Placer::Shares Placer::first_usable(const std::vector<NodeId>& nodes) {
  for (NodeId id : nodes) {
    const Free* free = free_(id);
    if (!free) continue;
    const Node& node = cluster_.nodes.at(id);
    const TaskRoom room = room_on(node, NodeFit(request_, node, *free));
    if (room.capacity == 0 || room.capacity < request_.tasks_on_each_node()) continue;
    usable_.push_back({id, room, request_.gpus_total.empty() ? 0 : gpus_on(id, *free)});
    // Mostly the first nodes with room will do, and the others need not be examined.
    if (usable_.size() == request_.min_nodes && is_plain())
      if (auto shares = place_on(usable_)) return shares;
  }
  return std::nullopt;
}

Placer::Shares Placer::place_among(const std::vector<NodeId>& nodes) {
  usable_.clear();
  if (auto shares = can_use_segments() ? place_by_segments(nodes) : first_usable(nodes))
    return shares;
  if (request_.least_loaded) by_free_cpus();
  return request_.topology ? lightest_first() : place_on_usable();
}

Placer::Shares Placer::place_on_usable() const {
  if (usable_.size() < request_.min_nodes || !covers_required() || !hold_all_tasks())
    return std::nullopt;
  constexpr std::array kOrders{Order::as_they_come, Order::roomiest_first};
  auto most =
      std::min<std::uint32_t>(request_.max_nodes, static_cast<std::uint32_t>(usable_.size()));
  if (request_.as_many_nodes) {
    most = std::min(most, request_.wanted_nodes);
    for (std::uint32_t count = most; count >= request_.min_nodes; --count)
      for (Order order : kOrders)
        if (auto shares = choose(count, order)) return shares;
    return std::nullopt;
  }
  // One node if some node can hold the job, or else the first nodes that are enough.
  if (request_.min_nodes == 1)
    for (Order order : kOrders)
      if (auto shares = choose(1, order)) return shares;
  for (Order order : kOrders)
    for (std::uint32_t count = request_.min_nodes; count <= most; ++count)
      if (auto shares = choose(count, order)) return shares;
  return std::nullopt;
}

TaskRoom Placer::room_on(const Node& node, const NodeFit& fit) const {
  TaskRoom room{.capacity = fit.task_capacity()};
  if (room.capacity == 0) return room;
  // A whole core is kept even if CPUs are allocated one by one.
  const std::uint32_t kept = std::max(fit.cpus_for(1), cpus_per_core(node));
  const bool by_core = request_.unit == ResourceRequest::Unit::core;
  std::uint32_t least = std::max(1u, kept / request_.cpus_per_task);
  while (by_core && least > 1 && fit.cpus_for(least) > kept) --least;
  room.kept = std::min(room.capacity, least);
  room.least = by_core ? room.kept : 1;
  room.floor = std::max(1u, request_.min_cpus_per_node / request_.cpus_per_task);
  return room;
}

// A quick check of all usable nodes together; the chosen ones may still have too little room.
bool Placer::hold_all_tasks() const {
  if (request_.tasks_follow_nodes || !request_.tasks_on_required.empty()) return true;
  std::uint64_t room = 0;
  for (const Usable& u : usable_) room += u.room.capacity;
  return room >= request_.tasks;
}

Placer::Shares Placer::choose(std::uint32_t count, Order order) const {
  if (request_.contiguous) return neighbours(count);
  if (!request_.topology || count == 1) return place_with_required(count, usable_, order);
  return close_together(count, order);
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
  std::ranges::stable_sort(usable_, {}, [&](const Usable& u) {
    return std::pair(preference(cluster_.nodes.at(u.node)), -share(u));
  });
}

// Takes the required nodes, then nodes for counted features, then the first others.
Placer::Shares Placer::place_with_required(std::uint32_t count, std::vector<Usable> others,
                                           Order order) const {
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
    if (!move_over(has, c.nodes)) return std::nullopt;
  }
  if (first.size() > count) return std::nullopt;
  const bool by_place = !request_.first_nodes && !request_.least_loaded && !request_.spread;
  if (!required.empty() && by_place) neighbours_first(required.front(), others);
  auto capacity = [](const Usable& u) { return std::pair(u.gpus, u.room.capacity); };
  if (order == Order::roomiest_first &&
      !std::ranges::is_sorted(others, std::ranges::greater{}, capacity))
    std::ranges::stable_sort(others, std::ranges::greater{}, capacity);
  const std::size_t wanted = count - first.size();
  if (others.size() < wanted) return std::nullopt;
  first.insert(first.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(wanted));
  return place_on(first);
}

// The shares on these nodes, in the order of the nodes. The first nodes of the list get most tasks.
Placer::Shares Placer::place_on(const std::vector<Usable>& in_order) const {
  const auto counts = distribute(in_order);
  if (!counts) return std::nullopt;
  std::vector<Chosen> chosen;
  chosen.reserve(in_order.size());
  for (std::size_t i = 0; i < in_order.size(); ++i)
    chosen.push_back({in_order[i].node, (*counts)[i], in_order[i].room.capacity});
  std::ranges::sort(chosen, {}, &Chosen::node);
  if (tasks_follow_gpus()) follow_gpus(chosen);
  std::vector<NodeShare> shares;
  shares.reserve(chosen.size());
  GpuCounts gpus_left = gpus_counted();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto [node, tasks, capacity] = chosen[i];
    NodeFit fit(request_, cluster_.nodes.at(node), *free_(node));
    const std::uint64_t later = chosen.size() - i - 1;
    if (!gpus_left.empty() && !take_gpus(fit, later, gpus_left)) return std::nullopt;
    auto share = fit.take(tasks);
    if (!share) return std::nullopt;
    if (request_.all_devices) fit.take_other_devices(*share);
    shares.push_back(std::move(*share));
  }
  if (std::ranges::any_of(gpus_left, std::identity{})) return std::nullopt;
  count_tasks(shares);
  return shares;
}

// With --gpus and --cpus-per-gpu the tasks go where the CPUs of the GPUs are.
bool Placer::tasks_follow_gpus() const {
  return request_.cpus_per_gpu && !request_.gpus_total.empty() && !request_.tasks_follow_nodes &&
         !request_.tasks_per_node && request_.tasks_on_required.empty() && !request_.whole_nodes &&
         !request_.overcommit;
}

// Distributes the tasks as evenly as the CPUs of each node's GPUs allow. If these are too few for
// all tasks, nothing changes.
void Placer::follow_gpus(std::vector<Chosen>& chosen) const {
  std::vector<std::uint32_t> rooms;
  GpuCounts left = gpus_counted();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    NodeFit fit(request_, cluster_.nodes.at(chosen[i].node), *free_(chosen[i].node));
    if (!take_gpus(fit, chosen.size() - i - 1, left)) return;
    rooms.push_back(std::clamp(fit.cpus_for(1) / request_.cpus_per_task, 1u, chosen[i].capacity));
  }
  const auto counts = in_turns(rooms, request_.tasks);
  for (std::size_t i = 0; counts && i < chosen.size(); ++i) chosen[i].tasks = (*counts)[i];
}

GpuCounts Placer::gpus_counted() const {
  GpuCounts counts;
  counts.reserve(request_.gpus_total.size());
  for (const GresRequest& g : request_.gpus_total) counts.push_back(g.count);
  return counts;
}

// Takes GPUs counted over the whole job. Each later node needs at least one GPU of each type that
// is left. False if this node gets no device at all.
bool Placer::take_gpus(NodeFit& fit, std::uint64_t later, GpuCounts& left) const {
  GpuCounts most = left;
  for (std::uint64_t& count : most) count -= std::min(count, later);
  const GpuCounts& taken = fit.count_gpus(std::move(most));
  for (std::size_t i = 0; i < left.size(); ++i) left[i] -= taken[i];
  return std::ranges::any_of(taken, std::identity{}) || !request_.gpus_per_task.empty() ||
         !request_.gpus_per_socket.empty() || !request_.gres_per_node.empty();
}

std::optional<std::vector<std::uint32_t>> Placer::distribute(
    const std::vector<Usable>& chosen) const {
  if (!request_.tasks_on_required.empty()) return as_listed(chosen);
  if (const std::uint32_t each = request_.tasks_on_each_node()) {
    auto has_room = [&](const Usable& u) { return u.room.capacity >= each; };
    const bool is_enough =
        request_.tasks_follow_nodes || std::uint64_t{each} * chosen.size() >= request_.tasks;
    if (!is_enough || !std::ranges::all_of(chosen, has_room)) return std::nullopt;
    return std::vector(chosen.size(), each);
  }
  std::vector<TaskRoom> rooms;
  rooms.reserve(chosen.size());
  for (const Usable& u : chosen) rooms.push_back(u.room);
  return first_nodes_most(rooms, request_.min_nodes, request_.tasks);
}

// Sets the task counts that users see. They follow the CPUs that the job got, which may be more
// than it needs (whole cores, whole nodes). Without -n there is one task for each cpus_per_task
// CPUs.
void Placer::count_tasks(std::vector<NodeShare>& shares) const {
  if (!request_.tasks_on_required.empty() || request_.tasks_per_node ||
      !request_.gpus_per_task.empty())
    return;
  std::vector<std::uint32_t> rooms;
  std::uint64_t sum = 0;
  for (const NodeShare& share : shares) {
    std::uint32_t room = share.usable_cpus() / request_.cpus_per_task;
    if (const std::uint32_t most = request_.tasks_per_core_max) {
      auto cores = static_cast<std::uint32_t>(share.cpus.size()) /
                   cpus_per_core(cluster_.nodes.at(share.node));
      room = std::min(room, cores * most);
    }
    rooms.push_back(std::max(1u, room));
    sum += rooms.back();
  }
  const auto each = static_cast<std::uint32_t>((request_.tasks + sum - 1) / sum);
  if (!request_.tasks_follow_nodes) {
    for (std::uint32_t& room : rooms) room *= std::max(1u, each);  // overcommitted
    auto counts = cluster_.settings().pack_nodes ? filled_up(rooms, request_.tasks)
                                                 : in_turns(rooms, request_.tasks);
    if (!counts) return;
    rooms = std::move(*counts);
  }
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i].tasks = rooms[i];
}

std::optional<std::vector<std::uint32_t>> Placer::as_listed(
    const std::vector<Usable>& chosen) const {
  std::vector<std::uint32_t> tasks;
  for (const Usable& u : chosen) {
    auto at = std::ranges::find(request_.required_nodes, u.node);
    if (at == request_.required_nodes.end()) return std::nullopt;
    tasks.push_back(
        request_.tasks_on_required[static_cast<std::size_t>(at - request_.required_nodes.begin())]);
    if (u.room.capacity < tasks.back()) return std::nullopt;
  }
  return tasks;
}

}  // namespace muster::sched
