// What a command needs of slurm.conf, read in one pass over the text. A command must start within a
// millisecond, however many node lines there are.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/keys/settings.h"
#include "config/slurm_conf.h"

namespace muster::config {

struct QuickClientSettings {
  ClientSettings settings;
  bool is_whole = true;  // false: other files belong to it, so use the full parser
};

// `path` is named in errors.
Result<QuickClientSettings> quick_client_settings(std::string_view text, const std::string& path);

// The same from the full parser.
ClientSettings client_settings(const SlurmConf& conf);

// For a cluster without slurm.conf.
ClientSettings default_client_settings();

}  // namespace muster::config
