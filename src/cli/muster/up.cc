// muster up: starts a cluster on this machine, or the daemons that a crash has ended.
#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/text/strings.h"
#include "cli/lib/errors.h"
#include "cli/lib/name_service.h"
#include "cli/muster/embedded.h"
#include "cli/muster/machine.h"
#include "io/files.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr Seconds kNodesWait{60};

std::string own_user() {
  auto entry = user_with(Uid{::geteuid()});
  return entry ? entry->name : std::to_string(::geteuid());
}

Result<std::uint32_t> parse_nodes(const std::vector<std::string_view>& args) {
  std::uint32_t nodes = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string_view value;
    if (args[i] == "--nodes" && i + 1 < args.size())
      value = args[++i];
    else if (args[i].starts_with("--nodes="))
      value = args[i].substr(8);
    else if (args[i] == "--nodes")
      return fail("--nodes needs a number");
    else
      return fail(fmt::format("up: unknown argument '{}'; there is --nodes=N", args[i]));
    auto number = parse_number<std::uint32_t>(value);
    if (!number || *number < 1 || *number > kMaxPretendNodes)
      return fail(
          fmt::format("--nodes={}: a number from 1 to {} is expected", value, kMaxPretendNodes));
    nodes = *number;
  }
  return nodes;
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

Result<EmbeddedLayout> write_configuration(const Embedded& cluster, const Programs& programs,
                                           std::uint32_t nodes) {
  auto line = run_program({programs.slurmd, "-C"});
  if (!line) return std::unexpected(line.error());
  auto machine = parse_machine(*line);
  if (!machine) return std::unexpected(machine.error());
  machine->gpus = find_gpus("/dev");
  EmbeddedLayout layout{cluster.base(), own_user(), std::move(*machine), nodes};
  if (auto fits = check_socket_paths(cluster, node_names(layout.machine, nodes)); !fits)
    return std::unexpected(fits.error());
  const std::string gres_file = cluster.base() + "/etc/gres.conf", gres = gres_conf_text(layout);
  auto gres_done =
      gres.empty() ? io::remove_file(gres_file) : io::write_file_atomic(gres_file, gres, 0600);
  if (!gres_done) return std::unexpected(gres_done.error());
  if (auto wrote = io::write_file_atomic(cluster.conf_file(), slurm_conf_text(layout), 0600);
      !wrote)
    return std::unexpected(wrote.error());
  return layout;
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

Result<void> start_missing(const Embedded& cluster, const Programs& programs,
                           const EmbeddedLayout& layout) {
  if (!find_process(controller_daemon(cluster.run_directory())))
    if (auto started = run_program({programs.slurmctld, "-f", cluster.conf_file()}); !started)
      return std::unexpected(started.error());
  for (const std::string& node : node_names(layout.machine, layout.nodes)) {
    if (find_process(node_daemon(cluster.run_directory(), node))) continue;
    if (auto started = run_program({programs.slurmd, "-f", cluster.conf_file(), "-N", node});
        !started)
      return std::unexpected(started.error());
  }
  return {};
}

void say_what_is_up(const Embedded& cluster, std::string_view how) {
  std::string text = fmt::format("The cluster is {}", how);
  std::size_t waiting = 0;
  if (auto controller = cluster.connect()) {
    if (auto reply = controller->ask_for<wire::NodesReply>(wire::NodesRequest{});
        reply && !reply->nodes.empty()) {
      const NodeConfig& node = reply->nodes.front().node->config;
      const std::string size =
          fmt::format("{}, {} MB of memory", counted(node.cpus, "CPU"), node.memory_mib);
      const std::string gpus =
          node.gres_text.empty() ? "" : fmt::format(", {}", node.gres_text.view());
      if (reply->nodes.size() == 1)
        text += fmt::format(": node {} with {}{}", node.name.view(), size, gpus);
      else
        text += fmt::format(": {} pretend nodes with {} each", reply->nodes.size(), size);
    }
    if (auto jobs = count_jobs(*controller)) waiting = jobs->active + jobs->pending;
  }
  text += ".\n";
  if (waiting > 0)
    text += fmt::format("{} {} in it.\n", counted(waiting, "job"), waiting == 1 ? "is" : "are");
  text += how_to_find(cluster);
  text +=
      "  sbatch --wrap 'hostname'   submits a job\n"
      "  squeue; sinfo; sacct       show jobs, nodes, results\n"
      "  muster down                stops the cluster\n";
  std::fputs(text.c_str(), stdout);
}

// The number of nodes to start: as requested; after a crash the same as before, so that its jobs
// are found; else 1.
Result<std::uint32_t> choose_nodes(const Embedded& cluster, std::uint32_t asked) {
  const std::uint32_t before = cluster.configured_nodes();
  const bool keeps = before != 0 && (cluster.has_crashed() || cluster.has_live_steps());
  if (!keeps) return asked == 0 ? 1 : asked;
  if (asked != 0 && asked != before && (cluster.anything_runs() || cluster.has_live_steps()))
    return fail(fmt::format("a cluster of {} is up already: `muster down` ends it first",
                            counted(before, "node")));
  return asked == 0 ? before : asked;
}

Result<void> bring_up(const Embedded& cluster, std::uint32_t asked) {
  if (auto made = cluster.make_directories(); !made) return made;
  if (auto locked = cluster.lock(); !locked) return locked;
  auto nodes = choose_nodes(cluster, asked);
  if (!nodes) return std::unexpected(nodes.error());
  if (cluster.everything_runs()) {
    say_what_is_up(cluster, "up already");
    return {};
  }
  const bool recovers = cluster.has_crashed();
  if (auto started = start_cluster(cluster, *nodes); !started) return started;
  say_what_is_up(cluster, recovers ? "up again" : "up");
  return {};
}

}  // namespace

Result<void> start_cluster(const Embedded& cluster, std::uint32_t nodes) {
  auto programs = find_programs();
  if (!programs) return std::unexpected(programs.error());
  auto layout = write_configuration(cluster, *programs, nodes);
  if (!layout) return std::unexpected(layout.error());
  if (auto started = start_missing(cluster, *programs, *layout); !started) return started;
  auto controller = cluster.connect();
  if (!controller) return std::unexpected(controller.error());
  if (auto waited = wait_for_nodes(cluster, *controller); !waited) return waited;
  return set_partition_state(*controller, "UP");
}

int muster_up(std::vector<std::string_view> args) {
  auto nodes = parse_nodes(args);
  if (!nodes) {
    print_error("muster", nodes.error().text());
    return kExitFailure;
  }
  if (auto up = bring_up(Embedded(), *nodes); !up) {
    print_error("muster", up.error().text());
    return kExitFailure;
  }
  return 0;
}

}  // namespace muster::cli
