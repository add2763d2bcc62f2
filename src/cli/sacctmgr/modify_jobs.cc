// modify job: comments of jobs that slurmctld still knows, those that have ended some minutes ago
// included.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/strings.h"
#include "cli/sacctmgr/preview.h"
#include "cli/sacctmgr/session.h"

namespace muster::cli {

namespace {

constexpr std::string_view kChangeable[] = {"AdminComment", "Comment"};

std::string error_line(std::string_view text) { return fmt::format("sacctmgr: error: {}\n", text); }

// What the job is called where it is changed: a task of an array keeps the array's number.
std::string reference_of(const Job& job) {
  if (job.array_id && !job.is_array_record())
    return fmt::format("{}_{}", job.array_id.value, job.task_id);
  return std::to_string(job.id.value);
}

std::vector<wire::JobView> known_jobs(SiteSession& session, const SiteLine& line) {
  wire::JobsRequest request;
  request.filter.jobs = line.request.jobs;
  request.filter.all_states = true;
  auto reply = session.ask_slurmctld_for<wire::JobsReply>(request);
  return reply ? std::move(reply->jobs) : std::vector<wire::JobView>{};
}

// Why the controller refuses it; empty where it does not.
std::string update(SiteSession& session, const Job& job, const SiteLine& line) {
  wire::UpdateRequest request;
  request.settings.emplace_back("JobId", reference_of(job));
  for (const wire::Setting& setting : line.request.settings)
    request.settings.emplace_back(setting.key.str(), setting.value);
  const auto to = session.connect_slurmctld();
  if (!to) return to.error().text();
  const auto answer = (*to)->ask(request);
  if (!answer) return answer.error().text();
  if (const auto* reply = std::get_if<wire::CancelReply>(&*answer); reply && !reply->errors.empty())
    return reply->errors.front().second.text();
  return {};
}

}  // namespace

void modify_jobs(SiteSession& session, const SiteLine& line) {
  for (const wire::Setting& setting : line.request.settings)
    if (std::ranges::find(kChangeable, setting.key.view()) == std::end(kChangeable))
      return session.fail(
          error_line(fmt::format("{} of a job cannot be modified", setting.key.view())));
  const std::vector<wire::JobView> jobs = known_jobs(session, line);
  if (jobs.empty()) {
    fmt::print("{}", nothing_text(SiteCommand::modify));
    session.exit_code = 1;
    return;
  }
  fmt::print(" Modified jobs...\n");
  for (const wire::JobView& view : jobs)
    fmt::print("  {} submitted at {}\n", reference_of(*view.job), format_date(view.job->submitted));
  if (!agrees(session, kCommitQuestion)) return fmt::print(" Changes Discarded\n");
  for (const wire::JobView& view : jobs)
    if (const std::string why = update(session, *view.job, line); !why.empty())
      session.fail(error_line(fmt::format("job {}: {}", reference_of(*view.job), why)));
}

}  // namespace muster::cli
