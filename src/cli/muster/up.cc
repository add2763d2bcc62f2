// muster up: starts a cluster on this machine, or the daemons that a crash has ended.
#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/lib/errors.h"
#include "cli/lib/name_service.h"
#include "cli/muster/embedded.h"
#include "cli/muster/machine.h"
#include "config/slurm_conf.h"
#include "io/files.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr Seconds kNodesWait{60};

std::string own_user() {
  auto entry = user_with(Uid{::geteuid()});
  return entry ? entry->name : std::to_string(::geteuid());
}

// The longest socket name must fit the kernel's limit.
Result<void> check_socket_paths(const Embedded& cluster, const std::vector<std::string>& nodes) {
  constexpr std::size_t kLimit = sizeof(sockaddr_un::sun_path) - 1;
  for (const std::string& node : nodes) {
    const std::string path = fmt::format("{}/slurmd.{}.sock", cluster.run_directory(), node);
    if (path.size() > kLimit)
      return fail(
          fmt::format("{} is longer than the {} bytes that a socket's name may have: set "
                      "XDG_STATE_HOME to a shorter directory",
                      path, kLimit));
  }
  return {};
}

Result<EmbeddedLayout> layout_of(const Embedded& cluster, const Programs& programs,
                                 const UpOptions& options, const std::string& settings) {
  auto line = run_program({programs.slurmd, "-C"});
  if (!line) return std::unexpected(line.error());
  auto machine = parse_machine(*line);
  if (!machine) return std::unexpected(machine.error());
  machine->gpus = find_gpus("/dev");
  auto commands = own_directory();
  if (!commands) return std::unexpected(commands.error());
  auto own = read_own_settings(settings);
  if (!own) return std::unexpected(own.error());
  return EmbeddedLayout{.base = cluster.base(),
                        .user = own_user(),
                        .commands = std::move(*commands),
                        .machine = std::move(*machine),
                        .options = options,
                        .own = std::move(*own)};
}

// Whether the daemons would accept these texts of slurm.conf and of the settings that it includes.
Result<void> check_texts(const Embedded& cluster, const std::string& conf_text,
                         const std::string& settings) {
  auto read = [&](const std::string& path) {
    if (path == cluster.conf_file()) return Result<std::string>(conf_text);
    return io::read_file(path == cluster.settings_file() ? settings : path);
  };
  auto conf = config::load_slurm_conf(read, cluster.conf_file());
  if (!conf) return std::unexpected(conf.error());
  std::vector<std::string> names;
  for (const config::ConfiguredNode& entry : conf->nodes) names.push_back(entry.node.name.str());
  return check_socket_paths(cluster, names);
}

Result<void> write_configuration(const Embedded& cluster, const EmbeddedLayout& layout) {
  const std::string gres_file = cluster.base() + "/etc/gres.conf", gres = gres_conf_text(layout);
  auto done =
      gres.empty() ? io::remove_file(gres_file) : io::write_file_atomic(gres_file, gres, 0600);
  if (done && !io::exists(cluster.settings_file()))
    done = io::write_file_atomic(cluster.settings_file(), first_settings_text(), 0600);
  if (done) done = io::write_file_atomic(login_path_file(), login_path_text(layout), 0600);
  const std::string text = slurm_conf_text(layout);
  if (done) done = check_texts(cluster, text, cluster.settings_file());
  return done ? io::write_file_atomic(cluster.conf_file(), text, 0600) : done;
}

Result<void> wait_for_nodes(const Embedded& cluster, Controller& controller) {
  const auto until = std::chrono::steady_clock::now() + kNodesWait;
  std::string waiting;
  do {
    auto reply = controller.ask_for<wire::NodesReply>(wire::NodesRequest{});
    if (!reply) return std::unexpected(reply.error());
    waiting.clear();
    for (const wire::NodeView& view : reply->nodes)
      if (view.node->health != NodeHealth::up || !view.node->responding)
        waiting =
            fmt::format("{} is {}", view.node->config.name.view(), node_state_word(*view.node));
    if (waiting.empty()) return {};
    std::this_thread::sleep_for(20ms);
  } while (std::chrono::steady_clock::now() < until);
  return fail(fmt::format("node {} after {} s; the logs in {} may say why", waiting,
                          kNodesWait.count(), cluster.log_directory()));
}

Result<void> start_missing(const Embedded& cluster, const Programs& programs) {
  if (!find_process(controller_daemon(cluster.run_directory())))
    if (auto started = run_program({programs.slurmctld, "-f", cluster.conf_file()}); !started)
      return std::unexpected(started.error());
  for (const std::string& node : cluster.configured_node_names()) {
    if (find_process(node_daemon(cluster.run_directory(), node))) continue;
    if (auto started = run_program({programs.slurmd, "-f", cluster.conf_file(), "-N", node});
        !started)
      return std::unexpected(started.error());
  }
  return {};
}

// "2 CPUs, 12052 MB of memory, gpu:4"
std::string size_of(const NodeConfig& node) {
  return fmt::format("{}, {} MB of memory{}", counted(node.cpus, "CPU"), node.memory_mib,
                     node.gres_text.empty() ? "" : fmt::format(", {}", node.gres_text.view()));
}

// "node node1 with 2 CPUs", "4 pretend nodes with 2 CPUs each", or a line for each kind of node.
std::string nodes_text(const wire::NodesReply& reply) {
  std::map<std::string, std::vector<std::string>> kinds;
  for (const wire::NodeView& view : reply.nodes)
    kinds[size_of(view.node->config)].push_back(view.node->config.name.str());
  if (reply.nodes.size() == 1)
    return fmt::format("node {} with {}", kinds.begin()->second.front(), kinds.begin()->first);
  std::string text = fmt::format("{} pretend nodes", reply.nodes.size());
  if (kinds.size() == 1) return fmt::format("{} with {} each", text, kinds.begin()->first);
  std::vector<std::string> parts;
  for (const auto& [size, names] : kinds)
    parts.push_back(fmt::format("{} with {}", compress_hostlist(names), size));
  return fmt::format("{}, {}", text, join(parts, "; "));
}

Result<void> start_with(const Embedded& cluster, const Programs& programs,
                        const EmbeddedLayout& layout) {
  if (auto wrote = write_configuration(cluster, layout); !wrote) return wrote;
  if (auto started = start_missing(cluster, programs); !started) return started;
  auto controller = cluster.connect();
  if (!controller) return std::unexpected(controller.error());
  if (auto waited = wait_for_nodes(cluster, *controller); !waited) return waited;
  return open_partitions(cluster, *controller, true);
}

// What was pretended, so that nobody takes it for real.
std::string machine_text(const EmbeddedLayout& layout) {
  if (!layout.pretends_more()) return {};
  const Machine& machine = layout.machine;
  return fmt::format(
      "All run on this machine of {}, {} MB of memory and {}; what is more is only pretended.\n",
      counted(machine.cpus, "CPU"), machine.memory_mib,
      machine.gpus.empty() ? "no GPUs" : counted(machine.gpus.size(), "GPU"));
}

void say_what_is_up(const Embedded& cluster, std::string_view how, std::string_view machine) {
  std::string text = fmt::format("The cluster is {}", how);
  std::size_t waiting = 0;
  if (auto controller = cluster.connect()) {
    if (auto reply = controller->ask_for<wire::NodesReply>(wire::NodesRequest{});
        reply && !reply->nodes.empty())
      text += ": " + nodes_text(*reply);
    if (auto jobs = count_jobs(*controller)) waiting = jobs->active + jobs->pending;
  }
  text += fmt::format(".\n{}", machine);
  if (waiting > 0)
    text += fmt::format("{} {} in it.\n", counted(waiting, "job"), waiting == 1 ? "is" : "are");
  text += how_to_find(cluster);
  text +=
      "  sbatch --wrap 'hostname'   submits a job; without --time it may run for an hour\n"
      "  squeue; sinfo; sacct       show jobs, nodes, results\n"
      "  muster up --edit           changes partitions, limits and other settings\n"
      "  muster down                stops the cluster\n";
  std::fputs(text.c_str(), stdout);
}

// What the cluster is started with: what is asked; after a crash what it had before, so that its
// jobs are found. A cluster that is up keeps what it has.
Result<UpOptions> choose(const Embedded& cluster, const UpOptions& asked) {
  const auto before = cluster.recorded_options();
  const bool keeps = before && (cluster.has_crashed() || cluster.has_live_steps());
  if (!keeps || asked.text() == before->text()) return asked;
  if (!asked.ask()) return *before;
  if (cluster.anything_runs() || cluster.has_live_steps())
    return fail(fmt::format("a cluster is up already ({}): `muster down` ends it first",
                            before->ask() ? before->text() : "without options"));
  return asked;
}

// For a cluster that is up: its settings were edited.
Result<void> apply_settings(const Embedded& cluster, const Programs& programs,
                            const EmbeddedLayout& layout) {
  if (auto wrote = write_configuration(cluster, layout); !wrote) return wrote;
  auto controller = cluster.connect();
  if (!controller) return std::unexpected(controller.error());
  auto tell = [](wire::Answer&& answer) {
    if (const auto* notice = std::get_if<wire::Notice>(&answer))
      print_info("muster", notice->text.view());
  };
  if (auto done = controller->stream(wire::ReconfigureRequest{}, tell); !done) return done;
  // Nodes that are no longer in the settings.
  const std::vector<Daemon> configured = cluster.daemons();
  for (const Daemon& daemon : list_daemons(cluster.run_directory()))
    if (std::ranges::find(configured, daemon.name, &Daemon::name) == configured.end())
      if (auto ended = end_daemon(daemon, kDaemonEndWait); !ended) return ended;
  if (auto started = start_missing(cluster, programs); !started) return started;
  return wait_for_nodes(cluster, *controller);
}

// The settings are edited in a copy. Only if they are right do they become those of the cluster;
// otherwise the copy stays, and the next --edit opens it again.
Result<void> edit_settings(const Embedded& cluster, const Programs& programs,
                           const UpOptions& options) {
  const std::string copy = cluster.settings_file() + ".edited";
  if (!io::exists(copy)) {
    auto text = io::exists(cluster.settings_file()) ? io::read_file(cluster.settings_file())
                                                    : std::string(first_settings_text());
    auto wrote = text ? io::write_file_atomic(copy, *text, 0600)
                      : Result<void>(std::unexpected(text.error()));
    if (!wrote) return wrote;
  }
  if (auto edited = edit_file(copy); !edited) return edited;
  auto layout = layout_of(cluster, programs, options, copy);
  Result<void> right = layout ? check_texts(cluster, slurm_conf_text(*layout), copy)
                              : Result<void>(std::unexpected(layout.error()));
  if (!right)
    return fail(fmt::format("{}\nnothing was changed; `muster up --edit` opens your text again",
                            right.error().text()));
  auto text = io::read_file(copy);
  if (!text) return std::unexpected(text.error());
  if (auto wrote = io::write_file_atomic(cluster.settings_file(), *text, 0600); !wrote)
    return wrote;
  return io::remove_file(copy);
}

Result<void> bring_up(const Embedded& cluster, const UpOptions& asked) {
  if (auto made = cluster.make_directories(); !made) return made;
  if (auto locked = cluster.lock(); !locked) return locked;
  auto options = choose(cluster, asked);
  if (!options) return std::unexpected(options.error());
  auto programs = find_programs();
  if (!programs) return std::unexpected(programs.error());
  const bool is_up = cluster.everything_runs(), recovers = cluster.has_crashed();
  if (asked.edit)
    if (auto edited = edit_settings(cluster, *programs, *options); !edited) return edited;
  auto layout = layout_of(cluster, *programs, *options, cluster.settings_file());
  if (!layout) return std::unexpected(layout.error());
  Result<void> done;
  if (!is_up)
    done = start_with(cluster, *programs, *layout);
  else if (asked.edit)
    done = apply_settings(cluster, *programs, *layout);
  if (!done) return done;
  std::string_view how = recovers ? "up again" : "up";
  if (is_up) how = asked.edit ? "up, with its new settings" : "up already";
  say_what_is_up(cluster, how, machine_text(*layout));
  return {};
}

}  // namespace

Result<void> start_cluster(const Embedded& cluster, const UpOptions& options) {
  auto programs = find_programs();
  if (!programs) return std::unexpected(programs.error());
  auto layout = layout_of(cluster, *programs, options, cluster.settings_file());
  if (!layout) return std::unexpected(layout.error());
  return start_with(cluster, *programs, *layout);
}

int muster_up(std::vector<std::string_view> args) {
  auto options = parse_up_options(args);
  auto up =
      options ? bring_up(Embedded(), *options) : Result<void>(std::unexpected(options.error()));
  if (up) return 0;
  print_error("muster", up.error().text());
  return kExitFailure;
}

}  // namespace muster::cli
