// GpuBind: --gpu-bind, which of the step's GPUs on a node each of its tasks sees.
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
    closest,   // GPUs near its CPUs; all GPUs if it is not known which are near
    single,    // one GPU, shared by `count` tasks
    per_task,  // `count` GPUs of its own
    list,      // as written, one entry per task, repeated
  };
  Kind kind = Kind::none;
  std::uint32_t count = 1;
  std::vector<IdSet> list;  // counted from the step's first GPU
  bool verbose = false;
};

// "single:2", "per_task:1", "map_gpu:0*2,1", "mask_gpu:0x3,0xc", "closest", "none", each with
// an optional "verbose," in front.
Result<GpuBind> parse_gpu_bind(std::string_view text);

// Unset if the task sees all GPUs.
std::optional<IdSet> gpus_of_task(const GpuBind& bind, const IdSet& gpus, std::uint32_t local_id);

// "0*2,3" as numbers or "0x3,0xc" as masks: one set per entry, "*N" repeats one.
std::optional<std::vector<IdSet>> parse_bind_list(std::string_view text, bool masks);

}  // namespace muster
