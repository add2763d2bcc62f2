#include "config/slurm_conf.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/keys/keys.h"
#include "config/slurm_conf_checks.h"

namespace muster::config {

namespace {

Result<ControllerHost> parse_host(const Location& at, const Setting& setting) {
  std::string_view text = setting.value;
  auto open = text.find('(');
  if (open == text.npos) return ControllerHost{std::string(text), std::string(text), false};
  if (!text.ends_with(')') || open == 0 || open + 2 >= text.size())
    return bad_value(at, setting, "name or name(address)");
  return ControllerHost{std::string(text.substr(0, open)),
                        std::string(text.substr(open + 1, text.size() - open - 2)), true};
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::string_view word : split(list, ','))
    if (!trim(word).empty()) words.emplace_back(trim(word));
  return words;
}

// Reads the lines one by one; what needs the whole file waits for finish().
class Loader {
 public:
  explicit Loader(std::string path) { conf_.path = std::move(path); }

  Result<void> line(const Line& line) {
    const std::string& first = line.settings[0].key;
    if (iequals(first, "NodeName")) return nodes_.add_nodes(line);
    if (iequals(first, "DownNodes")) return nodes_.add_down_nodes(line);
    if (iequals(first, "NodeSet")) return nodes_.add_node_set(line);
    if (iequals(first, "PartitionName")) return partitions_.add(line);
    if (iequals(first, "QoS")) return qos(line);
    if (iequals(first, "FrontendName")) return ignore("FrontendName"), Result<void>{};
    for (const Setting& setting : line.settings)
      if (auto done = this->setting(line.at, setting); !done) return done;
    return {};
  }

  Result<SlurmConf> finish();

 private:
  void ignore(std::string_view key) {
    if (std::ranges::find(conf_.ignored_keys, key) == conf_.ignored_keys.end())
      conf_.ignored_keys.emplace_back(key);
  }

  Result<void> qos(const Line& line) {
    auto parsed = parse_qos_line(line);
    if (!parsed) return std::unexpected(parsed.error());
    for (const Qos& other : conf_.qos)
      if (other.name == parsed->name)
        return invalid(line.at,
                       fmt::format("QoS={}: the QoS is already defined", parsed->name.view()));
    std::vector<std::string> ignored;
    if (auto done = check_qos_flags(line, ignored); !done) return done;
    for (const std::string& word : ignored) ignore(word);
    conf_.qos.push_back(std::move(*parsed));
    return {};
  }

  Result<void> setting(const Location& at, const Setting& setting) {
    const Key* key = find_key(setting.key);
    if (!key) return invalid(at, fmt::format("{}: no such key", setting.key));
    if (auto ok = check_value(*key, at, setting); !ok) return ok;
    if (key->kind == Kind::hosts) {
      auto host = parse_host(at, setting);
      if (!host) return std::unexpected(host.error());
      conf_.controllers.push_back(std::move(*host));
    }
    std::vector<std::string> ignored;
    if (auto done = check_words(*key, at, setting, ignored); !done) return done;
    for (const std::string& word : ignored) ignore(word);
    if (key->name == "Licenses")
      if (auto done = licenses(at, setting); !done) return done;
    conf_.places[std::string(key->name)] = at;
    conf_.values[std::string(key->name)] = setting.value;
    return {};
  }

  Result<void> licenses(const Location& at, const Setting& setting) {
    conf_.licenses.clear();
    for (std::string_view part : split(setting.value, ',')) {
      auto mark = part.find_first_of(":*");
      License license{std::string(trim(part.substr(0, mark))), 1};
      auto count = mark == part.npos ? std::optional(1u)
                                     : parse_number<std::uint32_t>(part.substr(mark + 1));
      if (license.name.empty() || !count) return bad_value(at, setting, "name[:count],...");
      license.count = *count;
      conf_.licenses.push_back(std::move(license));
    }
    return {};
  }

  void old_controller_keys();
  void fill_members();
  void fill_enforcement();

  std::string value(std::string_view key) const { return conf_.value(key); }
  Seconds seconds(std::string_view key) const {
    // INFINITE becomes a time that nobody lives to see.
    return Seconds{parse_number<std::int64_t>(value(key)).value_or(0xffffffff)};
  }

  SlurmConf conf_;
  NodeLines nodes_;
  PartitionLines partitions_;
};

void Loader::old_controller_keys() {
  if (!conf_.controllers.empty()) return;
  auto add = [&](std::string_view name_key, std::string_view address_key) {
    std::string name = value(name_key), address = value(address_key);
    if (!name.empty())
      conf_.controllers.push_back({name, address.empty() ? name : address, !address.empty()});
  };
  add("ControlMachine", "ControlAddr");
  add("BackupController", "BackupAddr");
}

void Loader::fill_enforcement() {
  for (std::string_view part : split(conf_.values["AccountingStorageEnforce"], ',')) {
    part = trim(part);
    bool all = iequals(part, "all") || part == "1";
    if (all || iequals(part, "associations")) conf_.enforce_associations = true;
    if (all || iequals(part, "limits")) conf_.enforce_associations = conf_.enforce_limits = true;
    if (all || iequals(part, "qos")) conf_.enforce_associations = conf_.enforce_qos = true;
    if (all || iequals(part, "wckeys")) conf_.enforce_associations = conf_.enforce_wckeys = true;
    if (all || iequals(part, "safe"))
      conf_.enforce_associations = conf_.enforce_limits = conf_.enforce_safe = true;
  }
  if (conf_.values["AccountingStorageEnforce"].empty())
    conf_.values.erase("AccountingStorageEnforce");
}

std::uint16_t first_port(std::string_view text) {
  return parse_number<std::uint16_t>(text.substr(0, text.find('-'))).value_or(0);
}
std::uint16_t last_port(std::string_view text) {
  auto dash = text.find('-');
  return dash == text.npos ? first_port(text) : first_port(text.substr(dash + 1));
}

void Loader::fill_members() {
  SlurmConf& c = conf_;
  c.cluster_name = lower(value("ClusterName"));
  c.slurm_user = value("SlurmUser");
  c.slurmd_user = value("SlurmdUser");
  c.auth_type = lower(value("AuthType"));
  c.auth_info = value("AuthInfo");
  c.slurmctld_port = first_port(value("SlurmctldPort"));
  c.slurmctld_port_last = last_port(value("SlurmctldPort"));
  c.slurmd_port = first_port(value("SlurmdPort"));
  c.state_save_location = value("StateSaveLocation");
  c.slurmd_spool_dir = value("SlurmdSpoolDir");
  c.slurmctld_pid_file = value("SlurmctldPidFile");
  c.slurmd_pid_file = value("SlurmdPidFile");
  c.slurmctld_log_file = value("SlurmctldLogFile");
  c.slurmd_log_file = value("SlurmdLogFile");
  c.tmp_fs = value("TmpFS");
  c.debug_flags = value("DebugFlags");
  c.slurmctld_debug = *parse_debug_level(value("SlurmctldDebug"));
  c.slurmd_debug = *parse_debug_level(value("SlurmdDebug"));
  c.proctrack_type = lower(value("ProctrackType"));
  c.task_plugin = lower(value("TaskPlugin"));
  c.job_acct_gather_type = lower(value("JobAcctGatherType"));
  c.job_acct_gather_frequency = value("JobAcctGatherFrequency");
  c.mail_prog = value("MailProg");
  c.mail_domain = value("MailDomain");
  c.accounting_storage_type = lower(value("AccountingStorageType"));
  c.accounting_storage_host = value("AccountingStorageHost");
  c.accounting_storage_tres = value("AccountingStorageTRES");
  c.accounting_storage_port = first_port(value("AccountingStoragePort"));
  if (c.accounting_storage_port == 0 &&
      iequals(c.accounting_storage_type, "accounting_storage/slurmdbd"))
    c.accounting_storage_port = 6819;
  c.kill_wait = seconds("KillWait");
  c.message_timeout = seconds("MessageTimeout");
  c.min_job_age = seconds("MinJobAge");
  c.slurmd_timeout = seconds("SlurmdTimeout");
  c.inactive_limit = seconds("InactiveLimit");
  c.complete_wait = seconds("CompleteWait");
  c.unkillable_step_timeout = seconds("UnkillableStepTimeout");
  c.health_check_interval = seconds("HealthCheckInterval");
  c.wait_time = seconds("WaitTime");
  constexpr Seconds kNoTimeout{65534};
  c.prolog_epilog_timeout = seconds("PrologEpilogTimeout");
  if (c.prolog_epilog_timeout >= kNoTimeout) c.prolog_epilog_timeout = Seconds{0};
  c.prolog = value("Prolog");
  c.epilog = value("Epilog");
  c.prolog_slurmctld = value("PrologSlurmctld");
  c.epilog_slurmctld = value("EpilogSlurmctld");
  c.task_prolog = value("TaskProlog");
  c.task_epilog = value("TaskEpilog");
  c.srun_prolog = value("SrunProlog");
  c.mpi_default = value("MpiDefault");
  c.propagate_limits = value("PropagateResourceLimits");
  c.propagate_limits_except = value("PropagateResourceLimitsExcept");
  c.srun_epilog = value("SrunEpilog");
  c.health_check_program = value("HealthCheckProgram");
  c.reboot_program = value("RebootProgram");
  c.suspend_program = value("SuspendProgram");
  c.resume_program = value("ResumeProgram");
  c.unkillable_step_program = value("UnkillableStepProgram");
  c.prolog_flags = words_of(value("PrologFlags"));
  c.gres_types = words_of(value("GresTypes"));
}

Result<SlurmConf> Loader::finish() {
  old_controller_keys();
  fill_members();
  fill_enforcement();
  auto missing = [&](std::string_view what) {
    return fail(ErrorCode::config_invalid, fmt::format("{}: {} is missing", conf_.path, what));
  };
  if (conf_.cluster_name.empty()) return missing("ClusterName");
  if (conf_.controllers.empty()) return missing("SlurmctldHost");
  if (auto done = nodes_.finish(); !done) return std::unexpected(done.error());
  if (auto done = partitions_.finish(nodes_.nodes, nodes_.sets); !done)
    return std::unexpected(done.error());
  for (const auto* list : {&nodes_.ignored, &partitions_.ignored})
    for (const std::string& key : *list) ignore(key);
  conf_.nodes = std::move(nodes_.nodes);
  conf_.node_sets = std::move(nodes_.sets);
  conf_.warnings = std::move(nodes_.warnings);
  conf_.partitions = std::move(partitions_.partitions);
  if (auto done = check_together(conf_); !done) return std::unexpected(done.error());
  return std::move(conf_);
}

}  // namespace

std::string SlurmConf::value(std::string_view key) const {
  if (auto given = values.find(key); given != values.end()) return given->second;
  const Key* known = find_key(key);
  return known ? std::string(known->fallback) : std::string();
}

Location SlurmConf::place_of(std::string_view key) const {
  auto found = places.find(key);
  return found == places.end() ? Location{path, 0} : found->second;
}

bool SlurmConf::has_prolog_flag(std::string_view name) const {
  auto written = [&](std::string_view flag) {
    return std::ranges::any_of(prolog_flags,
                               [&](const std::string& word) { return iequals(word, flag); });
  };
  if (written(name)) return true;
  if (iequals(name, "Alloc")) return has_prolog_flag("Contain");
  return iequals(name, "Contain") && written("RunInJob");
}

std::optional<std::string> SlurmConf::option(std::string_view key, std::string_view name) const {
  std::string list = value(key);
  for (std::string_view part : split(list, ',')) {
    part = trim(part);
    auto equals = part.find('=');
    if (!iequals(part.substr(0, equals), name)) continue;
    return equals == part.npos ? std::string() : std::string(part.substr(equals + 1));
  }
  return std::nullopt;
}

Result<SlurmConf> load_slurm_conf(const FileReader& read, const std::string& path) {
  auto lines = read_lines(read, path);
  if (!lines) return std::unexpected(lines.error());
  Loader loader(path);
  for (const Line& line : *lines)
    if (auto done = loader.line(line); !done) return std::unexpected(done.error());
  return loader.finish();
}

std::string expand_node_path(std::string_view path, std::string_view node_name,
                             std::string_view hostname) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    char code = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
    if (code == 'n')
      out += node_name;
    else if (code == 'h')
      out += hostname.substr(0, hostname.find('.'));
    else if (code == '%')
      out += '%';
    else {
      out += path[i];
      continue;
    }
    ++i;
  }
  return out;
}

}  // namespace muster::config
