// See node_log.h.
#include "controller/effects/node_log.h"

#include <variant>

#include "controller/effects/log_facts.h"

namespace muster::controller {

namespace {

// Whose record an event changes, other than by its jobs.
struct ChangedNode {
  NodeId operator()(const NodeRegistered&) const { return {}; }  // what it is, not how it fares
  NodeId operator()(const NodeRemoved&) const { return {}; }
  template <class E>
  NodeId operator()(const E& e) const {
    if constexpr (requires { e.node.value; } && !requires { e.job; })
      return e.node;
    else
      return {};
  }
};

bool is_out(const Node& node) { return node.drain || node.fail; }

std::string_view power_words(PowerPhase phase) {
  switch (phase) {
    case PowerPhase::on:
      return "node is powered on";
    case PowerPhase::powering_down:
      return "node powers down";
    case PowerPhase::off:
      return "node is powered off";
    case PowerPhase::powering_up:
      return "node powers up";
  }
  return {};
}

// The one thing that matters most.
std::string_view what_happened(const Node& was, const Node& is, const Asker& asker) {
  if (was.future != is.future) return is.future ? "node set to FUTURE" : "node claimed";
  if (!was.reboot.issued && is.reboot.issued) return "node reboots";
  if (was.reboot.issued && !is.reboot.issued) return "node reboot ended";
  if (was.power.phase != is.power.phase) return power_words(is.power.phase);
  if (was.health != NodeHealth::down && is.health == NodeHealth::down) return "node down";
  if (!is_out(was) && is_out(is)) return is.fail ? "node failing" : "node drained";
  if (is_out(was) && !is_out(is)) return "node resumed";
  if (was.health == NodeHealth::up && !was.responding && is.responding) return "node back";
  if (was.health == NodeHealth::down && is.health != NodeHealth::down)
    return asker.by ? "node resumed" : "node back";
  if (was.health == NodeHealth::unknown && is.health == NodeHealth::up) return "node up";
  if (was.responding != is.responding) return is.responding ? "node answers again" : "node lost";
  if (!was.reboot.asked && is.reboot.asked) return "node reboot asked for";
  if (was.power.down_asked != is.power.down_asked)
    return is.power.down_asked ? "node power down asked for" : "node power down withdrawn";
  return asker.by ? "node updated" : "";
}

}  // namespace

NodeId changed_node(const Event& event) { return std::visit(ChangedNode{}, event); }

std::optional<LogEntry> entry_for(const Node& was, const Node& is, const Asker& asker) {
  const std::string_view what = what_happened(was, is, asker);
  if (what.empty()) return std::nullopt;
  LogFacts facts(what);
  facts.add("NodeName", is.config.name).add("State", node_state_long(is));
  facts.add("Reason", is.reason);
  if (what == "node updated") facts.add("Changes", asker.changes);
  return facts.take();
}

}  // namespace muster::controller
