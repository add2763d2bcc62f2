#include "config/refused.h"

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::config {

namespace {

constexpr std::string_view kAnyOther;  // any value but the key's default

struct Refused {
  std::string_view key;
  std::string_view word;  // of a list, or all of the value
  std::string_view what_to_do;
};

constexpr Refused kRefused[] = {
    {"CliFilterPlugins", kAnyOther,
     "plug-ins of the commands are not supported yet, so nothing would check what they check; "
     "remove the line"},
    {"CommunicationParameters", "NoCtldInAddrAny",
     "slurmctld listens on all addresses; remove the word and let a firewall guard SlurmctldPort"},
    {"CommunicationParameters", "NoInAddrAny",
     "the daemons listen on all addresses; remove the word and let a firewall guard their ports"},
    {"JobSubmitPlugins", kAnyOther,
     "plug-ins that check submissions are not supported yet, so nothing would check what they "
     "check; remove the line"},
    {"MCSPlugin", kAnyOther, "labels of security are not supported yet; remove the line"},
    {"NamespaceType", kAnyOther,
     "it is not supported; remove the line and use JobContainerType=job_container/tmpfs"},
    {"PrivateData", "accounts",
     "it has to wait until accounts can be managed; remove the word (jobs, nodes, partitions, "
     "reservations and usage are supported)"},
    {"PrivateData", "cloud", "nodes in the cloud are always shown; remove the word"},
    {"PrivateData", "events",
     "it has to wait until accounts can be managed; remove the word (jobs, nodes, partitions, "
     "reservations and usage are supported)"},
    {"PrivateData", "users",
     "it has to wait until accounts can be managed; remove the word (jobs, nodes, partitions, "
     "reservations and usage are supported)"},
    {"PrologFlags", "X11", "X11 forwarding is not supported; remove the flag"},
    {"SchedulerParameters", "default_gbytes",
     "memory without a unit is in megabytes here; remove the word and tell the users"},
    {"TaskPluginParam", "OOMKillStep",
     "it is not supported yet; remove the word and use srun --kill-on-bad-exit"},
    {"TaskPluginParam", "SlurmdOffSpec", "slurmd stays on the specialized cores; remove the word"},
    {"TaskPluginParam", "SlurmdSpecOverride",
     "specialized cores come from slurm.conf alone; remove the word"},
    {"UsePam", kAnyOther,
     "tasks get no PAM session; remove the line and set limits with PropagateResourceLimits or in "
     "slurmd's unit"},
};

bool is_default(const Key& key, std::string_view value) {
  if (key.kind == Kind::yes_no) return parse_yes_no(value) == parse_yes_no(key.fallback);
  return iequals(value, key.fallback);
}

bool has_word(std::string_view list, std::string_view word) {
  for (std::string_view part : split(list, ',')) {
    part = trim(part);
    if (iequals(trim(part.substr(0, part.find('='))), word)) return true;
  }
  return false;
}

}  // namespace

Result<void> check_refused(const Key& key, const Location& at, const Setting& setting) {
  for (const Refused& refused : kRefused) {
    if (refused.key != key.name) continue;
    const bool any = refused.word == kAnyOther;
    if (any ? is_default(key, setting.value) : !has_word(setting.value, refused.word)) continue;
    return invalid(at, fmt::format("{}={}: {}", key.name, any ? setting.value : refused.word,
                                   refused.what_to_do));
  }
  return {};
}

}  // namespace muster::config
