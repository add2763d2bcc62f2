// NodeFit: how much of one request fits on one node, and which CPUs and devices it takes there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/place/free.h"
#include "sched/place/gres_fit.h"
#include "sched/place/node_cpus.h"
#include "sched/request/request.h"

namespace muster::sched {

// The CPUs of a node but those of so many cores.
IdSet cpus_beside_system(const Node& node, std::uint32_t cores);

using GpuCounts = std::vector<std::uint64_t>;  // parallel to Request::gpus_total

class NodeFit {
 public:
  NodeFit(const Request& request, const Node& node, const Free& free);

  std::uint32_t task_capacity() const;
  // Of the devices that are counted over the whole job: so many at most of each type can be here,
  // with what each brings. From then on the job has them here; otherwise one of each, or all where
  // it has one node.
  const GpuCounts& count_gpus(GpuCounts most);
  std::optional<NodeShare> take(std::uint32_t tasks) const;  // nothing if it does not fit
  void take_other_devices(NodeShare& share) const;           // all that are left
  std::uint32_t cpus_for(std::uint32_t tasks) const;         // allocated, by whole cores or sockets
  std::uint64_t memory_room_mib() const;
  std::uint64_t memory_for(std::uint32_t tasks) const;

 private:
  struct Choice {
    IdSet cpus;
    Devices devices;
  };
  bool wants_devices() const;
  std::optional<Choice> choose(std::uint32_t tasks) const;
  std::uint64_t counted(std::size_t type) const {
    if (!counted_gpus_.empty()) return counted_gpus_[type];
    return request_.max_nodes == 1 ? request_.gpus_total[type].count : 1;
  }
  std::uint64_t gpus_for(std::uint32_t tasks) const;
  std::uint64_t gpus_at_most() const;
  std::optional<Devices> devices_for(std::uint32_t tasks, const IdSet& preferred) const;
  bool has_devices_for(std::uint32_t tasks) const;
  std::uint32_t cores_for(std::uint32_t tasks) const;
  std::uint64_t tasks_by_cpus() const;
  bool has_shape() const;

  const Request& request_;
  const Node& node_;
  NodeCpus cpus_;
  std::optional<Free> own_;  // where the node's GPUs come in shares, too
  const Free& free_;
  std::vector<GpuGroup> groups_;
  GpuCounts counted_gpus_;  // if any
};

}  // namespace muster::sched
