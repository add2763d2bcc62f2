// Reads cgroup.conf, and prints it for `scontrol show config`.
#include "config/files/cgroup_conf.h"

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/keys/keys.h"

namespace muster::config {

namespace {

struct BoolKey {
  std::string_view name;
  bool CgroupConf::* member;
};
constexpr BoolKey kBools[] = {
    {"CgroupAutomount", &CgroupConf::automount},
    {"ConstrainCores", &CgroupConf::constrain_cores},
    {"ConstrainDevices", &CgroupConf::constrain_devices},
    {"ConstrainKmemSpace", &CgroupConf::constrain_kmem},
    {"ConstrainRAMSpace", &CgroupConf::constrain_ram},
    {"ConstrainSwapSpace", &CgroupConf::constrain_swap},
    {"IgnoreSystemd", &CgroupConf::ignore_systemd},
    {"IgnoreSystemdOnFailure", &CgroupConf::ignore_systemd_on_failure},
};

struct PercentKey {
  std::string_view name;
  double CgroupConf::* member;
};
constexpr PercentKey kPercents[] = {
    {"AllowedRAMSpace", &CgroupConf::allowed_ram_percent},
    {"AllowedSwapSpace", &CgroupConf::allowed_swap_percent},
    {"MaxRAMPercent", &CgroupConf::max_ram_percent},
    {"MaxSwapPercent", &CgroupConf::max_swap_percent},
    {"MaxKmemPercent", &CgroupConf::max_kmem_percent},
};

constexpr std::string_view kWithoutEffect[] = {
    "AllowedDevicesFile",      "CgroupReleaseAgentDir",  "TaskAffinity",
    "EnableControllers",       "EnableExtraControllers", "CgroupSlice",
    "SignalChildrenProcesses", "SystemdTimeout",
};

Result<void> read_text(const Location& at, const Setting& setting, CgroupConf& conf) {
  auto is = [&](std::string_view key) { return iequals(setting.key, key); };
  if (is("CgroupMountpoint")) {
    conf.mountpoint = setting.value;
  } else if (is("CgroupPlugin")) {
    conf.plugin = lower(setting.value);
    if (conf.plugin != "cgroup/v1" && conf.plugin != "cgroup/v2" && conf.plugin != "autodetect" &&
        conf.plugin != "disabled")
      return bad_value(at, setting, "cgroup/v1, cgroup/v2, autodetect or disabled");
  } else if (is("MinRAMSpace") || is("MinKmemSpace") || is("AllowedKmemSpace")) {
    auto number = parse_number<std::uint64_t>(setting.value);
    if (!number) return bad_value(at, setting, "a number");
    if (is("AllowedKmemSpace"))
      conf.allowed_kmem_bytes = number;
    else
      (is("MinRAMSpace") ? conf.min_ram_mib : conf.min_kmem_mib) = *number;
  } else if (is("MemorySwappiness")) {
    conf.memory_swappiness = parse_number<std::uint32_t>(setting.value);
    if (!conf.memory_swappiness || *conf.memory_swappiness > 100)
      return bad_value(at, setting, "a number from 0 to 100");
  } else {
    return invalid(at, fmt::format("{}: not a key of cgroup.conf", setting.key));
  }
  return {};
}

Result<void> read_setting(const Location& at, const Setting& setting, CgroupConf& conf) {
  for (const BoolKey& key : kBools) {
    if (!iequals(key.name, setting.key)) continue;
    auto value = parse_yes_no(setting.value);
    if (!value) return bad_value(at, setting, "yes or no");
    conf.*key.member = *value;
    return {};
  }
  for (const PercentKey& key : kPercents) {
    if (!iequals(key.name, setting.key)) continue;
    std::string_view text = setting.value;
    if (text.ends_with('%')) text.remove_suffix(1);
    auto value = parse_real(text);
    if (!value || *value < 0) return bad_value(at, setting, "a percentage");
    conf.*key.member = *value;
    return {};
  }
  for (std::string_view key : kWithoutEffect) {
    if (!iequals(key, setting.key)) continue;
    conf.ignored_keys.emplace_back(key);
    return {};
  }
  return read_text(at, setting, conf);
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }
std::string percent(double value) { return fmt::format("{:.1f}%", value); }
template <class T>
std::string or_null(const std::optional<T>& value, std::string_view unit) {
  return value ? fmt::format("{}{}", *value, unit) : "(null)";
}

}  // namespace

Result<CgroupConf> load_cgroup_conf(const FileReader& read, const std::string& path) {
  auto lines = read_lines(read, path);
  if (!lines) return std::unexpected(lines.error());
  CgroupConf conf;
  for (const Line& line : *lines)
    for (const Setting& setting : line.settings)
      if (auto done = read_setting(line.at, setting, conf); !done)
        return std::unexpected(done.error());
  return conf;
}

std::vector<std::pair<std::string, std::string>> CgroupConf::show_settings() const {
  return {
      {"AllowedKmemSpace", or_null(allowed_kmem_bytes, " Bytes")},
      {"AllowedRAMSpace", percent(allowed_ram_percent)},
      {"AllowedSwapSpace", percent(allowed_swap_percent)},
      {"CgroupAutomount", yes_no(automount)},
      {"CgroupMountpoint", mountpoint},
      {"CgroupPlugin", plugin.empty() ? "(null)" : plugin},
      {"ConstrainCores", yes_no(constrain_cores)},
      {"ConstrainDevices", yes_no(constrain_devices)},
      {"ConstrainKmemSpace", yes_no(constrain_kmem)},
      {"ConstrainRAMSpace", yes_no(constrain_ram)},
      {"ConstrainSwapSpace", yes_no(constrain_swap)},
      {"IgnoreSystemd", yes_no(ignore_systemd)},
      {"IgnoreSystemdOnFailure", yes_no(ignore_systemd_on_failure)},
      {"MaxKmemPercent", percent(max_kmem_percent)},
      {"MaxRAMPercent", percent(max_ram_percent)},
      {"MaxSwapPercent", percent(max_swap_percent)},
      {"MemorySwappiness", or_null(memory_swappiness, "")},
      {"MinKmemSpace", fmt::format("{} MB", min_kmem_mib)},
      {"MinRAMSpace", fmt::format("{} MB", min_ram_mib)},
  };
}

}  // namespace muster::config
