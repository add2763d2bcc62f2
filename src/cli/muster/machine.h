// The machine of an embedded cluster, and the configuration made for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cli {

inline constexpr std::uint32_t kMaxPretendNodes = 64;
inline constexpr std::string_view kEmbeddedPartition = "main";

struct Machine {
  std::string host_name;
  std::uint32_t cpus = 1, sockets = 1, cores_per_socket = 1, threads_per_core = 1;
  std::uint64_t memory_mib = 1;
  std::vector<std::string> gpus;  // device files
};

// Reads the line that `slurmd -C` prints. So the daemon that will register the node has counted its
// hardware.
Result<Machine> parse_machine(std::string_view slurmd_line);
std::vector<std::string> find_gpus(const std::string& dev_directory);

// A single node has the host's name; several are called node1, node2, ...
std::vector<std::string> node_names(const Machine& machine, std::uint32_t count);

struct EmbeddedLayout {
  std::string base;  // the cluster's directory
  std::string user;  // the user that runs everything
  Machine machine;
  std::uint32_t nodes = 1;
};
std::string slurm_conf_text(const EmbeddedLayout& layout);
std::string gres_conf_text(const EmbeddedLayout& layout);  // empty without GPUs

// The number of nodes in a text of slurm_conf_text(); 0 for other texts.
std::uint32_t node_count(std::string_view slurm_conf);

}  // namespace muster::cli
