// Compares a registering node with its configuration, and decides about its state.
#include "controller/nodes/node_change.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace muster::controller {

NodeChanged current(const Node& node) {
  return {.node = node.id,
          .health = node.health,
          .drain = node.drain,
          .fail = node.fail,
          .future = node.future,
          .responding = node.responding,
          .reason = node.reason,
          .reason_uid = node.reason_uid,
          .reason_time = node.reason_time,
          .comment = node.comment,
          .active_features = node.active_features,
          .weight = node.config.weight,
          .power = node.power,
          .reboot = node.reboot,
          .claim = node.claim,
          .given = node.given,
          .extra = node.extra};
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

// The node has been rebooted.
void end_reboot(const Node& node, NodeChanged& change) {
  const bool stays_down = node.reboot.next_state == "DOWN";
  if (node.reboot.asap || !node.reboot.next_state.empty()) change.drain = false;
  change.reboot = {};
  change.health = stays_down ? NodeHealth::down : NodeHealth::up;
  if (stays_down)
    change.reason = node.reason.str() + " : reboot complete";
  else if (!change.drain)
    change.reason = {};
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

std::optional<NodeChanged> on_registration(const Settings& settings, const Node& node,
                                           const NodeFacts& facts, Time now) {
  NodeChanged change = current(node);
  change.responding = true;
  const bool booted = !node.facts.boot_id.empty() && node.facts.boot_id != facts.boot_id;
  const bool came_back = node.power.phase == PowerPhase::off ||
                         node.power.phase == PowerPhase::powering_up ||
                         (booted && node.reason == kHostStops);
  if (came_back) change.power = {.phase = PowerPhase::on, .since = now};
  if (came_back && node.reason == kHostStops) change.reason = {};
  change.future = false;
  const bool rebooted = node.reboot.issued && booted;
  if (rebooted) end_reboot(node, change);
  std::string why = shortfall(settings, node.config, facts);
  if (why.empty()) why = missing_gres(node.config, facts);
  if (why.empty()) why = missing_devices(node.config, facts);
  if (!why.empty()) {
    if (!node.drain) {
      change.reason = why;
      change.reason_time = now;
    }
    change.drain = true;
    change.health = NodeHealth::up;
  } else if (rebooted || node.reboot.issued) {
    // It stays as the reboot left it.
  } else if (booted && node.health == NodeHealth::up && !came_back &&
             settings.return_to_service != 2) {
    change.health = NodeHealth::down;
    change.reason = "Node unexpectedly rebooted";
    change.reason_time = now;
  } else if (node.health == NodeHealth::down) {
    // ReturnToService: 2 = on every registration; 1 = only if it was down for not responding.
    const bool silent_before = node.reason == kNotResponding || is_clock_reason(node.reason);
    if (came_back || settings.return_to_service == 2 ||
        (settings.return_to_service == 1 && silent_before)) {
      change.health = NodeHealth::up;
      if (!node.drain) change.reason = {};
    }
  } else {
    change.health = NodeHealth::up;
    if (is_clock_reason(node.reason)) change.reason = {};  // munge no longer refuses it
  }
  bool changed = change.health != node.health || change.responding != node.responding ||
                 change.drain != node.drain || change.reason != node.reason ||
                 change.power != node.power || change.reboot != node.reboot ||
                 change.future != node.future;
  if (!changed) return std::nullopt;
  return change;
}

void drain_node(Ledger& ledger, NodeId id, std::string_view reason) {
  const Time now = ledger.now();
  const Node& node = ledger.node(id);
  ledger.log_error("node " + node.config.name.str() + ": " + std::string(reason) +
                   ", setting DRAIN");
  if (node.drain) return;
  NodeChanged change = current(node);
  change.drain = true;
  change.reason = reason;
  change.reason_uid = ledger.authority().slurm_user;
  change.reason_time = now;
  ledger.record(change);
  ledger.touch(id);
}

}  // namespace muster::controller
