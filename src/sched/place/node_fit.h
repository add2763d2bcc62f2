// NodeFit: how many tasks of a request fit on one node, and which CPUs, memory and devices they
// take there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/place/free.h"
#include "sched/place/gres_fit.h"
#include "sched/place/node_cpus.h"
#include "sched/request/request.h"

namespace muster::sched {

// The CPUs of a node without those of `cores` cores that are left to the system.
IdSet cpus_beside_system(const Node& node, std::uint32_t cores);

using GpuCounts = std::vector<std::uint64_t>;  // parallel to ResourceRequest::gpus_total

class NodeFit {
 public:
  NodeFit(const ResourceRequest& request, const Node& node, const Free& free);

  std::uint32_t task_capacity() const;
  // For --gpus: how many GPUs of each type this node can give, up to `most`, with the CPUs and
  // memory that come with each. Later calls assume these counts. Without this call they assume one
  // GPU of each type, or all of them for a job of one node.
  const GpuCounts& count_gpus(GpuCounts most);
  std::optional<NodeShare> take(std::uint32_t tasks) const;  // unset if they do not fit
  void take_other_devices(NodeShare& share) const;           // adds all devices that are left
  std::uint32_t cpus_for(std::uint32_t tasks) const;         // rounded up to whole cores or sockets
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

  const ResourceRequest& request_;
  const Node& node_;
  NodeCpus cpus_;
  std::optional<Free> own_;  // an adjusted copy, where one is needed
  const Free& free_;
  std::vector<GpuGroup> groups_;
  GpuCounts counted_gpus_;  // set by count_gpus
};

}  // namespace muster::sched
