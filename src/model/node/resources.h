// resources: what a node has (GresPool), and what a job or a step takes of it (NodeShare).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/parsed_text.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/text/idset.h"

namespace muster {

// One request such as "gpu:v100:4"; `type` is empty if any type will do.
struct GresRequest {
  Text name, type;
  std::uint64_t count = 1;
  bool is_kind_of(const GresRequest& other) const {
    return name == other.name && type == other.type;
  }
  bool operator==(const GresRequest&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, type);
    v(3, count);
  }
};
using GresRequests = std::vector<GresRequest>;
inline constexpr std::size_t kMostGresRequests = 1000;  // in one list
// "gpu:v100:2,shard:4", "gpu", "gres:gpu:1"; none for "none"
Parsed<GresRequests> parse_gres(std::string_view text);
// "[type:]count,..." of --gpus and similar options
Parsed<GresRequests> parse_gpus(std::string_view text);
using GresList = ParsedText<parse_gres>;
using GpuList = ParsedText<parse_gpus>;
// None if the list is malformed.
const GresRequests& requests_in(const GresList& list);
const GresRequests& requests_in(const GpuList& list);
std::string as_gres(std::string_view gpus);  // "v100:2,2" -> "gpu:v100:2,gpu:2"
// If the same kind is given twice, the last count holds.
void set_count(GresRequests& list, const GresRequest& last);
void drop_kinds_of(const GresRequests& others, GresRequests& list);
std::uint64_t sum_of(const GresRequests& list);  // all kinds together

// Devices of one name and type on a node. Indices continue over all types of a name:
// gpu:v100:2,gpu:a100:2 gives v100 0-1 and a100 2-3.
struct GresPool {
  Text name, type;
  std::uint64_t count = 0;
  IdSet indices;  // empty for a gres that is only counted
  // Device files, parallel to the indices; may be empty. Several files of one device are separated
  // by commas.
  std::vector<Text> files;
  std::vector<Text> uuids;   // only of parts of GPUs (MIG), which programs select by uuid
  std::vector<IdSet> cores;  // cores close to each device, parallel to the indices; empty = all
  // For shares of GPUs (shard, mps): the number of shares of each GPU, by its index. Shares are
  // numbered over all GPUs; `indices` are these numbers.
  std::vector<std::uint64_t> per_device;

  bool is_part_of_gpus() const { return !per_device.empty(); }
  IdSet shares_of(std::uint32_t gpu) const;      // the numbers of its shares
  IdSet gpus_of(const IdSet& shares) const;      // the GPUs of these shares
  IdSet cores_near(const IdSet& devices) const;  // empty = all cores are equal
  bool operator==(const GresPool&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, type);
    v(3, count);
    v(4, indices);
    v(5, files);
    v(110, cores);
    v(112, per_device);
    v(120, uuids);
  }
};

// True for shard and mps. A GPU is used either as a whole or by its shares.
bool is_part_of_gpus(std::string_view gres_name);

// Assigns detected devices to pools for which the configuration only has a count.
void add_detected(std::vector<GresPool>& pools, const std::vector<GresPool>& detected);

// What a job holds of one pool.
struct GresShare {
  Text name, type;
  std::uint64_t count = 0;
  IdSet indices;
  IdSet devices;  // for shares of GPUs: their GPUs
  bool operator==(const GresShare&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, type);
    v(3, count);
    v(4, indices);
    v(110, devices);
  }
};

// While a job is suspended, its CPUs are lent: other jobs may get them. When it is resumed, it
// takes them back, and they are used twice until one of the jobs ends.
enum class CpuHold : std::uint8_t { kept, lent, taken_back };

// What a job or a step holds on one node.
struct NodeShare {
  NodeId node;
  IdSet cpus;  // CPU numbers of the node
  std::uint64_t memory_mib = 0;
  std::uint32_t tasks = 0;  // tasks of the job's own size placed here
  std::vector<GresShare> gres;
  std::uint32_t sharing = 1;       // this many jobs of its partition may share the CPUs
  IdSet left_to_system;            // --core-spec: CPUs that no job uses meanwhile
  std::uint32_t idle_threads = 0;  // --threads-per-core: this many of the CPUs stay idle
  CpuHold hold = CpuHold::kept;
  bool operator==(const NodeShare&) const = default;
  const IdSet& held_cpus() const;  // none while they are lent
  std::uint32_t usable_cpus() const {
    return static_cast<std::uint32_t>(cpus.size()) - idle_threads;
  }
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, cpus);
    v(3, memory_mib);
    v(4, tasks);
    v(5, gres);
    v(110, sharing);
    v(150, left_to_system);
    v(240, idle_threads);
    v(380, hold);
  }
};

// Sums for TRES texts.
struct Tres {
  std::uint64_t cpus = 0, memory_mib = 0, nodes = 0, billing = 0;
  std::vector<GresShare> gres;  // by name, all types together

  std::string text() const;  // scontrol: "cpu=4,mem=500M,node=1,billing=4,gres/gpu=1"
  std::string accounting_text()
      const;  // sacct: sorted by name, "billing=2,cpu=2,gres/gpu=1,mem=200M,node=1"
};
Tres total(const std::vector<NodeShare>& shares);

// "2(x3),1", as in SLURM_TASKS_PER_NODE.
std::string compress_counts(const std::vector<std::uint32_t>& counts);

}  // namespace muster
