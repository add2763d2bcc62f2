// preview: what a change would do, as people are shown it before they say yes.
#pragma once

#include <string>

#include "cli/sacctmgr/site_line.h"

namespace muster::cli {

// The whole text; empty where nothing would change.
std::string preview_text(const SiteLine& line, const wire::AccountsReply& reply);
// " Nothing modified"
std::string_view nothing_text(SiteCommand command);

}  // namespace muster::cli
