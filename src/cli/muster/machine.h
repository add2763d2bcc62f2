// The machine of an embedded cluster, and the configuration made for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/muster/own_settings.h"
#include "cli/muster/up_options.h"

namespace muster::cli {

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
  std::string base;      // the cluster's directory
  std::string user;      // the user that runs everything
  std::string commands;  // the directory of the commands
  Machine machine;
  UpOptions options;
  OwnSettings own;

  std::string settings_file() const { return base + "/etc/settings.conf"; }
  // Whether the nodes say that they have more than the machine has.
  bool pretends_gpus() const;
  bool pretends_more() const;
  // What each node has, in the options or, as far as they do not say it, of the machine. GPUs that
  // are only pretended come with the CPUs and the memory that usually belong to them.
  std::uint32_t node_cpus() const;
  std::uint64_t node_memory_mib() const;
};
std::string slurm_conf_text(const EmbeddedLayout& layout);
std::string gres_conf_text(const EmbeddedLayout& layout);  // empty without GPUs of the machine

// A file for BASH_ENV. A login shell forgets the PATH of the one who submitted the job; bash reads
// this file after its profile, so that scripts with "#!/bin/bash -l" find the commands, too.
std::string login_path_text(const EmbeddedLayout& layout);

// The options in a text of slurm_conf_text(); nothing for other texts.
std::optional<UpOptions> recorded_options(std::string_view slurm_conf);

}  // namespace muster::cli
