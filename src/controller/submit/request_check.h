// Checks that a request keeps to the limits on its parts (model/job/request_limits.h): every
// request as it comes in, and a job's specification after scontrol update. The error names the
// part, its size, and the limit.
#pragma once

#include "model/cluster.h"
#include "wire/requests.h"

namespace muster::controller {

Result<void> check_request(const RequestLimits& limits, const wire::Request& request);
Result<void> check_spec(const RequestLimits& limits, const JobRequest& spec);

Error beyond_limit(std::string_view what, std::uint64_t size, const RequestLimits& limits,
                   std::uint32_t RequestLimits::* limit);

// Shortens a text that is only shown.
void shorten(Text& text, std::size_t most);

// Makes times safe to compute with: those beyond all calendars become unlimited, negative ones are
// refused.
Result<void> bound_times(JobRequest& spec);
Result<void> bound_times(wire::StepRequest& request);

}  // namespace muster::controller
