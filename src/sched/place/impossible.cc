// Searches for the first part of a request that no node, or not all nodes together, can satisfy.
#include "sched/place/impossible.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/saturating.h"
#include "sched/place/free.h"

namespace muster::sched {

namespace {

using fmt::format;
using Amount = std::function<std::uint64_t(const Node&)>;

// Slurm's message, which may be empty, and what would fit.
struct Lack {
  std::string_view known;
  std::string advice;
};

struct Most {
  std::uint64_t amount = 0;
  std::string_view node;
};

class Search {
 public:
  Search(const Cluster& cluster, const ResourceRequest& request, const Partition& partition,
         const std::vector<NodeId>& nodes)
      : cluster_(cluster), r_(request), partition_(partition), nodes_(nodes) {}

  Lack run() const {
    for (auto part : {&Search::no_node, &Search::shape, &Search::disk, &Search::cpus,
                      &Search::memory, &Search::devices, &Search::devices_in_all, &Search::tasks})
      if (auto found = (this->*part)()) return *found;
    return {"", "no nodes of partition " + partition_.name.str() +
                    " have all of what it asks for at the same time"};
  }

 private:
  Most most(const Amount& amount) const {
    Most found;
    for (NodeId id : nodes_) {
      const Node& node = cluster_.nodes.at(id);
      std::uint64_t n = amount(node);
      if (n > found.amount || found.node.empty()) found = {n, node.config.name.view()};
    }
    return found;
  }

  // "no node has 9 GPUs; the largest has 4 (n1)"; nothing if some node has enough.
  std::optional<Lack> lacking(std::string_view known, std::uint64_t wanted, std::string_view unit,
                              const Amount& amount) const {
    Most found = most(amount);
    if (wanted <= found.amount) return {};
    return Lack{known, format("no node has {}{}; the largest has {} ({})", wanted, unit,
                              found.amount, found.node)};
  }

  std::optional<Lack> no_node() const {
    for (NodeId id : r_.required_nodes)
      if (std::ranges::find(nodes_, id) == nodes_.end())
        return Lack{"", format("node {} is not in partition {}, is excluded, or lacks the features",
                               cluster_.nodes.at(id).config.name.view(), partition_.name.view())};
    if (!nodes_.empty()) return {};
    return Lack{"",
                format("no node of partition {} is left: they are excluded or lack the features",
                       partition_.name.view())};
  }

  std::optional<Lack> shape() const {
    constexpr std::string_view kKnown =
        "Socket, core and/or thread specification can not be satisfied";
    std::optional<Lack> found =
        lacking(kKnown, r_.min_sockets, " sockets", [](const Node& n) { return n.config.sockets; });
    if (!found)
      found = lacking(kKnown, r_.min_cores_per_socket, " cores in a socket",
                      [](const Node& n) { return n.config.cores_per_socket; });
    if (!found)
      found = lacking(kKnown, r_.min_threads_per_core, " threads in a core",
                      [](const Node& n) { return n.config.threads_per_core; });
    auto has_all = [&](NodeId id) {
      const NodeConfig& c = cluster_.nodes.at(id).config;
      return c.sockets >= r_.min_sockets && c.cores_per_socket >= r_.min_cores_per_socket &&
             c.threads_per_core >= r_.min_threads_per_core;
    };
    if (!found && std::ranges::none_of(nodes_, has_all))
      found = Lack{kKnown, "no node has so many sockets, cores and threads at the same time"};
    return found;
  }

  std::optional<Lack> disk() const {
    return lacking("Temporary disk specification can not be satisfied", r_.tmp_disk_mib,
                   " MB of temporary disk", [](const Node& n) { return n.config.tmp_disk_mib; });
  }

  std::uint64_t cpus_on_a_node() const {
    std::uint64_t tasks = std::max(1u, r_.tasks_per_node);
    std::uint64_t cpus = r_.overcommit ? 1 : tasks * r_.cpus_per_task;
    return std::max<std::uint64_t>(cpus, r_.min_cpus_per_node);
  }
  std::optional<Lack> cpus() const {
    return lacking("CPU count per node can not be satisfied", cpus_on_a_node(), " CPUs",
                   [](const Node& n) { return all_of(n).cpus.size(); });
  }

  std::optional<Lack> memory() const {
    std::uint64_t wanted =
        std::max({r_.memory_per_node_mib.value_or(0), r_.least_memory_mib,
                  saturating_multiply(r_.memory_per_cpu_mib.value_or(0), cpus_on_a_node())});
    const Amount memory_of = [](const Node& n) { return all_of(n).memory_mib; };
    // Slurm's message only fits if a single number is too large, not a product.
    const bool at_once = r_.memory_per_node_mib || !r_.memory_per_cpu_mib ||
                         cpus_on_a_node() == 1 || *r_.memory_per_cpu_mib > most(memory_of).amount;
    return lacking(at_once ? "Memory specification can not be satisfied" : "", wanted,
                   " MB of memory", memory_of);
  }

  static std::string unit_of(const GresRequest& g) {
    const std::string kind = g.type.empty() ? "" : " of type " + g.type.str();
    return (g.name == "gpu" ? " GPUs" : " " + g.name.str()) + kind;
  }
  static std::uint64_t count_of(const Node& node, const GresRequest& g) {
    std::uint64_t count = 0;
    for (const GresPool& pool : node.config.gres)
      if (pool.name == g.name && (g.type.empty() || pool.type == g.type)) count += pool.count;
    return count;
  }
  std::optional<Lack> lacking_devices(const GresRequest& g, std::uint64_t wanted) const {
    return lacking("", wanted, unit_of(g), [&](const Node& n) { return count_of(n, g); });
  }
  std::optional<Lack> devices() const {
    for (const GresRequest& g : r_.gres_per_node)
      if (auto found = lacking_devices(g, g.count)) return found;
    for (const GresRequest& g : r_.gpus_per_task)
      if (auto found = lacking_devices(g, g.count)) return found;
    for (const GresRequest& g : r_.gpus_total)
      if (auto found = lacking_devices(g, r_.max_nodes == 1 ? g.count : 1)) return found;
    return {};
  }

  std::optional<Lack> devices_in_all() const {
    for (const GresRequest& g : r_.gpus_total) {
      std::uint64_t all = 0;
      for (NodeId id : nodes_) all += count_of(cluster_.nodes.at(id), g);
      if (g.count > all)
        return Lack{"", format("it asks for {}{}; partition {} has {}", g.count, unit_of(g),
                               partition_.name.view(), all)};
    }
    return {};
  }

  std::optional<Lack> tasks() const {
    std::vector<std::uint64_t> rooms;
    for (NodeId id : nodes_) {
      std::uint64_t n = all_of(cluster_.nodes.at(id)).cpus.size() / r_.cpus_per_task;
      rooms.push_back(r_.tasks_per_node ? std::min<std::uint64_t>(n, r_.tasks_per_node) : n);
    }
    std::ranges::sort(rooms, std::greater{});
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < rooms.size() && i < r_.max_nodes; ++i) sum += rooms[i];
    if (r_.overcommit || r_.tasks_follow_nodes || r_.tasks <= sum) return {};
    return Lack{"", format("it has {} tasks; {} of the largest nodes hold {}", r_.tasks,
                           std::min<std::size_t>(rooms.size(), r_.max_nodes), sum)};
  }

  const Cluster& cluster_;
  const ResourceRequest& r_;
  const Partition& partition_;
  const std::vector<NodeId>& nodes_;
};

}  // namespace

Error why_impossible(const Cluster& cluster, const ResourceRequest& request,
                     const Partition& partition, const std::vector<NodeId>& nodes) {
  Lack lack = Search(cluster, request, partition, nodes).run();
  return {.code = ErrorCode::requested_node_config_unavailable,
          .detail = std::string(lack.known),
          .advice = std::move(lack.advice)};
}

}  // namespace muster::sched
