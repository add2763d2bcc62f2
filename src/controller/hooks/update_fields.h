// The settings of `scontrol update job` as fields of submit scripts, and back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/job/job.h"
#include "wire/hook_fields.h"

namespace muster::controller {

using UpdateSettings = std::vector<std::pair<std::string, std::string>>;
// No value: the setting is dropped.
using SiteSettings = std::vector<std::pair<std::string, std::optional<std::string>>>;

// What is given. A value that means nothing is left out: the update is refused later.
wire::HookFields update_fields(const UpdateSettings& settings, const Job& job, Time now);
// The settings that make up for what the script set.
Result<SiteSettings> settings_of(const wire::HookFields& set);

}  // namespace muster::controller
