// Prints `scontrol show config`: the keys in the order of the table, and the texts of rows that
// follow from several keys.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/keys/keys.h"
#include "config/keys/setters.h"
#include "config/show_rows.h"
#include "config/slurm_conf.h"

namespace muster::config {

namespace {

constexpr std::string_view kAlwaysAccounted = "cpu,mem,energy,node,billing,fs/disk,vmem,pages";
constexpr std::string_view kPortOfSlurmdbd = "6819";

}  // namespace

bool with_multifactor(const SlurmConf& conf) {
  return iequals(conf.value("PriorityType"), "priority/multifactor");
}
bool with_consumable_resources(const SlurmConf& conf) {
  return !iequals(conf.value("SelectType"), "select/linear");
}
bool is_given(const SlurmConf& conf, std::string_view key) { return conf.values.contains(key); }

std::string enforced(const SlurmConf& conf) {
  const Enforced enforced = parse_enforced(conf.value("AccountingStorageEnforce"));
  std::vector<std::string> parts;
  if (enforced.associations) parts.emplace_back("associations");
  if (enforced.limits) parts.emplace_back("limits");
  if (enforced.qos) parts.emplace_back("qos");
  if (enforced.safe) parts.emplace_back("safe");
  if (enforced.wckeys) parts.emplace_back("wckeys");
  return parts.empty() ? "none" : join(parts, ",");
}

std::string accounting_port(const SlurmConf& conf) {
  const std::string given = conf.value("AccountingStoragePort");
  const auto port = parse_number<std::uint16_t>(given.substr(0, given.find('-'))).value_or(0);
  if (port == 0 && conf.wants_slurmdbd) return std::string(kPortOfSlurmdbd);
  return std::to_string(port);
}

std::string accounted_tres(const SlurmConf& conf) {
  std::string all(kAlwaysAccounted);
  const auto known = split(kAlwaysAccounted, ',');
  const std::string given = conf.value("AccountingStorageTRES");
  for (std::string_view tres : split(given, ','))
    if (!trim(tres).empty() && std::ranges::find(known, trim(tres)) == known.end())
      all += fmt::format(",{}", trim(tres));
  return all;
}

std::string accounting_user(const SlurmConf& conf) {
  if (is_given(conf, "AccountingStorageUser")) return conf.value("AccountingStorageUser");
  return conf.wants_slurmdbd ? "N/A" : "root";
}

std::string part_limits(const SlurmConf& conf) {
  const std::string limits = upper(conf.value("EnforcePartLimits"));
  return limits == "YES" ? "ALL" : limits;
}

std::string job_defaults(const SlurmConf& conf) {
  std::vector<std::string> parts;
  for (std::string_view key : {"DefCpuPerGPU", "DefMemPerGPU"})
    if (std::string given = conf.value(key); !given.empty())
      parts.push_back(fmt::format("{}={}", key, shown_value(*find_key(key), given)));
  return parts.empty() ? "(null)" : join(parts, ",");
}

std::string max_dbd_messages(const SlurmConf& conf) {
  if (is_given(conf, "MaxDBDMsgs")) return conf.value("MaxDBDMsgs");
  if (!conf.wants_slurmdbd) return "0";
  auto jobs = parse_number<std::uint64_t>(conf.value("MaxJobCount")).value_or(0);
  return std::to_string(std::max<std::uint64_t>(jobs * 2 + conf.nodes.size() * 4, 10000));
}

std::string max_node_count(const SlurmConf& conf) {
  if (is_given(conf, "MaxNodeCount")) return conf.value("MaxNodeCount");
  return std::to_string(conf.nodes.size());
}

std::string propagated_limits(const SlurmConf& conf) {
  if (is_given(conf, "PropagateResourceLimitsExcept")) return "(null)";
  return conf.value("PropagateResourceLimits");
}

std::string path_of(const SlurmConf& conf) { return conf.path; }

std::vector<std::pair<std::string, std::string>> SlurmConf::show_settings() const {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Key& key : known_keys()) {
    const Show show = key.show ? *key.show : Show{};
    if (show.hidden || (show.when && !show.when(*this))) continue;
    if (key.type.kind == Kind::hosts) {
      for (std::size_t i = 0; i < controllers.size(); ++i)
        rows.emplace_back(fmt::format("{}[{}]", key.name, i),
                          controllers[i].has_own_address
                              ? fmt::format("{}({})", controllers[i].name, controllers[i].address)
                              : controllers[i].name);
      continue;
    }
    if (show.text)
      rows.emplace_back(key.name, show.text(*this));
    else if (key.type.kind == Kind::daemon)
      rows.emplace_back(key.name, key.fallback);
    else
      rows.emplace_back(key.name, shown_value(key, view(key)));
  }
  return rows;
}

}  // namespace muster::config
