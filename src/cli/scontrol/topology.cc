// scontrol show topology: all switches, or those above one node.
#include "cli/scontrol/topology.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::cli {

std::string switch_text(const Switch& s) {
  std::string line = fmt::format("SwitchName={} Level={} LinkSpeed={} Nodes={}", s.name.view(),
                                 s.level, s.link_speed, s.nodes_text.view());
  if (!s.switches_text.empty()) line += fmt::format(" Switches={}", s.switches_text.view());
  return line + "\n";
}

void show_topology(ScontrolSession& session, const std::string& name) {
  auto reply = session.ask_for<wire::TopologyReply>(wire::TopologyRequest{});
  if (!reply) return session.error("slurm_load_topo error: {}", reply.error().text());
  if (reply->switches.empty()) {
    if (!session.quiet) fmt::print(stderr, "scontrol: error: No topology information available\n");
    return;
  }
  bool any = false;
  for (const Switch& s : reply->switches) {
    bool wanted = name.empty() || s.name == name ||
                  std::ranges::find(s.nodes, std::string_view(name), &Text::view) != s.nodes.end();
    if (!wanted) continue;
    any = true;
    fmt::print("{}", switch_text(s));
  }
  if (!any && !session.quiet)
    fmt::print(stderr,
               "scontrol: error: Topology information contains no switch or node named {}\n", name);
}

}  // namespace muster::cli
