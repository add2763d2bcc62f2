// scontrol show slurmd: the slurmd of this host, with facts from its registration and its
// configuration.
#include <algorithm>

#include "base/text/date.h"
#include "base/text/strings.h"
#include "cli/options/environment.h"
#include "cli/scontrol/config_file.h"
#include "cli/scontrol/session.h"
#include "cli/tables/table_format.h"
#include "io/files.h"

namespace muster::cli {

namespace {

// "/run/slurmd.%n.pid"
std::string of_node(std::string_view path, const Node& node) {
  std::string text = replace_all(path, "%n", node.config.name);
  return replace_all(text, "%h", node.config.hostname);
}

std::string pid_in(const std::string& file) {
  auto text = io::read_file(file);
  return text && !trim(*text).empty() ? std::string(trim(*text)) : "N/A";
}

int debug_level(std::string_view name) {
  constexpr std::string_view kLevels[] = {"quiet", "fatal",  "error",  "info",   "verbose",
                                          "debug", "debug2", "debug3", "debug4", "debug5"};
  auto at = std::ranges::find_if(kLevels, [&](auto level) { return iequals(level, name); });
  return static_cast<int>(at - std::begin(kLevels));
}

std::string active_steps(const wire::JobsReply& jobs, NodeId node) {
  std::string out;
  for (const wire::JobView& view : jobs.jobs)
    for (const auto& [id, step] : view.job->run->steps) {
      if (is_ended(step.state) || id == kExternStep) continue;
      if (std::ranges::find(step.nodes, node, &StepNode::node) == step.nodes.end()) continue;
      if (!out.empty()) out += ',';
      out += std::to_string(view.job->id.value);
      if (is_numbered(id)) out += "." + step_name(id);
    }
  return out.empty() ? "NONE" : out;
}

}  // namespace

void scontrol_show_slurmd(ScontrolSession& session) {
  auto view = own_node(session);
  if (!view) return session.error("slurm_load_slurmd_status: {}", view.error().text());
  auto config = session.ask_for<wire::ConfigReply>(wire::ConfigRequest{});
  if (!config) return session.error("slurm_load_ctl_conf error: {}", config.error().text());
  auto jobs = session.ask_for<wire::JobsReply>(wire::JobsRequest{});
  if (!jobs) return session.error("slurm_load_jobs error: {}", jobs.error().text());
  const Node& node = *view->node;
  const NodeFacts& facts = node.facts;
  auto row = [](std::string_view name, const auto& value) {
    fmt::print("{:<24} = {}\n", name, value);
  };
  row("Active Steps", active_steps(*jobs, node.id));
  row("Actual CPUs", facts.cpus);
  row("Actual Boards", node.config.boards);
  row("Actual sockets", facts.sockets);
  row("Actual cores", facts.cores);
  row("Actual threads per core", facts.threads);
  row("Actual real memory", fmt::format("{} MB", facts.memory_mib));
  row("Actual temp disk space", fmt::format("{} MB", facts.tmp_disk_mib));
  row("Boot time", format_date(facts.slurmd_started));
  row("Hostname", node.config.name.view());
  row("Last slurmctld msg time",
      is_set(view->last_contact) ? format_date(view->last_contact) : "NONE");
  row("Slurmd PID", pid_in(of_node(config_setting(*config, "SlurmdPidFile"), node)));
  row("Slurmd Debug", debug_level(config_setting(*config, "SlurmdDebug")));
  row("Slurmd Logfile", of_node(config_setting(*config, "SlurmdLogFile"), node));
  row("Version", facts.version.view());
}

}  // namespace muster::cli
