// Compares a registering node with its configuration, and decides about its state.
#include "controller/nodes/node_change.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace muster::controller {

NodeReason reason_and(const Node& node, std::string_view words) {
  return {.text = node.reason.str().append(words), .by = node.reason_uid, .at = node.reason_time};
}

NodeReason own_reason(const Ledger& ledger, std::string_view text) {
  return {.text = text, .by = ledger.authority().slurm_user, .at = ledger.now()};
}

namespace {

// A node that is smaller than its NodeName line says must not get jobs that rely on it.
std::string shortfall(const Settings& settings, const NodeConfig& config, const NodeFacts& facts) {
  if (settings.config_overrides) return {};
  if (facts.cpus < config.cpus)
    return fmt::format("Low CPUs (reported:{} < config:{})", facts.cpus, config.cpus);
  if (facts.memory_mib < config.memory_mib)
    return fmt::format("Low RealMemory (reported:{} < 100.00% of configured:{})", facts.memory_mib,
                       config.memory_mib);
  if (facts.tmp_disk_mib < config.tmp_disk_mib) return "Low TmpDisk";
  return {};
}

std::string fewer(std::string_view name, std::uint64_t found, std::uint64_t wanted) {
  return fmt::format("gres/{} count reported lower than configured ({} < {})", name, found, wanted);
}

// Devices of gres.conf that the node does not have.
std::string missing_devices(const NodeConfig& config, const NodeFacts& facts) {
  if (facts.missing_devices.empty()) return {};
  std::map<Text, std::pair<std::uint64_t, std::uint64_t>> counts;  // existing, configured
  for (const GresPool& pool : config.gres) {
    auto& [found, wanted] = counts[pool.name];
    wanted += pool.count;
    const auto missing = std::ranges::count_if(pool.files, [&](const Text& file) {
      return std::ranges::find(facts.missing_devices, file) != facts.missing_devices.end();
    });
    found += pool.count - std::min<std::uint64_t>(pool.count, static_cast<std::uint64_t>(missing));
  }
  for (const auto& [name, count] : counts)
    if (count.first < count.second) return fewer(name.view(), count.first, count.second);
  return {};
}

// Reports if AutoDetect found fewer GPUs than configured.
std::string missing_gres(const NodeConfig& config, const NodeFacts& facts) {
  if (facts.gres.empty()) return {};
  std::uint64_t wanted = 0, found = 0;
  for (const GresPool& pool : config.gres)
    if (pool.name == "gpu") wanted += pool.count;
  for (const GresPool& pool : facts.gres) found += pool.count;
  return found < wanted ? fewer("gpu", found, wanted) : std::string();
}

std::string fault_of(const Settings& settings, const NodeConfig& config, const NodeFacts& facts) {
  std::string why = shortfall(settings, config, facts);
  if (why.empty()) why = missing_gres(config, facts);
  if (why.empty()) why = missing_devices(config, facts);
  return why;
}

// The events of a node that registers.
struct Registration {
  const Node& node;
  std::vector<Event> events;

  void come_up(bool without_reason) {
    NodeCameUp up{.node = node.id};
    if (without_reason && !node.reason.empty()) up.reason.emplace();
    if (up.reason || node.health != NodeHealth::up || !node.responding || node.future)
      events.emplace_back(std::move(up));
  }
  void answer() {
    if (!node.responding || node.future) events.emplace_back(NodeAnswered{node.id});
  }
  void stay_down(NodeReason reason) {
    answer();
    events.emplace_back(NodeWentDown{.node = node.id, .reason = std::move(reason)});
  }
};

// ReturnToService: 2 = on every registration; 1 = only if it was down for not responding.
bool may_return(const Settings& settings, const Node& node) {
  const bool was_silent = node.reason == kNotResponding || is_clock_reason(node.reason);
  return settings.return_to_service == 2 || (settings.return_to_service == 1 && was_silent);
}

}  // namespace

std::string clock_reason(Seconds ahead) {
  const bool is_ahead = ahead > Seconds{0};
  return fmt::format("clock {} s {}", (is_ahead ? ahead : -ahead).count(),
                     is_ahead ? "ahead" : "behind");
}

bool is_clock_reason(const Text& reason) {
  return reason.view().starts_with("clock ") &&
         (reason.view().ends_with(" s ahead") || reason.view().ends_with(" s behind"));
}

std::vector<Event> on_registration(const Ledger& ledger, const Node& node, const NodeFacts& facts) {
  const Settings& settings = ledger.settings();
  Registration registration{node, {}};
  const bool booted = !node.facts.boot_id.empty() && node.facts.boot_id != facts.boot_id;
  const bool had_stopped = booted && node.reason == kHostStops;
  const bool came_back = node.power.phase == PowerPhase::off ||
                         node.power.phase == PowerPhase::powering_up || had_stopped;
  if (came_back) {
    NodePowerChanged on{.node = node.id, .at = ledger.now()};
    if (node.reason == kHostStops) on.reason.emplace();
    registration.events.emplace_back(std::move(on));
  }
  const bool rebooted = node.reboot.issued && booted;
  const bool undrained = rebooted && (node.reboot.asap || !node.reboot.next_state.empty());
  if (rebooted)
    registration.events.emplace_back(NodeRebootEnded{.node = node.id, .undrains = undrained});
  const bool drained = node.drain && !undrained;

  if (std::string fault = fault_of(settings, node.config, facts); !fault.empty()) {
    registration.come_up(false);
    if (!drained)
      registration.events.emplace_back(
          NodeDrained{.node = node.id, .reason = own_reason(ledger, fault)});
  } else if (rebooted && node.reboot.next_state == "DOWN") {
    registration.stay_down(reason_and(node, " : reboot complete"));
  } else if (rebooted) {
    registration.come_up(!drained);
  } else if (node.reboot.issued) {
    registration.answer();
  } else if (booted && node.health == NodeHealth::up && !came_back &&
             settings.return_to_service != 2) {
    registration.stay_down(own_reason(ledger, "Node unexpectedly rebooted"));
  } else if (node.health != NodeHealth::down) {
    registration.come_up(is_clock_reason(node.reason));  // munge no longer refuses it
  } else if (came_back || may_return(settings, node)) {
    registration.come_up(!drained);
  } else {
    registration.answer();
  }
  return std::move(registration.events);
}

void drain_node(Ledger& ledger, NodeId id, std::string_view reason) {
  const Node& node = ledger.node(id);
  ledger.log_error("node " + node.config.name.str() + ": " + std::string(reason) +
                   ", setting DRAIN");
  if (node.drain) return;
  ledger.record(NodeDrained{.node = id, .reason = own_reason(ledger, reason)});
  ledger.touch(id);
}

}  // namespace muster::controller
