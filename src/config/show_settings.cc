// `scontrol show config`: every shown key in the order of the table, with the few rows whose text
// follows from more than their own value.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/keys/keys.h"
#include "config/slurm_conf.h"

namespace muster::config {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kAlwaysAccounted = "cpu,mem,energy,node,billing,fs/disk,vmem,pages";

bool multifactor(const SlurmConf& conf) {
  return iequals(conf.value("PriorityType"), "priority/multifactor");
}
bool linear(const SlurmConf& conf) { return iequals(conf.value("SelectType"), "select/linear"); }
bool with_slurmdbd(const SlurmConf& conf) {
  return iequals(conf.accounting_storage_type, "accounting_storage/slurmdbd");
}

// Factors and weights only where a priority is computed from them; of two ways to limit memory only
// the one in use.
bool applies(const SlurmConf& conf, std::string_view key) {
  for (std::string_view factor :
       {"PriorityDecayHalfLife", "PriorityCalcPeriod", "PriorityFavorSmall", "PriorityFlags",
        "PriorityMaxAge", "PriorityUsageResetPeriod", "FairShareDampeningFactor"})
    if (key == factor) return multifactor(conf);
  if (key.starts_with("PriorityWeight")) return multifactor(conf);
  if (key == "SelectTypeParameters") return !linear(conf);
  if (key == "DefMemPerCPU" || key == "MaxMemPerCPU") return conf.values.contains(key);
  if (key == "DefMemPerNode") return !conf.values.contains("DefMemPerCPU");
  if (key == "MaxMemPerNode") return !conf.values.contains("MaxMemPerCPU");
  return true;
}

std::string enforced(const SlurmConf& conf) {
  std::vector<std::string> parts;
  if (conf.enforce_associations) parts.push_back("associations");
  if (conf.enforce_limits) parts.push_back("limits");
  if (conf.enforce_qos) parts.push_back("qos");
  if (conf.enforce_safe) parts.push_back("safe");
  if (conf.enforce_wckeys) parts.push_back("wckeys");
  return parts.empty() ? "none" : join(parts, ",");
}

std::string accounted_tres(const SlurmConf& conf) {
  std::string all(kAlwaysAccounted);
  auto known = split(kAlwaysAccounted, ',');
  for (std::string_view tres : split(conf.accounting_storage_tres, ','))
    if (!trim(tres).empty() && std::ranges::find(known, trim(tres)) == known.end())
      all += fmt::format(",{}", trim(tres));
  return all;
}

std::string max_dbd_messages(const SlurmConf& conf) {
  if (!with_slurmdbd(conf)) return "0";
  auto jobs = parse_number<std::uint64_t>(conf.value("MaxJobCount")).value_or(0);
  return std::to_string(std::max<std::uint64_t>(jobs * 2 + conf.nodes.size() * 4, 10000));
}

std::string job_defaults(const SlurmConf& conf) {
  std::vector<std::string> parts;
  for (std::string_view key : {"DefCpuPerGPU", "DefMemPerGPU"})
    if (std::string given = conf.value(key); !given.empty())
      parts.push_back(fmt::format("{}={}", key, shown_value(*find_key(key), given)));
  return parts.empty() ? "(null)" : join(parts, ",");
}

// Rows whose text is not just their own value; nothing for the others.
std::optional<std::string> special(const SlurmConf& conf, std::string_view key) {
  bool given = conf.values.contains(key);
  if (key == "AccountingStorageEnforce") return enforced(conf);
  if (key == "AccountingStoragePort") return std::to_string(conf.accounting_storage_port);
  if (key == "AccountingStorageTRES") return accounted_tres(conf);
  if (key == "AccountingStorageUser" && !given) return with_slurmdbd(conf) ? "N/A" : "root";
  if (key == "ClusterName") return conf.cluster_name;
  if (key == "EnforcePartLimits" && iequals(conf.value(key), "YES")) return "ALL";
  if (key == "JobDefaults") return job_defaults(conf);
  if (key == "MaxDBDMsgs" && !given) return max_dbd_messages(conf);
  if (key == "MaxNodeCount" && !given) return std::to_string(conf.nodes.size());
  if (key == "PowerPlugin" && !given) return "";
  if (key == "PriorityFlags" && !given) return "";
  if (key == "PropagateResourceLimits" && conf.values.contains("PropagateResourceLimitsExcept"))
    return "(null)";
  if (key == "TaskPluginParam" && !given) return "(null type)";
  if ((key == "DefMemPerNode" || key == "MaxMemPerNode") && !given) return "UNLIMITED";
  if (key == "MULTIPLE_SLURMD") return "Yes";
  if (key == "HASH_VAL") return "Match";
  if (key == "SLURM_CONF") return conf.path;
  return std::nullopt;
}

void add_hosts(const SlurmConf& conf, Rows& rows) {
  for (std::size_t i = 0; i < conf.controllers.size(); ++i) {
    const ControllerHost& host = conf.controllers[i];
    std::string text =
        host.has_own_address ? fmt::format("{}({})", host.name, host.address) : host.name;
    rows.emplace_back(fmt::format("SlurmctldHost[{}]", i), std::move(text));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> SlurmConf::show_settings() const {
  Rows rows;
  for (const Key& key : known_keys()) {
    if (!key.shown || !applies(*this, key.name)) continue;
    if (key.kind == Kind::hosts) {
      add_hosts(*this, rows);
      continue;
    }
    auto text = special(*this, key.name);
    if (!text) text = key.kind == Kind::daemon ? std::string() : shown_value(key, value(key.name));
    rows.emplace_back(key.name, std::move(*text));
  }
  return rows;
}

}  // namespace muster::config
