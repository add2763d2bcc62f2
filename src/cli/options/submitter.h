// Who submits a job, and whose it becomes: --uid and --gid of root.
#pragma once

#include <string_view>

#include "cli/options/option_table.h"

namespace muster::cli {

Outcome run_as_user(JobOptions& o, const OptionRow& row, std::string_view value);
Outcome run_as_group(JobOptions& o, const OptionRow& row, std::string_view value);

struct Owner {
  Uid uid;
  Gid gid;
};
Owner owner_of(const JobOptions& options);  // of the job: --uid and --gid, or the caller
bool become(const Owner& owner);            // for good; false with errno

// The job's owner and where it was submitted.
void set_submitter(JobRequest& spec, const JobOptions& options);

}  // namespace muster::cli
