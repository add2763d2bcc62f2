// SiteSays: what a submit script of the site made of a request (controller/hooks/vetting.h). It
// goes beside the request, because no client may say it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace muster::controller {

struct SiteSays {
  // The script has seen the submission: what only operators may set was set by the site.
  bool is_vetted = false;
  // Of an update: the jobs that the script was asked about. Unset: it need not be asked.
  std::optional<std::set<JobId>> asked = {};
  // Of an update: what replaces settings of a job. No value: the setting is dropped.
  std::map<JobId, std::vector<std::pair<std::string, std::optional<std::string>>>> settings;
};

}  // namespace muster::controller
