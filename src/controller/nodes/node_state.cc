// Checks whether a node may get a state, and sets it.
#include "controller/nodes/node_state.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/strings.h"

namespace muster::controller {

namespace {

struct Change {
  const Settings& settings;
  const Node& node;
  const StateWish& wish;
  NodeDraft& draft;

  void record(Event event) const { draft.events.push_back(std::move(event)); }
  // The new reason, for the event that carries it.
  std::optional<NodeReason> reason() const { return std::exchange(draft.reason, std::nullopt); }
  void give_reason(std::string_view text) const {
    if (node.reason != text) draft.reason = {.text = text, .by = wish.by, .at = wish.now};
  }
  // Removes the reason, even if the request gives one.
  std::optional<NodeReason> no_reason() const {
    draft.reason.reset();
    return NodeReason{};
  }
  void resume() const {
    draft.reason.reset();
    record(NodeResumed{.node = node.id, .responding = wish.connected});
  }
};

Result<void> refuse() { return fail(ErrorCode::invalid_node_state); }

bool works(const Node& node) { return node.jobs.size() > node.completing.size(); }

// A node is either drained or failing; the last command decides.
Result<void> drain(const Change& c) {
  if (c.node.fail) c.record(NodeUndrained{.node = c.node.id});
  c.record(NodeDrained{.node = c.node.id, .reason = c.reason()});
  return {};
}
Result<void> fail_node(const Change& c) {
  if (c.node.drain) c.record(NodeUndrained{.node = c.node.id});
  c.record(NodeDrained{.node = c.node.id, .fail = true, .reason = c.reason()});
  return {};
}
Result<void> undrain(const Change& c) {
  const bool is_down = c.node.health == NodeHealth::down;
  c.record(NodeUndrained{.node = c.node.id, .reason = is_down ? c.reason() : c.no_reason()});
  return {};
}
Result<void> resume(const Change& c) {
  const bool reboots = c.node.reboot.asked || c.node.reboot.issued;
  const bool out_of_service = c.node.drain || c.node.fail || c.node.future ||
                              c.node.health == NodeHealth::down || c.node.power.down_asked ||
                              reboots;
  const bool is_off =
      c.node.power.phase == PowerPhase::off || c.node.power.phase == PowerPhase::powering_down;
  // A node that is off or powering down can only be resumed while its slurmd is connected.
  if (is_off ? !c.wish.connected : !out_of_service) return refuse();
  c.resume();
  if (reboots) c.record(NodeRebootEnded{.node = c.node.id});
  if (is_off)
    c.record(NodePowerChanged{.node = c.node.id, .at = c.wish.now});
  else if (c.node.power.down_asked)
    c.record(NodePowerDownAsked{.node = c.node.id, .withdrawn = true});
  return {};
}
Result<void> idle(const Change& c) {
  if (c.node.future || works(c.node)) return refuse();
  c.resume();
  return {};
}
Result<void> down(const Change& c) {
  c.record(NodeWentDown{.node = c.node.id, .reason = c.reason()});
  return {};
}
Result<void> future(const Change& c) {
  if (works(c.node)) return refuse();
  c.record(NodeMadeFuture{c.node.id});
  return {};
}
Result<void> no_response(const Change& c) {
  c.record(NodeFellSilent{.node = c.node.id, .reason = c.reason()});
  return {};
}
Result<void> power_down(const Change& c) {
  if (c.node.power.phase == PowerPhase::off) return refuse();
  if (c.node.power.phase != PowerPhase::powering_down)
    c.record(NodePowerDownAsked{.node = c.node.id, .reason = c.reason()});
  return {};
}
Result<void> power_down_asap(const Change& c) {
  if (!c.wish.has_reason) c.give_reason("POWER_DOWN_ASAP");
  c.record(NodeDrained{.node = c.node.id, .reason = c.reason()});
  return power_down(c);
}
Result<void> power_up(const Change& c) {
  if (!c.settings.power.saving) return refuse();
  if (c.node.power.down_asked)
    c.record(NodePowerDownAsked{.node = c.node.id, .withdrawn = true, .reason = c.reason()});
  return {};
}
Result<void> ask_for_reboot(const Change& c, bool asap) {
  if (!c.settings.can_reboot) return fail(ErrorCode::failure, "RebootProgram isn't configured");
  std::string next_state = upper(c.wish.next_state);
  if (asap && next_state.empty()) next_state = "RESUME";
  c.record(NodeRebootAsked{.node = c.node.id,
                           .asap = asap,
                           .next_state = std::move(next_state),
                           .at = c.wish.now,
                           .reason = c.reason()});
  return {};
}
// The first request for a reboot counts.
Result<void> reboot(const Change& c) {
  if (c.node.reboot.asked || c.node.reboot.issued) return {};
  if (!c.wish.has_reason && c.node.reason.empty()) c.give_reason("reboot requested");
  return ask_for_reboot(c, false);
}
Result<void> reboot_asap(const Change& c) {
  if (c.node.reboot.asked || c.node.reboot.issued) return {};
  if (!c.wish.has_reason) c.give_reason("Reboot ASAP");
  return ask_for_reboot(c, true);
}
Result<void> cancel_reboot(const Change& c) {
  if (!c.node.reboot.asked) return refuse();
  const bool undrains = c.node.reboot.asap;
  const bool stays_drained = c.node.drain && !undrains;
  c.record(NodeRebootEnded{.node = c.node.id,
                           .undrains = undrains,
                           .reason = stays_drained ? c.reason() : c.no_reason()});
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
                       NodeDraft& draft) {
  const Change c{settings, node, wish, draft};
  constexpr std::size_t kShortest = 3;
  for (const State& state : kStates)
    if (iequals(state.name, wish.state)) return state.set(c);
  for (const State& state : kStates)
    if (wish.state.size() >= kShortest && istarts_with(state.name, wish.state)) return state.set(c);
  return refuse();
}

}  // namespace muster::controller
