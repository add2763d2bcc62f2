// The names of node states. A state is a base state and flags: scontrol prints all of them, sinfo
// one word and a mark.
#include "model/node/node.h"

#include <fmt/format.h>

namespace muster {

namespace {

enum class Base { unknown, down, future, idle, mixed, allocated };

// Jobs that have ended but still clean up do not count. Neither do suspended jobs, whose CPUs
// others may use.
bool has_running_jobs(const Node& node) {
  return node.jobs.size() > node.completing.size() && !node.used_cpus.empty();
}
bool is_completing(const Node& node) { return !node.completing.empty(); }

Base base_state(const Node& node) {
  if (node.future) return Base::future;
  if (node.health == NodeHealth::down) return Base::down;
  if (node.health == NodeHealth::unknown) return Base::unknown;
  if (!has_running_jobs(node)) return Base::idle;
  return node.used_cpus.size() >= node.config.cpus ? Base::allocated : Base::mixed;
}

// Nodes that are not expected to answer are not marked.
bool marked_silent(const Node& node) {
  return !node.responding && !node.future && node.power.phase != PowerPhase::off &&
         node.power.phase != PowerPhase::powering_down;
}

struct Words {
  std::string_view word, compact;
};
Words words(const Node& node) {
  Base base = base_state(node);
  bool busy = has_running_jobs(node) || is_completing(node);
  if (node.future) return {"future", "futr"};
  if (node.reboot.issued) return {"reboot", "boot"};
  if (node.drain) return busy ? Words{"draining", "drng"} : Words{"drained", "drain"};
  if (node.fail) return base == Base::allocated ? Words{"failing", "failg"} : Words{"fail", "fail"};
  if (base == Base::down) return {"down", "down"};
  if (base == Base::unknown) return {"unknown", "unk"};
  if (is_completing(node)) return {"completing", "comp"};
  if (base == Base::idle && node.kept == NodeKept::reserved) return {"reserved", "resv"};
  if (base == Base::idle && node.kept == NodeKept::maintenance) return {"maint", "maint"};
  if (base == Base::idle) return {"idle", "idle"};
  return base == Base::mixed ? Words{"mixed", "mix"} : Words{"allocated", "alloc"};
}

// sinfo's mark behind the state. There is only one, so the most important is shown.
std::string_view mark(const Node& node) {
  if (node.reboot.issued) return "^";
  if (node.reboot.asked) return "@";
  switch (node.power.phase) {
    case PowerPhase::powering_up:
      return "#";
    case PowerPhase::powering_down:
      return "%";
    case PowerPhase::off:
      return "~";
    case PowerPhase::on:
      break;
  }
  if (node.power.down_asked) return "!";
  if (node.kept == NodeKept::maintenance && words(node).word != "maint") return "$";
  return marked_silent(node) ? "*" : "";
}

std::string_view long_name(Base base) {
  switch (base) {
    case Base::unknown:
      return "UNKNOWN";
    case Base::down:
      return "DOWN";
    case Base::future:
      return "FUTURE";
    case Base::idle:
      return "IDLE";
    case Base::mixed:
      return "MIXED";
    case Base::allocated:
      return "ALLOCATED";
  }
  return "INVALID";
}

}  // namespace

bool is_available(const Node& node) {
  if (node.health != NodeHealth::up || node.drain || node.fail || node.future) return false;
  if (node.power.down_asked || node.reboot.issued) return false;
  switch (node.power.phase) {
    case PowerPhase::on:
      return node.responding;
    case PowerPhase::powering_down:
      return false;
    case PowerPhase::off:
    case PowerPhase::powering_up:
      return true;  // it is powered up for the job
  }
  return false;
}

std::string node_state_long(const Node& node) {
  std::string state(long_name(base_state(node)));
  if (node.config.state == "CLOUD") state += "+CLOUD";
  if (node.config.dynamic && node.config.state != "CLOUD") state += "+DYNAMIC_NORM";
  if (!node.claim.hostname.empty()) state += "+DYNAMIC_FUTURE";
  if (is_completing(node)) state += "+COMPLETING";
  if (node.drain) state += "+DRAIN";
  if (node.kept == NodeKept::maintenance) state += "+MAINTENANCE";
  if (node.kept != NodeKept::no) state += "+RESERVED";
  if (node.fail) state += "+FAIL";
  if (node.reboot.asked) state += "+REBOOT_REQUESTED";
  if (node.reboot.issued) state += "+REBOOT_ISSUED";
  if (node.power.down_asked) state += "+POWER_DOWN";
  if (marked_silent(node)) state += "+NOT_RESPONDING";
  if (node.power.phase == PowerPhase::off) state += "+POWERED_DOWN";
  if (node.power.phase == PowerPhase::powering_up) state += "+POWERING_UP";
  if (node.power.phase == PowerPhase::powering_down) state += "+POWERING_DOWN";
  return state;
}

std::string node_state_compact(const Node& node) {
  return fmt::format("{}{}", words(node).compact, mark(node));
}

std::string node_state_word(const Node& node) {
  return fmt::format("{}{}", words(node).word, mark(node));
}

}  // namespace muster
