// Checks whether a node may get a state, and sets it.
#include "controller/nodes/node_state.h"

#include <algorithm>
#include <array>

#include "base/text/strings.h"

namespace muster::controller {

namespace {

struct Change {
  const Settings& settings;
  const Node& node;
  const StateWish& wish;
  NodeChanged& change;
  void clear_reason() const {
    change.reason = {};
    change.reason_uid = {};
    change.reason_time = Time{};
  }
  void give_reason(std::string_view reason) const {
    change.reason = reason;
    change.reason_time = wish.now;
  }
  void bring_up() const {
    change.drain = change.fail = change.future = false;
    change.health = NodeHealth::up;
    change.responding = wish.connected;
    clear_reason();
  }
};

Result<void> refuse() { return fail(ErrorCode::invalid_node_state); }

bool works(const Node& node) { return node.jobs.size() > node.completing.size(); }

// A node is either drained or failing; the last command decides.
Result<void> drain(const Change& c) {
  c.change.drain = true;
  c.change.fail = false;
  return {};
}
Result<void> undrain(const Change& c) {
  c.change.drain = c.change.fail = false;
  if (c.node.health != NodeHealth::down) c.clear_reason();
  return {};
}
Result<void> resume(const Change& c) {
  const bool out_of_service = c.node.drain || c.node.fail || c.node.future ||
                              c.node.health == NodeHealth::down || c.node.power.down_asked ||
                              c.node.reboot.asked || c.node.reboot.issued;
  const bool is_off =
      c.node.power.phase == PowerPhase::off || c.node.power.phase == PowerPhase::powering_down;
  // A node that is off or powering down can only be resumed while its slurmd is connected.
  if (is_off ? !c.wish.connected : !out_of_service) return refuse();
  c.bring_up();
  c.change.power.down_asked = false;
  c.change.reboot = {};
  if (is_off) c.change.power = {.phase = PowerPhase::on, .since = c.wish.now};
  return {};
}
Result<void> idle(const Change& c) {
  if (c.node.future || works(c.node)) return refuse();
  c.bring_up();
  return {};
}
Result<void> down(const Change& c) {
  c.change.health = NodeHealth::down;
  return {};
}
Result<void> fail_node(const Change& c) {
  c.change.fail = true;
  c.change.drain = false;
  return {};
}
Result<void> future(const Change& c) {
  if (works(c.node)) return refuse();
  c.change.future = true;
  c.change.claim = {};
  return {};
}
Result<void> no_response(const Change& c) {
  c.change.responding = false;
  return {};
}
Result<void> power_down(const Change& c) {
  if (c.node.power.phase == PowerPhase::off) return refuse();
  c.change.power.down_asked = c.node.power.phase != PowerPhase::powering_down;
  return {};
}
Result<void> power_down_asap(const Change& c) {
  c.change.drain = true;
  if (!c.wish.has_reason) c.give_reason("POWER_DOWN_ASAP");
  return power_down(c);
}
Result<void> power_up(const Change& c) {
  if (!c.settings.power.saving) return refuse();
  c.change.power.down_asked = false;
  return {};
}
Result<void> reboot(const Change& c) {
  if (!c.settings.can_reboot) return fail(ErrorCode::failure, "RebootProgram isn't configured");
  if (c.node.reboot.asked || c.node.reboot.issued) return {};  // the first request counts
  c.change.reboot = {.asked = true, .next_state = upper(c.wish.next_state), .since = c.wish.now};
  if (!c.wish.has_reason && c.change.reason.empty()) c.give_reason("reboot requested");
  return {};
}
Result<void> reboot_asap(const Change& c) {
  if (c.node.reboot.asked || c.node.reboot.issued) return {};
  if (!c.wish.has_reason) c.give_reason("Reboot ASAP");
  if (auto ok = reboot(c); !ok) return ok;
  c.change.reboot.asap = c.change.drain = true;
  if (c.change.reboot.next_state.empty()) c.change.reboot.next_state = "RESUME";
  return {};
}
Result<void> cancel_reboot(const Change& c) {
  if (!c.node.reboot.asked) return refuse();
  if (c.node.reboot.asap) c.change.drain = false;
  c.change.reboot = {};
  if (!c.change.drain) c.clear_reason();
  return {};
}

struct State {
  std::string_view name;
  Result<void> (*set)(const Change&);
};
// States may be abbreviated where Slurm allows it; the first match counts.
constexpr std::array kStates{
    State{"DRAIN", drain},
    State{"DOWN", down},
    State{"FAIL", fail_node},
    State{"FUTURE", future},
    State{"IDLE", idle},
    State{"NORESP", no_response},
    State{"RESUME", resume},
    State{"UNDRAIN", undrain},
    State{"POWER_DOWN", power_down},
    State{"POWER_DOWN_ASAP", power_down_asap},
    State{"POWER_DOWN_FORCE", power_down},
    State{"POWER_UP", power_up},
    State{"REBOOT", reboot},
    State{"REBOOT_ASAP", reboot_asap},
    State{"CANCEL_REBOOT", cancel_reboot},
};

}  // namespace

Result<void> set_state(const Settings& settings, const Node& node, const StateWish& wish,
                       NodeChanged& change) {
  const Change c{settings, node, wish, change};
  constexpr std::size_t kShortest = 3;
  for (const State& state : kStates)
    if (iequals(state.name, wish.state)) return state.set(c);
  for (const State& state : kStates)
    if (wish.state.size() >= kShortest && istarts_with(state.name, wish.state)) return state.set(c);
  return refuse();
}

}  // namespace muster::controller
