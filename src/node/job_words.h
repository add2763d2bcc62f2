// What processes of jobs say to slurmd on its job socket, and what they read there and in the
// notice file. A request is one line of words, an answer one line of JSON, so that a program in any
// language can talk to it with a few lines of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job/stop_notice.h"
#include "node/host.h"

namespace muster {

struct JobWords {
  enum class Verb : std::uint8_t { notice, wait, extend_grace, requeue } verb = Verb::notice;
  Seconds by{0};  // of extend_grace
};

inline constexpr std::size_t kLongestJobWords = 128;

// "notice", "wait", "extend-grace 60", "requeue-me"
Result<JobWords> parse_job_words(std::string_view line);

// The line of the notice file. `now` is the clock of this machine. No reason = empty.
std::string notice_json(AttemptRef attempt, const StopNotice& notice, Time now);

std::string notice_answer(std::string_view notice);  // a notice_json, or empty: there is none
std::string ask_answer(std::string_view refusal, Seconds granted);

// "12.1.json"
std::string notice_file_name(AttemptRef attempt);
std::optional<AttemptRef> parse_notice_file_name(std::string_view name);

}  // namespace muster
