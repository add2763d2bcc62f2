// A step with several commands is listed with one line for each: "12.0+0", "12.0+1".
#pragma once

#include <string>
#include <vector>

#include "model/job/step.h"

namespace muster::cli {

struct CommandOfStep {
  Step step;           // the command's part of the step
  std::string suffix;  // "+0"
};
std::vector<CommandOfStep> commands_of(const Step& step);  // empty for a single command

}  // namespace muster::cli
