// muster status: which daemons of the embedded cluster run. Exit code 0: all of them; 1: not all.
#include <fmt/format.h>

#include <cstdio>

#include "cli/lib/errors.h"
#include "cli/muster/embedded.h"
#include "cli/tables/colour.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

namespace {

std::string node_line(const Node& node) {
  std::string line = fmt::format("  {:<20} ", node.config.name.view());
  const std::size_t begin = line.size();
  const std::string state(node_state_word(node));
  line += fmt::format("{:<10}", state);
  if (uses_colours()) paint(line, begin, colour_of_state(state));
  line += fmt::format(" {} of {} used, {} MB of memory", node.used_cpus.size(),
                      counted(node.config.cpus, "CPU"), node.config.memory_mib);
  if (!node.config.gres_text.empty()) line += fmt::format(", {}", node.config.gres_text.view());
  return line + "\n";
}

Result<std::string> describe(Controller& controller, const Embedded& cluster) {
  auto nodes = controller.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!nodes) return std::unexpected(nodes.error());
  auto jobs = count_jobs(controller);
  if (!jobs) return std::unexpected(jobs.error());
  std::string text = fmt::format("The cluster is up: {}, {} running, {} pending.\n",
                                 counted(nodes->nodes.size(), "node"), counted(jobs->active, "job"),
                                 jobs->pending);
  for (const wire::NodeView& view : nodes->nodes) text += node_line(*view.node);
  return text + fmt::format("  files and logs: {}\n", cluster.base());
}

int say_what_is_missing(const Embedded& cluster) {
  std::string text = "The cluster is up only in part; `muster up` brings back what is missing:\n";
  for (const Daemon& daemon : cluster.daemons()) {
    auto pid = find_process(daemon);
    text += pid ? fmt::format("  {} runs as process {}\n", daemon.name, *pid)
                : fmt::format("  {} does not run\n", daemon.name);
  }
  std::fputs(text.c_str(), stdout);
  return 1;
}

}  // namespace

int muster_status(std::vector<std::string_view> args) {
  if (!args.empty()) {
    print_error("muster", fmt::format("status: unknown argument '{}'", args.front()));
    return kExitFailure;
  }
  const Embedded cluster;
  if (!cluster.anything_runs()) {
    fmt::print("No cluster is up here; `muster up` starts one.\n");
    return 1;
  }
  if (!cluster.everything_runs()) return say_what_is_missing(cluster);
  auto controller = cluster.connect();
  auto text = controller ? describe(*controller, cluster)
                         : Result<std::string>(std::unexpected(controller.error()));
  if (!text) {
    print_error("muster", text.error().text());
    return kExitFailure;
  }
  return write_out(*text + how_to_find(cluster)) ? 0 : kExitFailure;
}

}  // namespace muster::cli
