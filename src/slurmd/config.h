// What slurmd takes from slurm.conf, with %n and %h of its own node expanded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/files/cgroup_conf.h"
#include "config/files/job_container_conf.h"
#include "config/keys/settings.h"
#include "config/slurm_conf.h"
#include "io/hardware/hardware.h"
#include "io/log.h"
#include "io/net/channel.h"
#include "model/node/node.h"

namespace muster {

// Also contains what cgroup.conf, gres.conf and job_container.conf say.
struct SlurmdConfig : config::NodeSettings {
  std::string config_file;
  std::string node_name;
  NodeConfig node;
  io::LogLevel log_level = io::LogLevel::info;
  std::string unix_path;  // the socket for sruns on this machine
  std::uint16_t port = 0;
  std::vector<io::Endpoint> controllers;
  Uid slurm_user;
  Millis heartbeat_every{10'000};
  config::CgroupConf cgroup;
  std::vector<Text> devices;  // the files of all of the node's gres
  std::string auto_detect;    // gres.conf
  std::optional<config::JobContainerConf> private_directories;  // JobContainerType
  std::vector<std::string> warnings;
};

// Which node this slurmd is.
struct NodeIdentity {
  std::string name;      // -N; empty means the node with this machine's name
  bool dynamic = false;  // -Z: no file describes it
  std::string conf;      // --conf
};
// The addresses of slurmctld.
Result<std::vector<io::Endpoint>> controllers_of(const config::SlurmConf& conf);
Result<SlurmdConfig> read_slurmd_config(const std::string& path, const NodeIdentity& identity,
                                        const io::Hardware& hardware);

}  // namespace muster
