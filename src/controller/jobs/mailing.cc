// Finds out which mails about arrays and time limits are due.
#include "controller/jobs/mailing.h"

#include "controller/effects/mail.h"

namespace muster::controller {

namespace {

constexpr std::uint32_t kParts[] = {kMailTimeLimit50, kMailTimeLimit80, kMailTimeLimit90};

// Which marks of the time limit (50%, 80%, ...) have passed.
std::uint32_t parts_passed(const Job& job, Time now) {
  const Time limit = job.end_limit();
  if (job.state != JobState::running || limit == Time::max()) return 0;
  const double used = 1.0 - static_cast<double>((limit - now).count()) /
                                static_cast<double>(Millis(job.time_limit).count());
  std::uint32_t passed = 0;
  for (std::size_t i = 0; double part : {0.5, 0.8, 0.9}) {
    if (used >= part) passed |= kParts[i];
    ++i;
  }
  return passed;
}

}  // namespace

void mail_once(Ledger& ledger, JobId id, std::uint32_t types) {
  const Time now = ledger.now();
  const Job& job = ledger.job(id);
  types &= job.spec->mail_type & ~job.mailed;
  if (types) ledger.record(JobMailed{.job = id, .types = types, .at = now});
}

void mail_begin_of_array(Ledger& ledger, const Job& task) {
  if (is_mailed_as_array(task) && ledger.cluster().jobs.contains(task.array_id))
    mail_once(ledger, task.array_id, kMailBegin);
}

void mail_time_limits(Ledger& ledger) {
  const Time now = ledger.now();
  std::vector<std::pair<JobId, std::uint32_t>> due;
  for (std::uint32_t id : ledger.cluster().active.ids()) {
    const Job& job = ledger.job(JobId{id});
    if (!(job.spec->mail_type & kMailTimeLimits) || job.run->ending) continue;
    if (std::uint32_t passed = parts_passed(job, now)) due.emplace_back(job.id, passed);
  }
  for (auto [id, types] : due) mail_once(ledger, id, types);
}

}  // namespace muster::controller
