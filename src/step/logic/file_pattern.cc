// Expands patterns of file names on the node.
#include "step/logic/file_pattern.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster {
namespace {

constexpr unsigned kMaxPadding = 10;

std::string number(std::uint32_t value, unsigned width) {
  return fmt::format("{:0{}}", value, std::min(width, kMaxPadding));
}

std::string step_number(StepId step, unsigned width) {
  return step == kBatchStep ? "batch" : number(step.value, width);
}

// Appends the replacement of one letter; false if the letter means nothing.
bool replace(char letter, unsigned width, const StepSetup& setup, std::uint32_t rank,
             std::string& out) {
  const wire::StepLaunch& launch = setup.launch;
  const bool is_batch = launch.ref.step == kBatchStep;
  switch (letter) {
    case 'A':
      out += number((launch.array_id ? launch.array_id : launch.ref.job).value, width);
      break;
    case 'a':
      out += number(launch.task_id, width);
      break;
    case 'j':
      out += number(launch.ref.job.value, width);
      break;
    case 'J':
      out += number(launch.ref.job.value, width);
      if (!is_batch) out += "." + number(launch.ref.step.value, 0);
      break;
    case 'N':
      out += setup.host_name.view();
      break;
    case 'n':
      out += number(launch.node_index, width);
      break;
    case 's':
      out += step_number(launch.ref.step, width);
      break;
    case 't':
      out += number(rank, width);
      break;
    case 'u':
      out += launch.user_name.view();
      break;
    case 'x':
      out += launch.job_name.view();
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace

std::string expand_file_pattern(std::string_view pattern, const StepSetup& setup,
                                std::uint32_t rank) {
  std::string out;
  if (pattern.find('\\') != std::string_view::npos) {
    std::ranges::copy_if(pattern, std::back_inserter(out), [](char c) { return c != '\\'; });
    return out;
  }

  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    std::size_t letter = i + 1;
    unsigned width = 0;
    while (letter < pattern.size() && pattern[letter] >= '0' && pattern[letter] <= '9' &&
           width < 1000)
      width = width * 10 + static_cast<unsigned>(pattern[letter++] - '0');
    if (letter < pattern.size() && pattern[letter] == '%' && letter == i + 1) {
      out += '%';
      i = letter;
    } else if (letter < pattern.size() && replace(pattern[letter], width, setup, rank, out)) {
      i = letter;
    } else {
      out += '%';
    }
  }
  return out;
}

std::string_view default_output_pattern(const wire::StepLaunch& launch) {
  return launch.task_id == kNoTask ? "slurm-%j.out" : "slurm-%A_%a.out";
}

}  // namespace muster
