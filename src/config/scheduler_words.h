// The words of SchedulerParameters: which there are and what each takes. Most of them tune passes
// over the queue that are not made here, and are accepted for the sake of the files that have them.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/keys/source.h"

namespace muster::config {

// The known words that change nothing here and would elsewhere; an unknown one is an error.
Result<std::vector<std::string_view>> check_scheduler_words(const Location& at,
                                                            const Setting& setting);

}  // namespace muster::config
