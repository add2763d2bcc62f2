// --cpu-bind: which CPUs of a step each of its tasks on a node may use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/idset.h"

namespace muster {

struct CpuBind {
  enum class Kind : std::uint8_t {
    unset,
    none,
    rank,       // one CPU, counted by the task's place on the node
    threads,    // the task's own CPUs
    cores,      // ... and what else is on their cores,
    sockets,    // on their sockets,
    ldoms,      // in their NUMA domains
    list,       // as written, one entry per task, over and over
    rank_ldom,  // one NUMA domain, counted by the task's place
    ldom_list,
  };
  Kind kind = Kind::unset;
  std::vector<IdSet> list;
  bool verbose = false;
  bool one_thread = false;  // of each core
};

// "cores", "one_thread,cores", "verbose,map_cpu:0,2", "mask_cpu:0x3,0xc", "rank", "quiet", "none",
// ...
Result<CpuBind> parse_cpu_bind(std::string_view text);

// CpuBind= of a node or a partition: "cores" of "core", nothing of "off".
Result<std::string> parse_default_cpu_bind(std::string_view text);

// Where a machine's CPUs are.
struct CpuPlace {
  std::uint32_t core = 0, socket = 0, ldom = 0;  // cores are numbered over all sockets
};
using CpuLayout = std::map<std::uint32_t, CpuPlace>;

struct BoundTask {
  std::uint32_t local_id = 0, tasks = 1, cpus_per_task = 1;
};
// Nothing where the task may use all of them. `automatic`: tasks are bound although nobody asked.
std::optional<IdSet> cpus_of_task(const CpuBind& bind, const CpuLayout& layout, const IdSet& cpus,
                                  BoundTask task, bool automatic);

// "0x3": bits of a set, as masks are written.
std::string mask_text(const IdSet& bits);

}  // namespace muster
