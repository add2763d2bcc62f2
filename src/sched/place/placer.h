// Placer: chooses the nodes for one request and distributes its tasks over them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/place/node_fit.h"
#include "sched/place/node_runs.h"
#include "sched/place/place.h"
#include "sched/place/task_counts.h"

namespace muster::sched {

class Placer {
 public:
  Placer(const Cluster& cluster, const Request& request, const FreeOn& free, const RoughOn& rough)
      : cluster_(cluster), request_(request), free_(free), rough_(rough) {}

  std::optional<std::vector<NodeShare>> run(const std::vector<NodeId>& nodes);

 private:
  struct Usable {
    NodeId node;
    TaskRoom room;
    std::uint64_t gpus = 0;  // of those that are counted over the whole job
  };
  struct Chosen {
    NodeId node;
    std::uint32_t tasks = 0, capacity = 0;
  };
  enum class Order : std::uint8_t { as_they_come, roomiest_first };
  using Shares = std::optional<std::vector<NodeShare>>;

  bool is_plain() const;
  Shares among(const std::vector<NodeId>& nodes);
  Shares first_usable(const std::vector<NodeId>& nodes);
  Shares lightest_first();
  Shares of_usable() const;
  bool goes_by_runs() const;
  Shares by_runs(const std::vector<NodeId>& nodes);
  Shares last_of(const std::vector<NodeId>& nodes);
  void forget_weights();
  void make_offers(const std::vector<NodeId>& nodes, std::size_t most);
  std::uint32_t tasks_at_most(NodeId node, const Rough& rough);
  bool tasks_follow_gpus() const;
  void follow_gpus(std::vector<Chosen>& chosen) const;
  GpuCounts gpus_counted() const;
  std::uint64_t gpus_on(NodeId node, const Free& free) const;
  bool take_gpus(NodeFit& fit, std::uint64_t later, GpuCounts& left) const;
  std::uint64_t gpus_wanted() const;
  bool weigh_gpus(std::uint64_t wanted);
  std::uint32_t fewest_nodes(std::uint64_t gpus) const;
  Need need() const;
  Shares counted_gpus(std::uint64_t gpus);
  Shares from_offers();
  Shares offered_to(const Need& need);
  bool ask(std::size_t offer);
  std::vector<Usable> usable_of(const std::vector<std::size_t>& offers) const;
  bool are_neighbours(std::vector<std::size_t> offers) const;
  bool hold_all_tasks() const;
  TaskRoom room_on(const Node& node, const NodeFit& fit) const;
  Shares choose(std::uint32_t count, Order order) const;
  Shares close_together(std::uint32_t count, Order order) const;
  Shares of_all(std::uint32_t count, std::vector<Usable> others, Order order) const;
  void neighbours_first(NodeId required, std::vector<Usable>& others) const;
  Shares neighbours(std::uint32_t count) const;
  Shares on(const std::vector<Usable>& in_order) const;
  bool has_required(const std::vector<NodeShare>& shares) const;
  bool covers_required() const;
  const Usable* find(NodeId id) const;
  void by_free_cpus();
  std::optional<std::vector<std::uint32_t>> distribute(const std::vector<Usable>& chosen) const;
  void count_tasks(std::vector<NodeShare>& shares) const;
  std::optional<std::vector<std::uint32_t>> as_listed(const std::vector<Usable>& chosen) const;

  const Cluster& cluster_;
  const Request& request_;
  const FreeOn& free_;
  const RoughOn& rough_;
  std::vector<Usable> usable_;
  std::vector<Offer> offers_;
  std::size_t looked_at_ = 0;                   // nodes
  std::vector<std::optional<TaskRoom>> rooms_;  // parallel to the offers: who was asked
  std::vector<std::uint64_t> gpus_;             // that they could give, if these are counted
  std::vector<std::optional<std::uint32_t>> idle_tasks_;  // by kind of hardware
};

// Those of the nodes that have these features.
std::vector<NodeId> having(const Cluster& cluster, const std::vector<FeatureTerm>& features,
                           const std::vector<NodeId>& nodes);

}  // namespace muster::sched
