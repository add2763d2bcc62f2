// query: looks at the candidates, keeps what is selected, drops earlier runs
// unless duplicates are wanted, and puts jobs and steps into the reference's printing order.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "accounting/query.h"
#include "accounting/select.h"

namespace muster::accounting {

namespace {

// By the second of submission; in the same second jobs that are no arrays come first, then arrays
// with their tasks in order and what still waits (it has no task id) last.
auto printing_order(const JobRecord& job) {
  return std::tuple(unix_seconds(job.submitted), job.array_id, job.array_id ? job.task_id : 0,
                    job.job);
}

// batch, extern, 0, 1, 2, ...
auto printing_order(const StepRecord& step) {
  int group = is_numbered(step.step) ? 2 : step.step == kExternStep ? 1 : 0;
  return std::tuple(group, step.step);
}

// The steps that were asked for by name, or nothing where the whole job was.
std::set<StepId> wanted_steps(const std::vector<wire::JobRef>& refs, const JobRecord& job,
                              bool& whole_job) {
  std::set<StepId> wanted;
  whole_job = refs.empty();
  for (const wire::JobRef& ref : refs) {
    if (!names_job(ref, job)) continue;
    if (ref.step)
      wanted.insert(*ref.step);
    else
      whole_job = true;
  }
  return wanted;
}

AccountingRow make_row(const wire::AccountingRequest& request, JobRecord job,
                       std::vector<StepRecord> steps) {
  bool whole_job = false;
  std::set<StepId> wanted = wanted_steps(request.jobs, job, whole_job);
  if (!wanted.empty())
    std::erase_if(steps, [&](const StepRecord& s) { return !wanted.contains(s.step); });
  std::ranges::sort(steps, {}, [](const StepRecord& s) { return printing_order(s); });
  return {.job = std::move(job),
          .steps = std::move(steps),
          .steps_only = !whole_job && !request.allocations_only};
}

}  // namespace

Result<std::vector<AccountingRow>> query(AccountingStore& store,
                                         const wire::AccountingRequest& request, Time now,
                                         std::optional<Uid> only_of) {
  auto selection = make_selection(request, now);
  if (!selection) return std::unexpected(selection.error());
  AccountingStore::Scan wanted{
      .jobs = {}, .ended_since = selection->window.start, .uids = {}, .users = {}};
  for (const wire::JobRef& ref : request.jobs) wanted.jobs.push_back(ref.job);
  if (!request.all_users) {
    wanted.uids = request.uids;
    wanted.users = request.users;
  }
  if (only_of) {
    wanted.uids = {*only_of};
    wanted.users.clear();
  }
  auto candidates = store.scan(wanted);
  if (!candidates) return std::unexpected(candidates.error());
  std::erase_if(*candidates,
                [&](const AccountingStore::Candidate& c) { return !selects(*selection, c.job); });
  if (only_of)
    std::erase_if(*candidates,
                  [&](const AccountingStore::Candidate& c) { return c.job.uid != *only_of; });

  // Only among what is selected: an earlier run shows where the latest one does not match.
  if (!request.duplicates) {
    std::map<JobId, std::int64_t> latest;
    for (const AccountingStore::Candidate& c : *candidates)
      latest[c.job.job] = std::max(latest[c.job.job], c.index);
    std::erase_if(*candidates, [&](const AccountingStore::Candidate& c) {
      return latest[c.job.job] != c.index;
    });
  }
  std::ranges::sort(*candidates, {}, [](const AccountingStore::Candidate& c) {
    return std::pair(printing_order(c.job), c.index);
  });

  std::vector<AccountingRow> rows;
  for (AccountingStore::Candidate& candidate : *candidates) {
    Result<std::vector<StepRecord>> steps;
    if (!request.allocations_only) steps = store.steps_of(candidate.index);
    if (!steps) return std::unexpected(steps.error());
    rows.push_back(make_row(request, std::move(candidate.job), *std::move(steps)));
  }
  return rows;
}

}  // namespace muster::accounting
