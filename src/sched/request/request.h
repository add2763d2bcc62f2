// ResourceRequest: what a job asks for, in numbers that placement can use: parsed once, with all
// defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "sched/request/features.h"
#include "sched/request/topology.h"

namespace muster::sched {

struct ResourceRequest {
  std::uint32_t min_nodes = 1;
  std::uint32_t max_nodes = 0;  // never below min_nodes
  std::uint32_t tasks = 1;
  bool nodes_follow_tasks = false;   // no -N: as many nodes as --ntasks-per-node needs
  bool tasks_follow_nodes = false;   // no -n: one task (or --ntasks-per-node) on each node
  std::uint32_t tasks_per_node = 0;  // each node needs room for this many; 0 = not given
  std::uint32_t tasks_on_node_max = ~std::uint32_t{0};  // MaxTasksPerNode
  // Bounds; 0 = none.
  std::uint32_t tasks_per_socket_max = 0, tasks_per_core_max = 0;
  std::uint32_t tasks_per_gpu = 0;  // the most per GPU of a node; 0 = no bound
  std::uint32_t cpus_per_task = 1;
  std::uint32_t min_cpus_per_node = 0, max_cpus_per_node = 0;
  std::uint32_t threads_per_core = 0;  // threads to use of each core; 0 = all
  std::uint32_t min_sockets = 0, min_cores_per_socket = 0, min_threads_per_core = 0;
  std::uint64_t tmp_disk_mib = 0;
  std::uint64_t least_memory_mib = 0;  // a node must have this if memory is not allocated
  std::optional<std::uint64_t> memory_per_node_mib;  // 0 = all memory of the node
  std::optional<std::uint64_t> memory_per_cpu_mib;
  std::optional<std::uint64_t> memory_per_gpu_mib;
  std::uint64_t memory_on_node_max_mib = ~std::uint64_t{0};  // MaxMemPerNode
  GresRequests gres_per_node;
  // One entry for each requested type; each type is in one of these lists only.
  GresRequests gpus_total, gpus_per_task, gpus_per_socket;
  std::uint32_t cpus_per_gpu = 0;
  bool enforce_binding = false;  // GPUs only with the cores close to them
  bool near_first = false;       // first try nodes where GPUs and CPUs are close
  std::vector<NodeId> required_nodes, excluded_nodes;  // ascending
  // -m arbitrary: the number of tasks on each required node; otherwise empty.
  std::vector<std::uint32_t> tasks_on_required;
  Constraint constraint;
  Constraint preferred;  // --prefer: tried before the constraint, in its place
  Licenses licenses;
  const std::vector<SwitchNodes>* topology = nullptr;  // set by the caller of placement, if any
  const std::vector<std::uint32_t>* leaves = nullptr;  // leaf switch of each node, by its id
  std::uint32_t switches_max = 0;                      // leaf switches; 0 = no bound
  bool whole_nodes = false;                            // takes all CPUs of its nodes ...
  bool all_devices = false;  // ... and all devices, however many it asks for
  // Take cores from each socket in turn (or, for tasks with several CPUs, as many tasks as fit),
  // instead of filling one socket after the other.
  bool cores_over_sockets = false;
  enum class Unit : std::uint8_t { cpu, core, socket };
  Unit unit = Unit::core;                   // the unit in which CPUs are allocated
  std::optional<std::uint32_t> spec_cores;  // --core-spec: cores left to the system
  bool as_many_nodes = false;               // as many nodes as are free, up to:
  std::uint32_t wanted_nodes = 1;
  bool spread = false;  // --spread-job: over as many nodes as possible
  // Take the first nodes that suffice; or, for a job of one CPU, the last one.
  bool first_nodes = false, last_node = false;
  std::uint32_t sharing = 1;  // this many jobs of the partition may share its CPUs
  bool exclusive = false, contiguous = false, overcommit = false, least_loaded = false;
  std::optional<Seconds> yields_within;  // --signal=R: makes way for a reservation so soon
  bool exclusive_user = false;           // shares nodes only with jobs of the same user
  Uid user;                              // unset if the user makes no difference
  // The number of tasks if it is the same on each node; 0 = as they fit.
  std::uint32_t tasks_on_each_node() const {
    return tasks_per_node ? tasks_per_node : tasks_follow_nodes ? 1 : 0;
  }
  bool operator==(const ResourceRequest&) const = default;
};

bool asks_for_gpus(const ResourceRequest& request);

// Fails if the specification is malformed, or names a node, feature, gres or license that does not
// exist.
Result<ResourceRequest> make_request(const Cluster& cluster, const JobSpec& spec,
                                     const Partition& partition);

// The memory per node to show for a job that asks for all memory of its nodes, or for no amount:
// that of its partition's first node. 0 if the job asks for an amount, or memory is not allocated.
std::uint64_t whole_node_mib(const Cluster& cluster, const Job& job);

// No other job runs on the nodes of a job with this specification.
bool has_nodes_alone(const Cluster& cluster, const JobSpec& spec, const Partition& partition);
// Such a job also has all devices there. select/linear gives it only the devices it asks for.
bool has_all_devices(const Cluster& cluster, const JobSpec& spec, const Partition& partition);

// Fails if the list is malformed, or has more than there are.
Result<void> check_licenses(const Cluster& cluster, const LicenseList& list);

}  // namespace muster::sched
