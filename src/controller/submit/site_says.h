// SiteSays: what a submit script of the site made of a request (controller/hooks/vetting.h). It
// goes beside the request, because no client may say it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace muster::controller {

struct SiteSays {
  // The script has seen the submission: what only operators may set was set by the site.
  bool is_vetted = false;
  // Of an update: what replaces settings of a job. No value: the setting is dropped.
  std::map<JobId, std::vector<std::pair<std::string, std::optional<std::string>>>> settings;
};

}  // namespace muster::controller
