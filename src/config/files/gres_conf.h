// gres.conf: the devices behind the gres that slurm.conf counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/idset.h"
#include "config/keys/source.h"
#include "model/node/node.h"

namespace muster::config {

struct GresLine {
  Location at;
  std::vector<std::string> nodes;  // empty = every node
  std::string name, type;
  std::optional<std::uint64_t> count;
  std::vector<std::string> files;
  std::optional<IdSet> cores;
  std::string links;
  std::vector<std::string> flags;

  bool applies_to(std::string_view node) const;
  std::uint64_t size() const;  // Count=, or the number of files, or 1
};

struct GresConf {
  std::vector<GresLine> lines;
  std::string auto_detect;  // "nvml", "off"; empty if not given
};

Result<GresConf> load_gres_conf(const FileReader& read, const std::string& path);

// The pools of a node: the counts of its Gres=, with the devices of gres.conf. Indices continue
// through the types of a name. GPUs always have indices, other devices only if they have files.
Result<std::vector<GresPool>> gres_pools(const NodeConfig& node, const GresConf& gres);

}  // namespace muster::config
