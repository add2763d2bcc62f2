// --mem-bind: from which NUMA nodes the memory of a step's tasks comes.
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
    rank,   // the node counted by the task's place
    local,  // the nodes of the task's CPUs
    map,    // as written: a node for each task, over and over,
    mask,   // or a set of them
  };
  Kind kind = Kind::unset;
  std::vector<IdSet> list;
  std::string list_text;  // as the variables show it
  bool verbose = false, prefer = false, sort = false;
};

// "local", "verbose,prefer,map_mem:0,1", "mask_mem:0x3", "quiet", ...
Result<MemBind> parse_mem_bind(std::string_view text);

// "rank", "map_mem:", ... as variables have it; empty where nothing was said.
std::string_view mem_bind_type(MemBind::Kind kind);
// The whole of it in one form: "quiet,local".
std::string mem_bind_text(const MemBind& bind);

// Nothing where the task's memory may come from anywhere. `local` are the nodes of its CPUs.
std::optional<IdSet> memory_of_task(const MemBind& bind, std::uint32_t local_id,
                                    const IdSet& local);

}  // namespace muster
