#include "config/client_settings.h"

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/keys/auth.h"

namespace muster::config {

namespace {

// Lines that start with one of these letters are looked at; node lines, which are nearly all of a
// large file, are passed over by their first letter.
constexpr std::string_view kFirstLetters = "aAbBcCiIkKlLmMpPsStTwW";

struct OldHost {
  std::string name, address;
};

struct Picked {
  ClientSettings settings;
  OldHost primary, backup;
};

ControllerHost host_of(std::string_view text) {
  auto open = text.find('(');
  if (open == text.npos || !text.ends_with(')'))
    return {std::string(text), std::string(text), false};
  return {std::string(text.substr(0, open)),
          std::string(text.substr(open + 1, text.size() - open - 2)), true};
}

Result<void> pick(std::string_view key, std::string_view value, Picked& picked) {
  ClientSettings& s = picked.settings;
  auto is = [&](std::string_view name) { return iequals(key, name); };
  if (is("ClusterName")) {
    s.cluster_name = lower(value);
  } else if (is("SlurmctldHost")) {
    s.controllers.push_back(host_of(value));
  } else if (is("ControlMachine")) {
    picked.primary.name = value;
  } else if (is("ControlAddr")) {
    picked.primary.address = value;
  } else if (is("BackupController")) {
    picked.backup.name = value;
  } else if (is("BackupAddr")) {
    picked.backup.address = value;
  } else if (is("SlurmctldPort")) {
    auto port = parse_number<std::uint16_t>(value.substr(0, value.find('-')));
    if (!port)
      return fail(ErrorCode::config_invalid,
                  fmt::format("SlurmctldPort={}: expected a port", value));
    s.slurmctld_port = *port;
  } else if (is("SlurmUser")) {
    s.slurm_user = value;
  } else if (is("SlurmctldPidFile")) {
    s.slurmctld_pid_file = value;
  } else if (is("AuthType")) {
    if (!is_auth_type(value))
      return fail(ErrorCode::config_invalid,
                  fmt::format("AuthType={}: expected one of {}", value, kAuthTypes));
    s.auth_type = lower(value);
  } else if (is("AuthInfo")) {
    s.auth_info = value;
  } else if (is("AccountingStorageType")) {
    s.accounting_storage_type = value;
  } else if (is("SrunProlog")) {
    s.srun_prolog = value;
  } else if (is("SrunEpilog")) {
    s.srun_epilog = value;
  } else if (is("MpiDefault")) {
    s.mpi_default = value;
  } else if (is("TreeWidth")) {
    auto width = parse_number<std::uint32_t>(value);
    if (!width)
      return fail(ErrorCode::config_invalid, fmt::format("TreeWidth={}: expected a number", value));
    s.tree_width = *width;
  } else if (is("PropagateResourceLimits")) {
    s.propagate_limits = value;
  } else if (is("PropagateResourceLimitsExcept")) {
    s.propagate_limits_except = value;
  } else if (is("LaunchParameters")) {
    s.launch_parameters = value;
  } else if (is("SchedulerParameters")) {
    s.scheduler_parameters = value;
  } else if (is("InteractiveStepOptions")) {
    s.interactive_step_options = value;
  } else if (is("KillOnBadExit")) {
    s.kill_on_bad_exit = value != "0";
  }
  for (auto [name, field] : {std::pair("MessageTimeout", &ClientSettings::message_timeout),
                             std::pair("KillWait", &ClientSettings::kill_wait),
                             std::pair("WaitTime", &ClientSettings::wait_time)}) {
    if (!is(name)) continue;
    auto seconds = parse_number<std::int64_t>(value);
    if (!seconds)
      return fail(ErrorCode::config_invalid, fmt::format("{}={}: expected seconds", name, value));
    s.*field = Seconds{*seconds};
  }
  return {};
}

// One "key=value" from the front of the line; the key is empty where there is none.
std::pair<std::string_view, std::string_view> next_setting(std::string_view& line) {
  line = trim(line);
  auto equals = line.find('=');
  if (equals == line.npos) return {};
  std::string_view key = trim(line.substr(0, equals));
  std::string_view rest = trim(line.substr(equals + 1));
  bool quoted = rest.starts_with('"');
  auto end = quoted ? rest.find('"', 1) : rest.find_first_of(" \t");
  std::string_view value =
      quoted ? rest.substr(1, end == rest.npos ? end : end - 1) : rest.substr(0, end);
  line = end == rest.npos ? std::string_view() : rest.substr(quoted ? end + 1 : end);
  return {key, value};
}

void add_old_hosts(Picked& picked) {
  if (!picked.settings.controllers.empty()) return;
  for (const OldHost* host : {&picked.primary, &picked.backup})
    if (!host->name.empty())
      picked.settings.controllers.push_back(
          {host->name, host->address.empty() ? host->name : host->address, !host->address.empty()});
}

}  // namespace

Result<ClientSettings> quick_client_settings(std::string_view text) {
  Picked picked;
  bool continued = false;
  while (!text.empty()) {
    auto end = text.find('\n');
    std::string_view line = trim(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    bool starts_in_the_middle = continued;
    continued = line.ends_with('\\');
    if (line.empty() || kFirstLetters.find(line[0]) == kFirstLetters.npos) continue;
    if (istarts_with(line, "PartitionName")) continue;
    // A setting that is split over lines is rare: the full parser reads such a file.
    bool is_include =
        istarts_with(line, "include") && line.size() > 7 && (line[7] == ' ' || line[7] == '\t');
    if (is_include || (continued && !starts_in_the_middle)) picked.settings.has_include = true;
    if (starts_in_the_middle) continue;
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      auto [key, value] = next_setting(line);
      if (key.empty()) break;
      if (auto done = pick(key, value, picked); !done) return std::unexpected(done.error());
    }
  }
  add_old_hosts(picked);
  if (picked.settings.controllers.empty() && !picked.settings.has_include)
    return fail(ErrorCode::config_invalid, "SlurmctldHost is missing");
  return picked.settings;
}

ClientSettings client_settings(const SlurmConf& conf) {
  ClientSettings s;
  s.cluster_name = conf.cluster_name;
  s.controllers = conf.controllers;
  s.slurmctld_port = conf.slurmctld_port;
  s.slurm_user = conf.slurm_user;
  s.slurmctld_pid_file = conf.slurmctld_pid_file;
  s.auth_type = conf.auth_type;
  s.auth_info = conf.auth_info;
  s.accounting_storage_type = conf.accounting_storage_type;
  s.message_timeout = conf.message_timeout;
  s.kill_wait = conf.kill_wait;
  if (auto given = conf.values.find("WaitTime"); given != conf.values.end())
    s.wait_time = Seconds{parse_number<std::int64_t>(given->second).value_or(0)};
  if (auto given = conf.values.find("KillOnBadExit"); given != conf.values.end())
    s.kill_on_bad_exit = given->second != "0";
  s.srun_prolog = conf.srun_prolog;
  s.srun_epilog = conf.srun_epilog;
  s.mpi_default = conf.mpi_default;
  s.tree_width = parse_number<std::uint32_t>(conf.value("TreeWidth")).value_or(s.tree_width);
  s.launch_parameters = conf.value("LaunchParameters");
  s.scheduler_parameters = conf.value("SchedulerParameters");
  s.interactive_step_options = conf.value("InteractiveStepOptions");
  s.propagate_limits = conf.propagate_limits;
  s.propagate_limits_except = conf.propagate_limits_except;
  return s;
}

}  // namespace muster::config
