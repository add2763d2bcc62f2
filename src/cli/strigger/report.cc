// See report.h.
#include "cli/strigger/report.h"

#include <fmt/format.h>

namespace muster::cli {

namespace {

constexpr std::string_view kLine = "{:>7} {:<9} {:>7} {:<35} {:>6} {:<8} {:<5} {}\n";

}  // namespace

std::string_view resource_of(const Trigger& trigger) {
  if (trigger.job) return "job";
  switch (trigger.event) {
    case TriggerEvent::controller_resumed:
      return "slurmctld";
    case TriggerEvent::database_failed:
    case TriggerEvent::database_resumed:
      return "database";
    default:
      return "node";
  }
}

std::string triggers_text(std::span<const Trigger> triggers, const NameLookup& names, bool header) {
  std::string text;
  const auto out = std::back_inserter(text);
  auto put = [&](const auto&... columns) { fmt::format_to(out, fmt::runtime(kLine), columns...); };
  if (header && !triggers.empty())
    put("TRIG_ID", "RES_TYPE", "RES_ID", "TYPE", "OFFSET", "USER", "FLAGS", "PROGRAM");
  for (const Trigger& trigger : triggers) {
    std::string resource = trigger.nodes.empty() ? "*" : trigger.nodes.str();
    if (trigger.job) resource = std::to_string(trigger.job.value);
    put(trigger.id, resource_of(trigger), resource, event_name(trigger.event),
        trigger.offset.count(), names.user(trigger.uid), trigger.permanent ? "PERM" : "",
        trigger.program.view());
  }
  return text;
}

}  // namespace muster::cli
