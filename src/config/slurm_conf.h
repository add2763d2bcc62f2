// slurm.conf as a value. Every key of Slurm 22.05 and of later releases is known (key_table.h). A
// known key without effect is accepted and listed in `ignored_keys`; an unknown key is an error.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text/strings.h"
#include "config/keys/keys.h"
#include "config/keys/settings.h"
#include "config/keys/source.h"
#include "config/lines/node_line.h"
#include "config/lines/partition_line.h"

namespace muster::config {

struct SlurmConf : ControllerSettings {
  std::string path;
  std::vector<ControllerHost> controllers;  // the first one is the primary
  std::vector<ConfiguredNode> nodes;
  std::vector<NodeSet> node_sets;
  std::vector<ConfiguredPartition> partitions;
  std::vector<Qos> qos;

  Values values;  // every key that was given, as written
  std::map<std::string, Location, CaseInsensitiveLess> places;  // where each key was given last
  std::vector<std::string> ignored_keys;  // keys that were given and have no effect, each once
  std::vector<std::string> warnings;      // for the daemon's log

  // The value given, or the key's default; empty if there is neither.
  std::string value(std::string_view key) const;
  std::string_view view(const Key& key) const;
  Location place_of(std::string_view key) const;  // names only the file if the key was not given
  // A word of a list: with "SchedulerParameters=bf_interval=30,defer",
  // option("SchedulerParameters", "bf_interval") is "30", "defer" gives "", and other words give
  // nothing.
  std::optional<std::string> option(std::string_view key, std::string_view name) const;

  // What `scontrol show config` prints, in Slurm's order and spelling. BOOT_TIME, NEXT_JOB_ID and
  // SLURM_VERSION are empty: the daemon fills them in. Users except root lack their "(uid)".
  std::vector<std::pair<std::string, std::string>> show_settings() const;
};

NodeSettings node_settings(const SlurmConf& conf);

Result<SlurmConf> load_slurm_conf(const FileReader& read, const std::string& path);

// Expands paths of slurmd: %n is the node's name, %h its host's short name, %% a percent sign.
std::string expand_node_path(std::string_view path, std::string_view node_name,
                             std::string_view hostname);

}  // namespace muster::config
