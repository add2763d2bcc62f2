// Reads what slurmd needs from slurm.conf and the files next to it.
#include "slurmd/config.h"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>

#include "base/text/strings.h"
#include "config/client_settings.h"
#include "config/files/gres_conf.h"
#include "config/lines/dynamic_node.h"
#include "config/slurm_conf.h"
#include "io/files.h"
#include "io/net/controllers.h"

namespace muster {
namespace {

std::string directory_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

Result<Uid> uid_of(const std::string& user) {
  if (auto number = parse_number<std::uint32_t>(user)) return Uid{*number};
  const passwd* entry = getpwnam(user.c_str());
  if (!entry) return fail(fmt::format("SlurmUser={}: no such user", user));
  return Uid{entry->pw_uid};
}

Result<NodeConfig> find_node(const config::SlurmConf& conf, const std::string& node_name,
                             const std::string& host_name) {
  for (const config::ConfiguredNode& entry : conf.nodes) {
    const NodeConfig& node = entry.node;
    if (node_name.empty() ? node.hostname == host_name || node.name == host_name
                          : node.name == node_name)
      return node;
  }
  if (node_name.empty())
    return fail(
        fmt::format("{}: no node has NodeName or NodeHostname {}; use -N", conf.path, host_name));
  return fail(fmt::format("{}: there is no node {}", conf.path, node_name));
}

// A dynamic node: described by --conf, and by the machine itself where --conf says nothing.
Result<NodeConfig> describe_node(const config::SlurmConf& conf, const NodeIdentity& identity,
                                 const io::Hardware& hardware) {
  const std::string name = identity.name.empty() ? hardware.host_name : identity.name;
  if (std::ranges::any_of(conf.nodes, [&](const auto& entry) { return entry.node.name == name; }))
    return fail(fmt::format("Duplicated NodeName {} in the config file", name));
  std::string line =
      fmt::format("NodeName={} NodeHostname={} {}", name, hardware.host_name, identity.conf);
  const std::string given = lower(identity.conf);
  if (given.find("nodename=") != given.npos)
    return fail("option 'NodeName=' not allowed in --conf");
  const bool has_topology = given.find("cpus=") != given.npos ||
                            given.find("sockets") != given.npos ||
                            given.find("cores") != given.npos;
  if (!has_topology)
    line += fmt::format(" CPUs={} Boards={} SocketsPerBoard={} CoresPerSocket={} ThreadsPerCore={}",
                        hardware.cpus, hardware.boards, hardware.sockets / hardware.boards,
                        hardware.cores_per_socket, hardware.threads_per_core);
  if (given.find("realmemory=") == given.npos)
    line += fmt::format(" RealMemory={}", hardware.memory_mib);
  auto nodes = config::parse_node_line(line, "--conf");
  if (!nodes) return std::unexpected(nodes.error());
  NodeConfig node = std::move(nodes->front());
  if (node.port == 0) node.port = conf.slurmd_port;
  return node;
}

// cgroup.conf and gres.conf next to slurm.conf; both are optional.
Result<void> read_confinement(const config::SlurmConf& conf, SlurmdConfig& out) {
  const std::string dir = directory_of(conf.path);
  if (const std::string path = dir + "/cgroup.conf"; io::exists(path)) {
    auto loaded = config::load_cgroup_conf(io::read_file, path);
    if (!loaded) return std::unexpected(loaded.error());
    out.cgroup = std::move(*loaded);
  }
  Result<config::GresConf> gres;
  if (const std::string path = dir + "/gres.conf"; io::exists(path))
    gres = config::load_gres_conf(io::read_file, path);
  if (!gres) return std::unexpected(gres.error());
  out.auto_detect = gres->auto_detect;
  auto pools = config::gres_pools(out.node, *gres);
  if (!pools) return std::unexpected(pools.error());
  if (out.node.dynamic) out.node.gres = *pools;
  for (const GresPool& pool : *pools)
    out.devices.insert(out.devices.end(), pool.files.begin(), pool.files.end());
  return {};
}

}  // namespace

Result<std::vector<io::Endpoint>> controllers_of(const config::SlurmConf& conf) {
  Result<Uid> slurm_user = uid_of(conf.slurm_user);
  if (!slurm_user) return std::unexpected(slurm_user.error());
  return io::controller_endpoints(config::client_settings(conf), *slurm_user);
}

Result<SlurmdConfig> read_slurmd_config(const std::string& path, const NodeIdentity& identity,
                                        const io::Hardware& hardware) {
  Result<config::SlurmConf> conf = config::load_slurm_conf(io::read_file, path);
  if (!conf) return std::unexpected(conf.error());
  const std::string& host_name = hardware.host_name;
  Result<NodeConfig> node = identity.dynamic ? describe_node(*conf, identity, hardware)
                                             : find_node(*conf, identity.name, host_name);
  if (!node) return std::unexpected(node.error());
  Result<std::vector<io::Endpoint>> controllers = controllers_of(*conf);
  if (!controllers) return std::unexpected(controllers.error());

  SlurmdConfig out{config::node_settings(*conf)};
  out.config_file = path;
  out.node = *node;
  out.node_name = node->name.str();
  auto expand = [&](std::string& pattern) {
    pattern = config::expand_node_path(pattern, out.node_name, host_name);
  };
  for (std::string* pattern : {&out.spool_dir, &out.pid_file, &out.log_file, &out.tmp_dir})
    expand(*pattern);
  if (!io::parse_log_level(out.slurmd_debug, out.log_level))
    return fail("SlurmdDebug: no such level");
  out.unix_path = fmt::format("{}/slurmd.{}.sock", directory_of(out.pid_file), out.node_name);
  out.port = static_cast<std::uint16_t>(node->port != 0 ? node->port : conf->slurmd_port);
  out.controllers = std::move(*controllers);
  if (!out.controllers.empty())
    out.slurm_user = out.controllers.front().server_uid.value_or(Uid{0});
  for (io::Endpoint& controller : out.controllers) controller.client_name = out.node_name;
  out.tree_width = std::max(1u, out.tree_width);
  // Three heartbeats must fit into SlurmdTimeout, after which the controller gives up the node.
  out.heartbeat_every = std::clamp<Millis>(out.slurmd_timeout / 3, Millis{1000}, Millis{10'000});
  if (auto read = read_confinement(*conf, out); !read) return std::unexpected(read.error());
  if (out.wants_private_directories) {
    auto loaded = config::load_job_container_conf(
        io::read_file, directory_of(path) + "/job_container.conf", out.node_name);
    if (!loaded) return std::unexpected(loaded.error());
    expand(loaded->base_path);
    out.private_directories = std::move(*loaded);
  }
  out.warnings = conf->warnings;
  for (const std::string& key : conf->ignored_keys)
    out.warnings.push_back(fmt::format("{} is accepted but has no effect yet", key));
  return out;
}

}  // namespace muster
