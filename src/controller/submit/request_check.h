// Whether a request keeps to the limits on what one request may contain
// (model/job/request_limits.h). Asked of each request as it comes in, and of a job's specification
// after scontrol update. The error names what is too large, its size, and the limit.
#pragma once

#include "model/cluster.h"
#include "wire/requests.h"

namespace muster::controller {

Result<void> check_request(const RequestLimits& limits, const wire::Request& request);
Result<void> check_spec(const RequestLimits& limits, const JobRequest& spec);

Error beyond_limit(std::string_view what, std::uint64_t size, const RequestLimits& limits,
                   std::uint32_t RequestLimits::* limit);

// What is only shown is cut where it is too long.
void shorten(Text& text, std::size_t most);

// Times that can be counted with: what lies beyond all calendars is no limit, and what is negative
// is refused.
Result<void> tame_times(JobRequest& spec);
Result<void> tame_times(wire::StepRequest& request);

}  // namespace muster::controller
