// A node's state is one base state and flags over it; scontrol prints them all, sinfo one word.
#include "model/node.h"

#include <fmt/format.h>

namespace muster {

namespace {

enum class Base { unknown, down, future, idle, mixed, allocated };

// Jobs that have ended but still hold the node do not count as work.
bool has_running_jobs(const Node& node) { return node.jobs.size() > node.completing.size(); }
bool is_completing(const Node& node) { return !node.completing.empty(); }

Base base_state(const Node& node) {
  if (node.future) return Base::future;
  if (node.health == NodeHealth::down) return Base::down;
  if (node.health == NodeHealth::unknown) return Base::unknown;
  if (!has_running_jobs(node)) return Base::idle;
  return node.used_cpus.size() >= node.config.cpus ? Base::allocated : Base::mixed;
}

// A node that does not answer because nobody expects it to is not marked.
bool marked_silent(const Node& node) { return !node.responding && !node.future; }

struct Words {
  std::string_view word, compact;
};
Words words(const Node& node) {
  Base base = base_state(node);
  bool busy = has_running_jobs(node) || is_completing(node);
  if (node.future) return {"future", "futr"};
  if (node.drain) return busy ? Words{"draining", "drng"} : Words{"drained", "drain"};
  if (node.fail) return busy ? Words{"failing", "failg"} : Words{"fail", "fail"};
  if (base == Base::down) return {"down", "down"};
  if (base == Base::unknown) return {"unknown", "unk"};
  if (is_completing(node)) return {"completing", "comp"};
  if (base == Base::idle) return {"idle", "idle"};
  return base == Base::mixed ? Words{"mixed", "mix"} : Words{"allocated", "alloc"};
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
  return node.health == NodeHealth::up && node.responding && !node.drain && !node.fail &&
         !node.future;
}

std::string node_state_long(const Node& node) {
  std::string state(long_name(base_state(node)));
  if (is_completing(node)) state += "+COMPLETING";
  if (node.drain) state += "+DRAIN";
  if (node.fail) state += "+FAIL";
  if (marked_silent(node)) state += "+NOT_RESPONDING";
  return state;
}

std::string node_state_compact(const Node& node) {
  return fmt::format("{}{}", words(node).compact, marked_silent(node) ? "*" : "");
}

std::string node_state_word(const Node& node) {
  return fmt::format("{}{}", words(node).word, marked_silent(node) ? "*" : "");
}

}  // namespace muster
