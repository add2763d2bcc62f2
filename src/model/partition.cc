#include "model/partition.h"

#include "base/strings.h"

namespace muster {

std::optional<PreemptMode> parse_preempt_mode(std::string_view text) {
  std::optional<PreemptMode> mode;
  for (std::string_view word : split(text, ',')) {
    word = trim(word);
    if (iequals(word, "GANG") || iequals(word, "WITHIN")) continue;
    if (iequals(word, "OFF"))
      mode = PreemptMode::off;
    else if (iequals(word, "CANCEL"))
      mode = PreemptMode::cancel;
    else if (iequals(word, "REQUEUE"))
      mode = PreemptMode::requeue;
    else if (iequals(word, "SUSPEND"))
      mode = PreemptMode::suspend;
    else
      return std::nullopt;
  }
  return mode;
}

}  // namespace muster
