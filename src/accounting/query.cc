// Reads candidates from the store, keeps those that the request selects, drops earlier runs unless
// duplicates are wanted, and sorts jobs and steps in Slurm's printing order.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "accounting/query.h"
#include "accounting/select.h"
#include "base/codec/rough_size.h"

namespace muster::accounting {

namespace {

// Sorts by the second of submission. Within a second: jobs that are no arrays, then arrays with
// their tasks in order, and at last tasks that still wait (they have no task id).
auto printing_order(const JobRecord& job) {
  return std::tuple(unix_seconds(job.submitted), job.array_id, job.array_id ? job.task_id : 0,
                    job.job);
}

// batch, extern, 0, 1, 2, ...
auto printing_order(const StepRecord& step) {
  int group = is_numbered(step.step) ? 2 : step.step == kExternStep ? 1 : 0;
  return std::tuple(group, step.step);
}

// The steps that were asked for by name; nothing if the whole job was asked for.
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
  // Pieces of --chunk are one row, or a row each.
  if (request.duplicates) {
    job.earlier_pieces = 0;
    job.earlier_run_time = {};
    job.first_started = {};
  }
  return {.job = std::move(job),
          .steps = std::move(steps),
          .steps_only = !whole_job && !request.allocations_only};
}

}  // namespace

Result<Listing> Listing::make(AccountingReader& store, const wire::AccountingRequest& request,
                              Time now, std::optional<Uid> only_of) {
  auto selection = make_selection(request, now);
  if (!selection) return std::unexpected(selection.error());
  AccountingReader::Scan wanted{.jobs = {},
                                .ended_since = selection->window.start,
                                .uids = {},
                                .users = {},
                                .clusters = request.clusters};
  // No job was in the window that was submitted after it.
  if (!selection->window.end_is_now) wanted.begun_until = selection->window.end;
  for (const wire::JobRef& ref : request.jobs) wanted.jobs.push_back(ref.job);
  if (!request.all_users) {
    wanted.uids = request.uids;
    wanted.users = request.users;
  }
  if (only_of) {
    wanted.uids = {*only_of};
    wanted.users.clear();
  }
  // Only the position of each row is kept.
  struct Place {
    decltype(printing_order(JobRecord{})) order;
    std::int64_t index;
    JobId job;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  auto read = store.scan(wanted, [&](const AccountingReader::Candidate& c) {
    if (selects(*selection, c.job) && (!only_of || c.job.uid == *only_of))
      places.push_back({printing_order(c.job), c.index, c.job.job});
  });
  if (!read) return std::unexpected(read.error());

  // Only among selected rows: an earlier run is shown where the latest run does not match.
  if (!request.duplicates) {
    std::unordered_map<JobId, std::int64_t> latest;
    for (const Place& p : places) latest[p.job] = std::max(latest[p.job], p.index);
    std::erase_if(places, [&](const Place& p) { return latest[p.job] != p.index; });
  }
  std::ranges::sort(places);
  Listing listing(request);
  for (const Place& p : places)
    if (listing.rows_.empty() || listing.rows_.back() != p.index) listing.rows_.push_back(p.index);
  return listing;
}

Result<std::vector<AccountingRow>> Listing::next(AccountingReader& store, std::size_t bytes) {
  std::vector<AccountingRow> rows;
  for (std::size_t size = 0; next_ < rows_.size() && size < bytes; ++next_) {
    const std::int64_t index = rows_[next_];
    auto job = store.job_at(index);
    if (!job) return std::unexpected(job.error());
    if (!*job) continue;
    Result<std::vector<StepRecord>> steps;
    if (!request_.allocations_only) steps = store.steps_of(index);
    if (!steps) return std::unexpected(steps.error());
    rows.push_back(make_row(request_, std::move(**job), *std::move(steps)));
    size += rough_size(rows.back());
  }
  return rows;
}

Result<std::vector<AccountingRow>> query(AccountingReader& store,
                                         const wire::AccountingRequest& request, Time now,
                                         std::optional<Uid> only_of) {
  auto listing = Listing::make(store, request, now, only_of);
  if (!listing) return std::unexpected(listing.error());
  return listing->next(store, std::numeric_limits<std::size_t>::max());
}

}  // namespace muster::accounting
