#include "slurmd/config.h"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>

#include "base/text/strings.h"
#include "config/client_settings.h"
#include "config/files/gres_conf.h"
#include "config/keys/auth.h"
#include "config/lines/dynamic_node.h"
#include "config/slurm_conf.h"
#include "io/files.h"
#include "io/net/handshake.h"

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

// "30", "task=30,energy=10"
Seconds sampling_of(const std::string& frequency) {
  for (std::string_view part : split(frequency, ',')) {
    part = trim(part);
    if (istarts_with(part, "task=")) part.remove_prefix(5);
    if (auto seconds = parse_number<std::uint32_t>(part)) return Seconds{*seconds};
  }
  return Seconds{30};
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

// A dynamic node: what --conf says, and the machine's own numbers for what it does not.
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

// cgroup.conf and gres.conf beside slurm.conf; neither has to be there.
Result<void> read_confinement(const config::SlurmConf& conf, SlurmdConfig& out) {
  const std::string dir = directory_of(conf.path);
  if (const std::string path = dir + "/cgroup.conf"; io::exists(path)) {
    auto loaded = config::load_cgroup_conf(io::read_file, path);
    if (!loaded) return std::unexpected(loaded.error());
    out.cgroup = std::move(*loaded);
  }
  out.track_by_cgroup = conf.proctrack_type == "proctrack/cgroup";
  out.track_by_process_group = conf.proctrack_type == "proctrack/pgid";
  for (std::string_view plugin : split(conf.task_plugin, ','))
    if (iequals(trim(plugin), "task/cgroup")) out.constrain = true;
  out.kill_over_memory = conf.option("JobAcctGatherParams", "OverMemoryKill").has_value();

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
  std::vector<io::Endpoint> found;
  for (const config::ControllerHost& host : conf.controllers)
    found.push_back({.unix_path = directory_of(conf.slurmctld_pid_file) + "/slurmctld.sock",
                     .host = host.address,
                     .port = conf.slurmctld_port,
                     .server_uid = *slurm_user,
                     .use_munge = config::uses_munge(conf.auth_type),
                     .server_name = io::controller_server_name(conf.cluster_name),
                     .munge_socket = config::munge_socket(conf.auth_info)});
  return found;
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

  SlurmdConfig out;
  out.config_file = path;
  out.node = *node;
  out.node_name = node->name.str();
  auto expanded = [&](const std::string& pattern) {
    return config::expand_node_path(pattern, out.node_name, host_name);
  };
  out.spool_dir = expanded(conf->slurmd_spool_dir);
  out.pid_file = expanded(conf->slurmd_pid_file);
  out.log_file = expanded(conf->slurmd_log_file);
  out.tmp_dir = expanded(conf->tmp_fs);
  if (!io::parse_log_level(conf->slurmd_debug, out.log_level))
    return fail("SlurmdDebug: no such level");
  out.unix_path = fmt::format("{}/slurmd.{}.sock", directory_of(out.pid_file), out.node_name);
  out.port = static_cast<std::uint16_t>(node->port != 0 ? node->port : conf->slurmd_port);
  out.use_munge = config::uses_munge(conf->auth_type);
  out.munge_socket = config::munge_socket(conf->auth_info);
  out.controllers = std::move(*controllers);
  if (!out.controllers.empty())
    out.slurm_user = out.controllers.front().server_uid.value_or(Uid{0});
  out.tree_width = std::max(1u, config::client_settings(*conf).tree_width);
  for (io::Endpoint& controller : out.controllers) controller.client_name = out.node_name;
  out.config_overrides = conf->option("SlurmdParameters", "config_overrides").has_value();
  out.lock_future_memory = conf->option("LaunchParameters", "slurmstepd_memlock_all").has_value();
  out.lock_memory =
      out.lock_future_memory || conf->option("LaunchParameters", "slurmstepd_memlock").has_value();
  // Three heartbeats must fit into the time after which the controller gives the node up.
  out.heartbeat_every = std::clamp<Millis>(conf->slurmd_timeout / 3, Millis{1000}, Millis{10'000});
  out.sample_every = sampling_of(conf->job_acct_gather_frequency);
  out.kill_wait = conf->kill_wait;
  out.unkillable_after = conf->unkillable_step_timeout;
  out.unkillable_step_program = conf->unkillable_step_program;
  out.message_timeout = conf->message_timeout;
  out.prolog = conf->prolog;
  out.epilog = conf->epilog;
  out.binds_tasks = conf->task_plugin.find("affinity") != std::string::npos;
  out.task_prolog = conf->task_prolog;
  out.task_epilog = conf->task_epilog;
  out.health_check_program = conf->health_check_program;
  out.reboot_program = conf->reboot_program;
  out.program_timeout = conf->prolog_epilog_timeout;
  out.serial_programs = conf->has_prolog_flag("Serial");
  out.programs_in_job = conf->has_prolog_flag("RunInJob");
  if (auto read = read_confinement(*conf, out); !read) return std::unexpected(read.error());
  if (conf->value("JobContainerType") == "job_container/tmpfs") {
    auto loaded = config::load_job_container_conf(
        io::read_file, directory_of(path) + "/job_container.conf", out.node_name);
    if (!loaded) return std::unexpected(loaded.error());
    loaded->base_path = expanded(loaded->base_path);
    out.private_directories = std::move(*loaded);
  }
  out.warnings = conf->warnings;
  for (const std::string& key : conf->ignored_keys)
    out.warnings.push_back(fmt::format("{} is accepted but has no effect yet", key));
  return out;
}

}  // namespace muster
