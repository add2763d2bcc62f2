// Compares a refused request with the nodes and partitions that there are.
#include "cli/allocation/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/saturating.h"
#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/lib/controller.h"
#include "cli/options/nearest.h"

namespace muster::cli {

namespace {

using Names = std::vector<std::string>;
using fmt::format;

constexpr std::size_t kMostNamed = 20;

std::string listed(const Names& names) {
  if (names.size() <= kMostNamed) return join(names, ", ");
  return format("{} and {} more", join({names.begin(), names.begin() + kMostNamed}, ", "),
                names.size() - kMostNamed);
}

// "there is no partition gpu; there are batch, main". With a name that is near, only that one.
std::string no_such(std::string_view what, std::string_view name, const Names& there) {
  std::string text = format("there is no {} {}", what, name);
  if (const std::string near = nearest_word(name, there); !near.empty())
    return format("{}; did you mean {}?", text, near);
  if (there.empty()) return format("{}: there are none", text);
  return format("{}; there {} {}", text, there.size() == 1 ? "is" : "are", listed(there));
}

class Adviser {
 public:
  Adviser(const JobRequest& spec, const Error& error, const wire::NodesReply& site,
          bool is_embedded)
      : spec_(spec), error_(error), site_(site), is_embedded_(is_embedded) {}

  std::string run() {
    switch (error_.code) {
      case ErrorCode::invalid_partition:
        partitions();
        break;
      case ErrorCode::invalid_feature:
      case ErrorCode::invalid_prefer:
        features();
        break;
      case ErrorCode::invalid_node_name:
        nodes();
        break;
      case ErrorCode::invalid_time_limit:
        time_limits();
        break;
      case ErrorCode::invalid_gres:
      case ErrorCode::requested_node_config_unavailable:
        resources();
        break;
      default:
        say(error_.advice);
    }
    return join(lines_, "\n");
  }

 private:
  void say(std::string line) {
    if (!line.empty()) lines_.push_back(std::move(line));
  }
  // The option of `muster up` with which the cluster would have it.
  void offer(const std::string& option) {
    if (is_embedded_) say(format("`muster up` with {} would have it, after `muster down`", option));
  }

  void partitions() {
    Names there;
    for (const Partition& p : site_.partitions) there.push_back(p.name.str());
    for (const Text& name : spec_.partition.parsed()) {
      if (std::ranges::find(there, name.view()) != there.end()) continue;
      say(no_such("partition", name, there));
      offer(format("--partition={}", name.view()));
    }
  }

  void features() {
    std::set<std::string> known;
    for (const wire::NodeView& view : site_.nodes)
      for (const Text& feature : view.node->config.features) known.insert(feature.str());
    for (const FeatureExpression* wanted : {&spec_.features, &spec_.prefer})
      for (const Text& feature : features_in(constraint_in(*wanted))) {
        if (known.contains(feature.str())) continue;
        say(no_such("node with the feature", feature, {known.begin(), known.end()}));
        offer(format("--feature={}", feature.view()));
      }
  }

  void nodes() {
    Names there;
    for (const wire::NodeView& view : site_.nodes) there.push_back(view.node->config.name.str());
    for (const Text* list : {&spec_.required_nodes, &spec_.excluded_nodes}) {
      auto named = expand_hostlist(*list);
      if (!named) continue;
      for (const std::string& name : *named) {
        if (std::ranges::find(there, name) != there.end()) continue;
        return say(format("there is no node {}; there are {}", name, compress_hostlist(there)));
      }
    }
  }

  void time_limits() {
    for (const Partition& p : site_.partitions)
      if (p.max_time)
        say(format("partition {} allows {}", p.name.view(), format_limit(*p.max_time)));
  }

  template <class Amount>
  std::uint64_t most(Amount amount) const {
    std::uint64_t found = 0;
    for (const wire::NodeView& view : site_.nodes)
      found = std::max<std::uint64_t>(found, amount(view.node->config));
    return found;
  }

  // GPUs and other devices that each node, or the only one, would need.
  GresRequests devices_wanted() const {
    GresRequests all = requests_in(spec_.gres);
    const std::uint64_t tasks = spec_.ntasks_per_node.value_or(1);
    for (auto [list, times] : {std::pair{&spec_.gpus, std::uint64_t{1}},
                               std::pair{&spec_.gpus_per_node, std::uint64_t{1}},
                               std::pair{&spec_.gpus_per_socket, std::uint64_t{1}},
                               std::pair{&spec_.gpus_per_task, tasks}})
      for (GresRequest gpus : requests_in(*list)) {
        gpus.name = "gpu";
        gpus.count = saturating_multiply(gpus.count, times);
        all.push_back(gpus);
      }
    return all;
  }

  static std::uint64_t count_in(const NodeConfig& node, const Text& name, const Text& type) {
    std::uint64_t count = 0;
    const GresList has(node.gres_text);
    for (const GresRequest& g : requests_in(has))
      if (g.name == name && (type.empty() || g.type == type)) count += g.count;
    return count;
  }

  Names types_of(const Text& name) const {
    std::set<std::string> types;
    for (const wire::NodeView& view : site_.nodes) {
      const GresList has(view.node->config.gres_text);
      for (const GresRequest& g : requests_in(has))
        if (g.name == name && !g.type.empty()) types.insert(g.type.str());
    }
    return {types.begin(), types.end()};
  }

  // True if a kind of device is what is missing.
  bool devices() {
    for (const GresRequest& g : devices_wanted()) {
      const bool are_gpus = g.name == "gpu";
      const std::string what = are_gpus ? "GPUs" : g.name.str();
      const auto all = most([&](const NodeConfig& n) { return count_in(n, g.name, {}); });
      const auto of_type = most([&](const NodeConfig& n) { return count_in(n, g.name, g.type); });
      if (of_type >= g.count) continue;
      if (all == 0) {
        say(format("this cluster has no {}", what));
      } else if (of_type == 0) {
        const Names types = types_of(g.name);
        say(format("no node has {} of type {}; {}", what, g.type.view(),
                   types.empty() ? "leave out the type" : "there are " + listed(types)));
      } else {
        say(error_.advice.empty()
                ? format("no node has {} {}; the largest has {}", g.count, what, of_type)
                : error_.advice);
      }
      if (are_gpus) offer(format("--gpus={}{}", g.type.empty() ? "" : g.type.str() + ":", g.count));
      return true;
    }
    return false;
  }

  void resources() {
    if (devices()) return;
    say(error_.advice);
    const std::uint64_t tasks = spec_.ntasks_per_node.value_or(1);
    const std::uint64_t cpus =
        std::max<std::uint64_t>(saturating_multiply(tasks, spec_.cpus_per_task.value_or(1)),
                                spec_.min_cpus_per_node.value_or(1));
    if (cpus > most([](const NodeConfig& n) { return n.cpus; })) offer(format("--cpus={}", cpus));
    const std::uint64_t mib =
        std::max(spec_.memory_per_node_mib.value_or(0),
                 saturating_multiply(spec_.memory_per_cpu_mib.value_or(0), cpus));
    if (mib > most([](const NodeConfig& n) { return n.memory_mib; }))
      offer(format("--memory={}", format_mib(mib)));
    if (spec_.min_nodes > site_.nodes.size()) offer(format("--nodes={}", spec_.min_nodes));
  }

  const JobRequest& spec_;
  const Error& error_;
  const wire::NodesReply& site_;
  const bool is_embedded_;
  Names lines_;
};

}  // namespace

std::string advice_on(const JobRequest& spec, const Error& error, const wire::NodesReply& site,
                      bool is_embedded) {
  return Adviser(spec, error, site, is_embedded).run();
}

void advise(std::string_view program, const JobOptions& options, const Error& error) {
  if (!is_for_people(options.verbose > 0)) return;
  std::string text = error.advice;
  if (auto controller = Controller::connect()) {
    controller->announce_last();
    // What is private stays unknown.
    auto site = controller->ask_for<wire::NodesReply>(wire::NodesRequest{});
    if (site) text = advice_on(options.spec, error, *site, is_embedded(controller->config()));
  }
  if (!text.empty()) print_error(program, text);
}

}  // namespace muster::cli
