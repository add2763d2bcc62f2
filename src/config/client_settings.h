// What a command needs of slurm.conf, picked out in one pass over the text: a command must start in
// a millisecond, whatever the number of node lines.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/keys/settings.h"
#include "config/slurm_conf.h"

namespace muster::config {

struct QuickClientSettings {
  ClientSettings settings;
  bool is_whole = true;  // otherwise other files belong to it: read it with the full parser
};

// `path` is named in errors.
Result<QuickClientSettings> quick_client_settings(std::string_view text, const std::string& path);

// The same from the full parser.
ClientSettings client_settings(const SlurmConf& conf);

// Those of a cluster without a slurm.conf.
ClientSettings default_client_settings();

}  // namespace muster::config
