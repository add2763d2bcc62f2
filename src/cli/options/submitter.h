// Who submits a job, and who will own it: root may use --uid and --gid.
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
Owner owner_of(const JobOptions& options);  // --uid and --gid, or the caller
bool become(const Owner& owner);            // permanently; false with errno

// Sets the job's owner, and where it was submitted.
void set_submitter(JobRequest& spec, const JobOptions& options);

}  // namespace muster::cli
