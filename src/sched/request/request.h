// A job's request in the terms of placement: parsed once, defaults filled in.
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

struct Request {
  std::uint32_t min_nodes = 1;
  std::uint32_t max_nodes = 0;  // never below min_nodes
  std::uint32_t tasks = 1;
  bool nodes_follow_tasks = false;   // no -N: as many as --ntasks-per-node makes of them
  bool tasks_follow_nodes = false;   // no -n: one task (or ntasks-per-node) on each node
  std::uint32_t tasks_per_node = 0;  // room for so many is needed on each; 0 = not said
  std::uint32_t tasks_on_node_max = ~std::uint32_t{0};  // MaxTasksPerNode
  // Bounds; 0 = none.
  std::uint32_t tasks_per_socket_max = 0, tasks_per_core_max = 0;
  std::uint32_t tasks_per_gpu = 0;  // at most, on each node; 0 = as many as there are
  std::uint32_t cpus_per_task = 1;
  std::uint32_t min_cpus_per_node = 0, max_cpus_per_node = 0;
  std::uint32_t threads_per_core = 0;  // use so many of each core's; 0 = all
  std::uint32_t min_sockets = 0, min_cores_per_socket = 0, min_threads_per_core = 0;
  std::uint64_t tmp_disk_mib = 0;
  std::uint64_t least_memory_mib = 0;  // that a node must have where memory is not handed out
  std::optional<std::uint64_t> memory_per_node_mib;  // 0 = the whole node's
  std::optional<std::uint64_t> memory_per_cpu_mib;
  std::optional<std::uint64_t> memory_per_gpu_mib;
  std::uint64_t memory_on_node_max_mib = ~std::uint64_t{0};  // MaxMemPerNode
  std::vector<GresRequest> gres_per_node;
  // One for each type that was asked for; each type is counted in one of these ways.
  std::vector<GresRequest> gpus_total, gpus_per_task, gpus_per_socket;
  std::uint32_t cpus_per_gpu = 0;
  bool enforce_binding = false;  // of GPUs to the cores close to them
  bool near_first = false;       // nodes where its GPUs and its CPUs are close are tried first
  std::vector<NodeId> required_nodes, excluded_nodes;  // ascending
  // -m arbitrary: how many tasks run on each of the required nodes; otherwise empty.
  std::vector<std::uint32_t> tasks_on_required;
  Constraint constraint;
  Constraint preferred;  // tried first, in the constraint's place; empty = nothing is
  std::vector<std::pair<Text, std::uint32_t>> licenses;
  const std::vector<SwitchNodes>* topology = nullptr;  // whoever places it knows, or there is none
  const std::vector<std::uint32_t>* leaves = nullptr;  // of each node, for a job of one node
  std::uint32_t switches_max = 0;                      // leaf switches; 0 = no bound
  bool whole_nodes = false;                            // takes all CPUs of its nodes
  bool all_devices = false;  // and all their devices, however many it asks for
  // Cores of each socket in turn (or as many tasks as fit there, where these have several CPUs),
  // not one socket after the other.
  bool cores_over_sockets = false;
  enum class Unit : std::uint8_t { cpu, core, socket };
  Unit unit = Unit::core;                   // what CPUs are handed out by
  std::optional<std::uint32_t> spec_cores;  // cores of each node that it leaves to the system
  bool as_many_nodes = false;               // so many as are free, up to:
  std::uint32_t wanted_nodes = 1;
  bool spread = false;  // over the first nodes, as far as its tasks go
  // The nodes that suffice are the first ones; or, for one CPU, the last one.
  bool first_nodes = false, last_node = false;
  std::uint32_t sharing = 1;  // so many jobs of the partition may hold its CPUs at a time
  bool exclusive = false, contiguous = false, overcommit = false, least_loaded = false;
  std::optional<Seconds> yields_within;  // after a notice, to jobs of a reservation
  bool exclusive_user = false;           // shares nodes only with jobs of the same user
  Uid user;                              // unset where that makes no difference
  // Where each node has the same number; 0 = as they fit.
  std::uint32_t tasks_on_each_node() const {
    return tasks_per_node ? tasks_per_node : tasks_follow_nodes ? 1 : 0;
  }
  bool operator==(const Request&) const = default;
};

bool asks_for_gpus(const Request& request);

// Fails where the request names something that does not exist (node, feature, gres, license) or is
// malformed.
Result<Request> make_request(const Cluster& cluster, const JobSpec& spec,
                             const Partition& partition);

// What a job that asks for all memory of its nodes, or says nothing, may expect of each: what the
// first node of its partition has. 0 where it named an amount, or memory does not count.
std::uint64_t whole_node_mib(const Cluster& cluster, const Job& job);

// Nobody else runs on the nodes of such a job.
bool has_nodes_alone(const Cluster& cluster, const JobSpec& spec, const Partition& partition);
// And it has all devices there; only select/linear gives no more than was asked for.
bool has_all_devices(const Cluster& cluster, const JobSpec& spec, const Partition& partition);

// "matlab:2,ansys": names and counts.
Result<std::vector<std::pair<Text, std::uint32_t>>> parse_licenses(const Cluster& cluster,
                                                                   std::string_view text);

}  // namespace muster::sched
