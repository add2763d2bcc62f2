// --gpu-bind: which of a step's GPUs on a node each of its tasks there sees.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/idset.h"

namespace muster {

struct GpuBind {
  enum class Kind : std::uint8_t {
    none,      // every task sees all
    closest,   // those near its CPUs; all, as long as nobody says which are near
    single,    // one GPU, the same for `count` tasks
    per_task,  // `count` GPUs of its own
    list,      // as written, one entry per task, over and over
  };
  Kind kind = Kind::none;
  std::uint32_t count = 1;
  std::vector<IdSet> list;  // counted from the step's first GPU
  bool verbose = false;
};

// "single:2", "per_task:1", "map_gpu:0*2,1", "mask_gpu:0x3,0xc", "closest", "none", each with
// "verbose," in front where wanted.
Result<GpuBind> parse_gpu_bind(std::string_view text);

// Nothing where the task sees all of them.
std::optional<IdSet> gpus_of_task(const GpuBind& bind, const IdSet& gpus, std::uint32_t local_id);

// "0*2,3" as numbers or "0x3,0xc" as masks: one set per entry, "*N" repeats one.
std::optional<std::vector<IdSet>> parse_bind_list(std::string_view text, bool masks);

}  // namespace muster
