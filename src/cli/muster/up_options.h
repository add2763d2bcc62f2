// The options of `muster up`: what the nodes of the cluster have, or pretend to have. They are
// recorded in the slurm.conf that `up` writes, so that after a crash the same cluster returns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cli {

inline constexpr std::uint32_t kMaxPretendNodes = 64;

struct GpuCount {
  std::string type;  // may be empty
  std::uint32_t count = 0;
  bool operator==(const GpuCount&) const = default;
};

struct UpOptions {
  std::optional<std::uint32_t> nodes;
  // Of each node:
  std::optional<GpuCount> gpus;
  std::optional<std::uint32_t> cpus;
  std::optional<std::uint64_t> memory_mib;
  std::vector<std::string> features;
  std::vector<std::string> partitions;  // beside the one that is always there
  bool edit = false;                    // open the settings in an editor; not recorded

  std::uint32_t node_count() const { return nodes.value_or(1); }
  // Whether something is asked of the cluster.
  bool ask() const { return !text().empty(); }
  std::string text() const;  // "--nodes=4 --gpus=v100:8"
};

Result<UpOptions> parse_up_options(std::span<const std::string_view> args);

}  // namespace muster::cli
