// Checks beyond the type of one value: words of lists, and keys that depend on each other.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/keys/keys.h"
#include "config/slurm_conf.h"

namespace muster::config {

// Checks one setting. Known words without effect are added to `ignored`.
Result<void> check_words(const Key& key, const Location& at, const Setting& setting,
                         std::vector<std::string>& ignored);
// Checks a line "QoS=name Key=value ..." that has been read already.

// Checks the whole file.
Result<void> check_together(const SlurmConf& conf);

// For slurmctld only: checks that the file names this host as its one controller.
Result<void> check_controller(const SlurmConf& conf, std::string_view host_name);

// Keys whose new values take effect only when daemons restart.
struct NeededRestart {
  std::string_view key, daemons;  // "slurmd"
  bool operator==(const NeededRestart&) const = default;
};
// `at_start`: what slurmctld runs with. When nodes were restarted is not known: what they need is
// said when it changes.
std::vector<NeededRestart> needing_restart(const SlurmConf& at_start, const SlurmConf& before,
                                           const SlurmConf& after);

}  // namespace muster::config
