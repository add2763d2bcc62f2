// JobSubmitScript: a program that reads a request as JSON and prints what it changes, as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hooks/job_values.h"

namespace muster::hooks {

struct ProgramEnd {
  std::int32_t code = 0;  // not 0: the request is refused
  std::string refusal;
};

// The request as the program reads it.
std::string request_text(const JobValues& values, const wire::HookPart* job,
                         const std::vector<wire::HookPart>& partitions, std::uint32_t uid);
// Carries out what it printed. The error says what is wrong with that.
Result<ProgramEnd> take_reply(const std::string& text, JobValues& values);

Result<ProgramEnd> run_script(const std::string& path, JobValues& values, const wire::HookPart* job,
                              const std::vector<wire::HookPart>& partitions, std::uint32_t uid);

}  // namespace muster::hooks
