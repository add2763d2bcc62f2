// Placer: chooses the nodes for one request and distributes its tasks over them. The ways to choose
// are in three files: first nodes that suffice (placer.cc), segments of neighbours
// (placer_segments.cc), and nodes close together in the topology (placer_near.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/place/node_fit.h"
#include "sched/place/node_segments.h"
#include "sched/place/place.h"
#include "sched/place/task_counts.h"

namespace muster::sched {

class Placer {
 public:
  Placer(const Cluster& cluster, const ResourceRequest& request, const FreeOn& free,
         const FreeUpperBoundOn& bound)
      : cluster_(cluster), request_(request), free_(free), upper_bound_on_(bound) {}

  std::optional<std::vector<NodeShare>> run(const std::vector<NodeId>& nodes);

 private:
  struct Usable {
    NodeId node;
    TaskRoom room;
    std::uint64_t gpus = 0;  // that it can give, if GPUs are counted over the whole job
  };
  struct Chosen {
    NodeId node;
    std::uint32_t tasks = 0, capacity = 0;
  };
  enum class Order : std::uint8_t { as_they_come, roomiest_first };
  using Shares = std::optional<std::vector<NodeShare>>;

  bool is_plain() const;
  Shares place_among(const std::vector<NodeId>& nodes);
  Shares first_usable(const std::vector<NodeId>& nodes);
  Shares lightest_first();
  Shares place_on_usable() const;
  bool can_use_segments() const;
  Shares place_by_segments(const std::vector<NodeId>& nodes);
  Shares place_on_last(const std::vector<NodeId>& nodes);
  void forget_weights();
  void make_offers(const std::vector<NodeId>& nodes, std::size_t most);
  std::uint32_t tasks_at_most(NodeId node, const FreeUpperBound& bound);
  bool tasks_follow_gpus() const;
  void follow_gpus(std::vector<Chosen>& chosen) const;
  GpuCounts gpus_counted() const;
  std::uint64_t gpus_on(NodeId node, const Free& free) const;
  bool take_gpus(NodeFit& fit, std::uint64_t later, GpuCounts& left) const;
  std::uint64_t gpus_wanted() const;
  bool weigh_gpus(std::uint64_t wanted);
  std::uint32_t fewest_nodes(std::uint64_t gpus) const;
  PlacementNeed placement_need() const;
  Shares counted_gpus(std::uint64_t gpus);
  Shares from_offers();
  Shares offered_to(const PlacementNeed& need);
  bool probe_offer(std::size_t offer);
  std::vector<Usable> usable_of(const std::vector<std::size_t>& offers) const;
  bool are_neighbours(std::vector<std::size_t> offers) const;
  bool hold_all_tasks() const;
  TaskRoom room_on(const Node& node, const NodeFit& fit) const;
  Shares choose(std::uint32_t count, Order order) const;
  Shares close_together(std::uint32_t count, Order order) const;
  Shares place_with_required(std::uint32_t count, std::vector<Usable> others, Order order) const;
  void neighbours_first(NodeId required, std::vector<Usable>& others) const;
  Shares neighbours(std::uint32_t count) const;
  Shares place_on(const std::vector<Usable>& in_order) const;
  bool has_required(const std::vector<NodeShare>& shares) const;
  bool covers_required() const;
  const Usable* find(NodeId id) const;
  void by_free_cpus();
  std::optional<std::vector<std::uint32_t>> distribute(const std::vector<Usable>& chosen) const;
  void count_tasks(std::vector<NodeShare>& shares) const;
  std::optional<std::vector<std::uint32_t>> as_listed(const std::vector<Usable>& chosen) const;

  const Cluster& cluster_;
  const ResourceRequest& request_;
  const FreeOn& free_;
  const FreeUpperBoundOn& upper_bound_on_;
  std::vector<Usable> usable_;
  std::vector<NodeOffer> offers_;
  std::size_t looked_at_ = 0;                   // number of nodes turned into offers
  std::vector<std::optional<TaskRoom>> rooms_;  // parallel to the offers; set once probed
  std::vector<std::uint64_t> gpus_;             // parallel to the offers: GPUs they can give
  std::vector<std::optional<std::uint32_t>> idle_tasks_;  // tasks on an idle node, by its kind
};

// The nodes in the list that have these features.
std::vector<NodeId> having(const Cluster& cluster, const std::vector<FeatureTerm>& features,
                           const std::vector<NodeId>& nodes);

}  // namespace muster::sched
