// See changes.h.
#include "slurmctld/changes.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "controller/effects/log_facts.h"

namespace muster::daemon {

namespace {

// Of a key without effect, which may be a password, the value is nobody's business.
std::string changed_keys(const config::SlurmConf& before, const config::SlurmConf& after) {
  std::vector<std::string> changed;
  for (const config::Key& key : config::known_keys()) {
    const std::string_view was = before.view(key), is = after.view(key);
    if (was == is) continue;
    const bool acts = key.use.how != config::Use::How::ignored;
    changed.push_back(acts ? fmt::format("{}={}->{}", key.name, was, is) : std::string(key.name));
  }
  return join(changed, " ");
}

// What a line of the file says, by its name.
template <class T>
using Lines = std::map<std::string, T>;

Lines<NodeConfig> nodes_of(const ClusterConfig& config) {
  Lines<NodeConfig> lines;
  for (const NodeConfig& node : config.nodes) lines.emplace(node.name.str(), node);
  return lines;
}
Lines<std::pair<Partition, std::vector<Text>>> partitions_of(const ClusterConfig& config) {
  Lines<std::pair<Partition, std::vector<Text>>> lines;
  for (std::size_t i = 0; i < config.partitions.size(); ++i)
    lines.emplace(config.partitions[i].name.str(),
                  std::pair(config.partitions[i], config.partition_nodes[i]));
  return lines;
}
Lines<Qos> qos_of(const ClusterConfig& config) {
  Lines<Qos> lines;
  for (const Qos& qos : config.qos) lines.emplace(qos.name.str(), qos);
  return lines;
}

struct Names {
  std::string_view added, removed, changed;
};

template <class T>
void add_lines(controller::LogFacts& facts, const Names& names, const Lines<T>& before,
               const Lines<T>& after) {
  std::vector<std::string> added, removed, changed;
  for (const auto& [name, line] : after) {
    auto was = before.find(name);
    if (was == before.end())
      added.push_back(name);
    else if (was->second != line)
      changed.push_back(name);
  }
  for (const auto& [name, line] : before)
    if (!after.contains(name)) removed.push_back(name);
  facts.add(names.added, compress_hostlist(added));
  facts.add(names.removed, compress_hostlist(removed));
  facts.add(names.changed, compress_hostlist(changed));
}

}  // namespace

LogEntry reconfigured(const Configuration& before, const Configuration& after) {
  controller::LogFacts facts("reconfigured");
  facts.add("Changes", changed_keys(before.conf, after.conf));
  add_lines(facts, {"NodesAdded", "NodesRemoved", "NodesChanged"}, nodes_of(before.cluster),
            nodes_of(after.cluster));
  add_lines(facts, {"PartitionsAdded", "PartitionsRemoved", "PartitionsChanged"},
            partitions_of(before.cluster), partitions_of(after.cluster));
  add_lines(facts, {"QOSAdded", "QOSRemoved", "QOSChanged"}, qos_of(before.cluster),
            qos_of(after.cluster));
  if (before.cluster.settings.topology != after.cluster.settings.topology)
    facts.add("Topology", "changed");
  return facts.take();
}

}  // namespace muster::daemon
