#include "config/slurm_conf_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/idset.h"
#include "base/text/strings.h"
#include "config/controller_words.h"
#include "config/limit_words.h"
#include "config/refused.h"
#include "config/scheduler_words.h"
#include "config/scheduling_settings.h"
#include "model/binding/cpu_bind.h"
#include "model/node/resources.h"

namespace muster::config {

namespace {

Result<void> check_mpi_ports(const Location& at, const Setting& setting) {
  for (std::string_view part : split(setting.value, ','))
    if (istarts_with(trim(part), "ports=") && !IdSet::parse(trim(part).substr(6), 65535))
      return bad_value(at, setting, "ports=first-last");
  return {};
}

Result<void> check_scheduler(const Location& at, const Setting& setting,
                             std::vector<std::string>& ignored) {
  auto missed = check_scheduler_words(at, setting);
  if (!missed) return std::unexpected(missed.error());
  for (std::string_view word : *missed)
    ignored.push_back(fmt::format("SchedulerParameters={}", word));
  return {};
}

// The others say how tasks are bound where nothing else does.
void note_idle_task_words(const Setting& setting, std::vector<std::string>& ignored) {
  for (std::string_view word : split(setting.value, ',')) {
    word = trim(word);
    if (iequals(word, "verbose") || istarts_with(word, "autobind="))
      ignored.push_back(fmt::format("TaskPluginParam={}", word));
  }
}

Result<void> check_gres_types(const SlurmConf& conf) {
  for (const ConfiguredNode& entry : conf.nodes) {
    auto requests = parse_gres(entry.node.gres_text);
    if (!requests) return std::unexpected(requests.error());
    for (const GresRequest& request : *requests) {
      bool known =
          std::ranges::any_of(conf.gres_types, [&](auto& type) { return request.name == type; });
      if (!known)
        return invalid(entry.at, fmt::format("Gres={}: {} is not in GresTypes",
                                             entry.node.gres_text.view(), request.name.view()));
    }
  }
  return {};
}

// The extern step tells a node when the job is over, and so when its directories may go.
Result<void> check_job_container(const SlurmConf& conf) {
  const bool tmpfs = iequals(conf.value("JobContainerType"), "job_container/tmpfs");
  if (!tmpfs || conf.has_prolog_flag("Contain")) return {};
  return invalid(conf.place_of("JobContainerType"),
                 "JobContainerType=job_container/tmpfs needs PrologFlags=Contain");
}

Result<void> check_preemption(const SlurmConf& conf) {
  const std::string type = lower(conf.value("PreemptType")), text = conf.value("PreemptMode");
  const Location at =
      conf.place_of(conf.places.contains("PreemptMode") ? "PreemptMode" : "PreemptType");
  const bool off = type == "preempt/none";
  const auto mode = parse_preempt_mode(text);
  if (!mode) return invalid(at, fmt::format("PreemptMode={}: expected one mode", text));
  if (mode == PreemptMode::suspend && !has_gang(text))
    return invalid(at, "PreemptMode=SUSPEND requires GANG too");
  if (off != (mode == PreemptMode::off) || (off && has_within(text)))
    return invalid(at,
                   fmt::format("PreemptType={} and PreemptMode={} cannot be together", type, text));
  return {};
}

std::string_view short_name(std::string_view host) { return host.substr(0, host.find('.')); }

// A name without a domain is that of any domain.
bool is_same_host(std::string_view configured, std::string_view own) {
  if (iequals(configured, "localhost") || iequals(configured, own)) return true;
  const bool both_full = configured.find('.') != configured.npos && own.find('.') != own.npos;
  return !both_full && iequals(short_name(configured), short_name(own));
}

}  // namespace

Result<void> check_words(const Key& key, const Location& at, const Setting& setting,
                         std::vector<std::string>& ignored) {
  if (auto done = check_refused(key, at, setting); !done) return done;
  if (key.name == "MpiParams") return check_mpi_ports(at, setting);
  if (key.name == "SlurmctldParameters")
    if (auto done = check_controller_words(at, setting); !done) return done;
  if (key.name == "SlurmctldParameters" || key.name == "MaxTasksPerNode")
    return check_limit_words(at, setting);
  if (key.name == "SchedulerParameters") return check_scheduler(at, setting, ignored);
  if (key.name == "TaskPluginParam") note_idle_task_words(setting, ignored);
  if (key.name == "PriorityWeightTRES" && !parse_tres_weights(setting.value))
    return bad_value(at, setting, "weights of resources such as CPU=1000,Mem=2000,GRES/gpu=3000");
  // Asking for what happens anyway loses nothing.
  if (!key.acted_on && !iequals(setting.value, key.fallback)) ignored.emplace_back(key.name);
  return {};
}

Result<void> check_qos_flags(const Line& line, std::vector<std::string>& ignored) {
  for (const Setting& setting : line.settings) {
    if (!iequals(setting.key, "Flags")) continue;
    for (std::string_view word : split(setting.value, ',')) {
      word = trim(word);
      if (iequals(word, "RequiresReservation"))
        return invalid(line.at,
                       fmt::format("Flags={}: it is not supported yet; remove the flag and "
                                   "use ReqResv=YES of a partition",
                                   word));
      Qos alone;
      if (set_qos_value(alone, "Flags", word).value_or(false) && alone == Qos{})
        ignored.push_back(fmt::format("QoS Flags={}", word));
    }
  }
  return {};
}

Result<void> check_together(const SlurmConf& conf) {
  if (auto done = check_preemption(conf); !done) return done;
  if (auto done = check_gres_types(conf); !done) return done;
  return check_job_container(conf);
}

Result<void> check_controller(const SlurmConf& conf, std::string_view host_name) {
  const bool old_keys = !conf.places.contains("SlurmctldHost");
  const std::string_view key = old_keys ? "ControlMachine" : "SlurmctldHost";
  if (conf.controllers.size() > 1)
    return invalid(conf.place_of(old_keys ? "BackupController" : key),
                   fmt::format("{}={}: there is no backup controller yet; name one host",
                               old_keys ? "BackupController" : key, conf.controllers[1].name));
  const std::string& name = conf.controllers.front().name;
  if (is_same_host(name, host_name)) return {};
  return invalid(conf.place_of(key),
                 fmt::format("{}={}: this host is {}; start slurmctld on {} or name this host", key,
                             name, host_name, name));
}

std::vector<std::string> needing_restart(const SlurmConf& before, const SlurmConf& after) {
  std::vector<std::string> changed;
  for (const char* key :
       {"AccountingStorageType", "AuthInfo", "AuthType", "SlurmUser", "SlurmctldLogFile",
        "SlurmctldPidFile", "SlurmctldPort", "SlurmdUser", "StateSaveLocation"})
    if (before.value(key) != after.value(key)) changed.emplace_back(key);
  return changed;
}

}  // namespace muster::config
