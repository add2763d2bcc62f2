// MemBind: --mem-bind, the NUMA nodes from which a step's tasks get memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/idset.h"

namespace muster {

struct MemBind {
  enum class Kind : std::uint8_t {
    unset,
    none,
    rank,   // one NUMA node, by the task's local id
    local,  // the NUMA nodes of the task's CPUs
    map,    // as written: a NUMA node for each task, repeated
    mask,   // as written: a set of NUMA nodes for each task, repeated
  };
  Kind kind = Kind::unset;
  std::vector<IdSet> list;
  std::string list_text;  // as the variables show it
  bool verbose = false, prefer = false, sort = false;
};

// "local", "verbose,prefer,map_mem:0,1", "mask_mem:0x3", "quiet", ...
Result<MemBind> parse_mem_bind(std::string_view text);

// "rank", "map_mem:", ... as in environment variables; empty if unset.
std::string_view mem_bind_type(MemBind::Kind kind);
// The whole option in normal form: "quiet,local".
std::string mem_bind_text(const MemBind& bind);

// Unset if the task's memory may come from anywhere. `local`: the NUMA nodes of its CPUs.
std::optional<IdSet> memory_of_task(const MemBind& bind, std::uint32_t local_id,
                                    const IdSet& local);

}  // namespace muster
