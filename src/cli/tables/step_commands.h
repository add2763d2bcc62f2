// A step of several commands is listed as one line for each: "12.0+0", "12.0+1".
#pragma once

#include <string>
#include <vector>

#include "model/job/step.h"

namespace muster::cli {

struct CommandOfStep {
  Step step;           // what the command has of it
  std::string suffix;  // "+0"
};
std::vector<CommandOfStep> commands_of(const Step& step);  // none where it is a single one

}  // namespace muster::cli
