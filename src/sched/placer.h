// Placer: chooses the nodes for one request and distributes its tasks over them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/node_fit.h"
#include "sched/place.h"
#include "sched/task_counts.h"

namespace muster::sched {

class Placer {
 public:
  Placer(const Cluster& cluster, const Request& request, const FreeOn& free)
      : cluster_(cluster), request_(request), free_(free) {}

  std::optional<std::vector<NodeShare>> run(const std::vector<NodeId>& nodes);

 private:
  struct Usable {
    NodeId node;
    TaskRoom room;
  };
  enum class Order : std::uint8_t { as_they_come, roomiest_first };
  using Shares = std::optional<std::vector<NodeShare>>;

  bool is_plain() const;
  Shares among(const std::vector<NodeId>& nodes);
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
  std::vector<Usable> usable_;
};

// Those of the nodes that have these features.
std::vector<NodeId> having(const Cluster& cluster, const std::vector<FeatureTerm>& features,
                           const std::vector<NodeId>& nodes);

}  // namespace muster::sched
