// Prints explanations as text (muster explain).
#include "cli/muster/explain_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/sacct/row.h"

namespace muster::cli {

namespace {

constexpr std::size_t kUsersNamed = 5;

std::string id_text(const Job& job) {
  if (job.is_array_record())
    return fmt::format("{}_[{}]", job.array_id.value, job.waiting_tasks.text());
  if (job.task_id != kNoTask) return fmt::format("{}_{}", job.array_id.value, job.task_id);
  if (job.is_het()) return fmt::format("{}+{}", job.het_id.value, job.het_offset);
  return std::to_string(job.id.value);
}

std::string span(Millis time) {
  return format_elapsed(std::chrono::duration_cast<Seconds>(std::max(time, Millis{0})));
}

std::string when(Time start, Time now) {
  if (start <= now) return "now";
  return fmt::format("at {} (in {})", format_date(start), span(start - now));
}

// Behind a job without a time limit, a date would be a year or more away, and mean nothing.
constexpr Millis kForeseeable = std::chrono::days{360};
bool is_foreseeable(Time start, Time now) { return start - now < kForeseeable; }

std::string expected_text(const wire::Explanation& e, Time now) {
  if (!is_foreseeable(e.view.expected_start, now))
    return "no time can be said: a job before it has no time limit";
  return fmt::format("it starts {} on {}", when(e.view.expected_start, now),
                     e.view.scheduled_nodes.view());
}

std::string in_line_text(const wire::Explanation& e) {
  if (e.position <= 1) return "it is the first";
  std::vector<std::string> users;
  for (std::size_t i = 0; i < e.ahead.size() && i < kUsersNamed; ++i)
    users.push_back(fmt::format("{} of {}", e.ahead[i].second, e.ahead[i].first.view()));
  if (e.ahead.size() > kUsersNamed)
    users.push_back(fmt::format("others of {} more users", e.ahead.size() - kUsersNamed));
  const std::uint32_t before = e.position - 1;
  return fmt::format("{} {} before it: {}", before, before == 1 ? "job is" : "jobs are",
                     join(users, ", "));
}

// A job that cannot end before its deadline is cancelled instead of started.
std::string deadline_text(const wire::Explanation& e) {
  const Job& job = *e.view.job;
  Minutes least = job.spec->time_min.value_or(job.time_limit);
  if (least == kUnlimited) least = Minutes{1};
  const Time start = e.view.expected_start;
  const bool late = is_set(start) && start + least > job.spec->deadline;
  return fmt::format("{}: {}", format_date(job.spec->deadline),
                     late ? "it is cancelled then, unless it can start sooner than expected"
                          : "it has to end by then");
}

std::string waiting_text(const wire::Explanation& e, Time now) {
  const Job& job = *e.view.job;
  std::string text =
      explained_line("why:", fmt::format("{} [{}]", e.because.view(), e.view.reason.view()));
  if (!e.view.dependency.empty()) text += explained_line("depends:", e.view.dependency);
  if (job.eligible > now) text += explained_line("not before:", format_date(job.eligible));
  if (job.preempted_by)
    text += explained_line("before:",
                           fmt::format("it ran, and job {} preempted it", job.preempted_by.value));
  if (e.position > 0) text += explained_line("in line:", in_line_text(e));
  if (is_set(e.view.expected_start))
    text += explained_line("expected:", expected_text(e, now));
  else if (e.position > 0)
    text += explained_line("expected:", "no time is known yet");
  if (is_set(job.spec->deadline)) text += explained_line("deadline:", deadline_text(e));
  std::string_view label = "sooner:";
  for (const wire::Suggestion& s : e.sooner) {
    if (!is_foreseeable(s.start, now)) continue;
    text += explained_line(
        label, fmt::format("{} it could start {}", s.change.view(), when(s.start, now)));
    label = "";
  }
  if (!e.tried_all)
    text += explained_line(label, "too many jobs are before it to try what would help");
  return text;
}

// What a started job had waited for.
std::string start_text(const Job& job) {
  const Time from = std::max(job.submitted, job.eligible);
  const Millis waited = job.run->started - from;
  if (waited < Seconds{1} && job.run->waited_for.empty())
    return fmt::format("{}, at once", format_date(job.run->started));
  std::string text =
      fmt::format("{}, after {} in the queue", format_date(job.run->started), span(waited));
  if (!job.run->waited_for.empty()) text += fmt::format(" [{}]", job.run->waited_for.view());
  return text;
}

// A preempted job has time to save its work.
std::string notice_text(const Preemption& notice, Time now) {
  const std::string why = notice.by ? fmt::format("job {} needs the room", notice.by.value)
                                    : "its node is about to go down";
  const bool returns = notice.mode == PreemptMode::requeue;
  return fmt::format("{}; it has until {} (for {}) to save its work, then it {}", why,
                     format_date(notice.kill_at), span(notice.kill_at - now),
                     returns ? "goes back to the queue" : "ends");
}

std::string past_text(const wire::Explanation& e, Time now) {
  const Job& job = *e.view.job;
  std::string text;
  if (!job.run->allocation.empty())
    text +=
        explained_line("started:", fmt::format("{}, on {}", start_text(job), e.view.nodes.view()));
  else if (is_ended(job.state))
    text += explained_line("started:", "never");
  if (job.restarts > 0)
    text += explained_line("before:", fmt::format("requeued {} times", job.restarts));
  if (job.run->preemption && !is_ended(job.state))
    text += explained_line("notice:", notice_text(*job.run->preemption, now));
  else if (job.preempted_by)
    text += explained_line("preempted:", fmt::format("by job {}", job.preempted_by.value));
  if (!is_ended(job.state)) {
    const Time limit = job.end_limit();
    text += explained_line("runs:", limit == Time::max()
                                        ? "without a time limit"
                                        : fmt::format("until {} at most (for {})",
                                                      format_date(limit), span(limit - now)));
    return text;
  }
  std::string end = fmt::format("{}, {}", format_date(job.run->ended), state_name(job.state));
  if (job.run->exit_status != 0)
    end += fmt::format(", exit code {}", exit_code_text(job.run->exit_status));
  if (!e.view.reason.empty() && e.view.reason != "None")
    end += fmt::format(" [{}]", e.view.reason.view());
  return text + explained_line("ended:", end) + output_text(job);
}

std::string_view verb(const Job& job) {
  if (job.state == JobState::pending) return "waits";
  if (job.state == JobState::suspended) return "is suspended";
  return is_ended(job.state) ? "has ended" : "runs";
}

}  // namespace

std::string explained_line(std::string_view label, std::string_view text) {
  return fmt::format("  {:<10} {}\n", label, text);
}

std::string explanation_text(const wire::ExplainReply& reply) {
  std::string text;
  for (const wire::Explanation& e : reply.jobs) {
    const Job& job = *e.view.job;
    text += fmt::format("Job {} ({}) of {} {} in partition {}\n", id_text(job), job.own.name.view(),
                        job.spec->user_name.view(), verb(job), job.partitions.view());
    text += job.state == JobState::pending ? waiting_text(e, reply.now) : past_text(e, reply.now);
  }
  if (reply.left_out > 0) text += fmt::format("... and {} more\n", reply.left_out);
  return text;
}

}  // namespace muster::cli
