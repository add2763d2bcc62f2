// A step, or one of its commands, for squeue -s and `scontrol show step`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/records/job_row.h"
#include "cli/tables/fields.h"

namespace muster::cli {

struct StepRow {
  struct Mark {};

  JobRow owner;
  const Step* step = nullptr;
  std::string_view suffix = {};  // for one of its commands: "+0"

  const Job& job() const { return owner.job(); }
  Form form() const { return owner.form(); }
};

std::span<const Field<StepRow>> step_fields();

}  // namespace muster::cli
