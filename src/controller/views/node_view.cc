// Makes answers about nodes and partitions.
#include "controller/views/node_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/hostlist.h"

namespace muster::controller {

namespace {

std::map<NodeId, NodeKept> kept_nodes(const Cluster& cluster, Time now) {
  std::map<NodeId, NodeKept> kept;
  for (const Reservation& r : *cluster.reservations) {
    if (!r.is_active(now)) continue;
    const NodeKept as = r.has("MAINT") ? NodeKept::maintenance : NodeKept::reserved;
    for (NodeId id : r.nodes) kept[id] = std::max(kept[id], as);
  }
  return kept;
}

// The owners of nodes whose job shares only with jobs of the same user.
std::map<NodeId, Text> owners_of_nodes(const Cluster& cluster, const Visibility& visible) {
  std::map<NodeId, Text> owners;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!visible.sees(job)) continue;
    const Partition* partition = cluster.find_partition(job.partition);
    if (!job.spec->exclusive_user && !(partition && partition->exclusive_user)) continue;
    const Text owner(fmt::format("{}({})", job.spec->user_name.view(), job.spec->uid.value));
    for (const NodeShare& share : job.run->allocation)
      if (!is_ended(job.state) || job.run->unfinished.contains(share.node))
        owners[share.node] = owner;
  }
  return owners;
}

std::string preempt_mode_text(const PreemptSettings& preempt) {
  static constexpr std::string_view kModes[] = {"OFF", "CANCEL", "REQUEUE", "SUSPEND"};
  std::string text = preempt.gang ? "GANG" : "";
  auto add = [&](std::string_view word) { text += (text.empty() ? "" : ",") + std::string(word); };
  if (preempt.within) add("WITHIN");
  if (preempt.mode != PreemptMode::off || text.empty())
    add(kModes[static_cast<std::size_t>(preempt.mode)]);
  return text;
}

// A partition without its own preemption mode shows the cluster's.
std::vector<Partition> shown_partitions(const Cluster& cluster) {
  std::vector<Partition> shown = *cluster.partitions;
  for (Partition& p : shown)
    if (p.preempt_mode.empty()) p.preempt_mode = preempt_mode_text(cluster.settings().preempt);
  return shown;
}

}  // namespace

wire::NodesReply nodes_reply(const Published& published, const Visibility& visible,
                             const wire::NodesRequest& request, Time now) {
  wire::NodesReply reply{.now = now, .partitions = shown_partitions(published.cluster)};
  std::map<NodeId, std::vector<Text>> partitions;
  for (const Partition& p : reply.partitions)
    for (NodeId id : p.nodes) partitions[id].push_back(p.name);
  const std::map<NodeId, NodeKept> kept = kept_nodes(published.cluster, now);
  const std::map<NodeId, Text> owners = owners_of_nodes(published.cluster, visible);
  for (NodeId id : *published.cluster.node_order) {
    const Node& node = published.cluster.nodes.at(id);
    if (!request.names.empty() && std::find(request.names.begin(), request.names.end(),
                                            node.config.name) == request.names.end())
      continue;
    wire::NodeView view{.node = published.cluster.nodes.share(id), .partitions = partitions[id]};
    if (auto at = kept.find(id); at != kept.end()) view.node.edit().kept = at->second;
    if (auto at = owners.find(id); at != owners.end()) view.owner = at->second;
    if (published.loads)
      if (auto load = published.loads->find(id); load != published.loads->end()) {
        view.cpu_load = load->second.cpu_load;
        view.free_memory_mib = load->second.free_memory_mib;
        view.free_memory_known = load->second.cpu_load >= 0;
        view.last_contact = load->second.last_contact;
      }
    reply.nodes.push_back(std::move(view));
  }
  return reply;
}

wire::PartitionsReply partitions_reply(const Published& published) {
  wire::PartitionsReply reply;
  for (const Partition& p : shown_partitions(published.cluster)) {
    wire::PartitionView view{.partition = p};
    std::vector<std::string> names;
    Tres tres;
    std::map<Text, std::uint64_t> gres;
    for (NodeId id : p.nodes) {
      const Node* node = published.cluster.nodes.find(id);
      if (!node) continue;
      names.push_back(node->config.name.str());
      view.node_names.push_back(node->config.name);
      tres.cpus += node->config.cpus;
      tres.memory_mib += node->config.memory_mib;
      for (const GresPool& pool : node->config.gres) gres[pool.name] += pool.count;
    }
    tres.nodes = names.size();
    tres.billing = tres.cpus;
    for (const auto& [name, count] : gres) tres.gres.push_back({.name = name, .count = count});
    view.nodes = compress_hostlist(names);
    view.total_cpus = static_cast<std::uint32_t>(tres.cpus);
    view.total_nodes = static_cast<std::uint32_t>(names.size());
    view.tres = tres.text();
    reply.partitions.push_back(std::move(view));
  }
  return reply;
}

}  // namespace muster::controller
