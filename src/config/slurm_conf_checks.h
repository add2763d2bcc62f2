// What has to hold beyond the type of one value: the words of a list, and keys that belong
// together.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/keys/keys.h"
#include "config/slurm_conf.h"

namespace muster::config {

// Of one setting. What is known and without effect is added to `ignored`.
Result<void> check_words(const Key& key, const Location& at, const Setting& setting,
                         std::vector<std::string>& ignored);
// Of a line "QoS=name Key=value ...", which was read already.
Result<void> check_qos_flags(const Line& line, std::vector<std::string>& ignored);

// Of the whole file.
Result<void> check_together(const SlurmConf& conf);

// Only slurmctld asks: is this host the one controller that the file names?
Result<void> check_controller(const SlurmConf& conf, std::string_view host_name);

// Keys whose new values act only when daemons start again.
struct NeededRestart {
  std::string_view key, daemons;  // "slurmd"
  bool operator==(const NeededRestart&) const = default;
};
// `at_start`: what slurmctld runs with. When nodes were restarted is not known: what they need is
// said when it changes.
std::vector<NeededRestart> needing_restart(const SlurmConf& at_start, const SlurmConf& before,
                                           const SlurmConf& after);

}  // namespace muster::config
