// Keeps the timeline of each license: how many are in use from when on.
#include "sched/timeline/license_book.h"

#include <algorithm>

#include "sched/timeline/reserved.h"

namespace muster::sched {

namespace {

LicenseBook::Counts licenses_of(const Reservation& r) {
  LicenseBook::Counts held;
  for (const auto& [name, count] : licenses_in(r.licenses)) held[name] += count;
  return held;
}

}  // namespace

LicenseBook::LicenseBook(const Cluster& cluster, Time now, const std::set<JobId>& gone)
    : now_(now) {
  for (const auto& [name, count] : cluster.settings().licenses) pools_[name].all = count;
  for (const Reservation& r : *cluster.reservations)
    if (!r.licenses.empty()) kept_.push_back({&r, licenses_of(r)});
  if (pools_.empty()) return;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.spec->licenses.empty() || gone.contains(job.id)) continue;
    // A job past its end counts as about to leave.
    const Time until = std::max(leaves_at(cluster, job, now), now + Seconds{1});
    use(licenses_in(job.spec->licenses),
        {now, until, cluster.find_reservation(job.run->reservation)});
  }
}

bool LicenseBook::has(const Counts& wanted, const Span& run, const Counts& freed) const {
  return std::ranges::all_of(wanted, [&](const auto& want) {
    const auto& [name, count] = want;
    auto pool = pools_.find(name);
    if (pool == pools_.end()) return false;
    auto back = freed.find(name);
    const std::uint64_t used = most_used(pool->second, run);
    const std::uint64_t gone =
        back == freed.end() ? 0 : std::min<std::uint64_t>(used, back->second);
    return count + kept_from(name, run) + used - gone <= pool->second.all;
  });
}

std::uint64_t LicenseBook::most_used(const Pool& pool, const Span& run) const {
  std::int64_t used = 0, most = 0;
  for (const Change& change : pool.changes) {
    if (change.at >= run.until) break;
    used += change.by;
    if (change.at <= run.from)
      most = used;
    else
      most = std::max(most, used);
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, most));
}

std::uint64_t LicenseBook::kept_from(const Text& name, const Span& run) const {
  std::uint64_t kept = 0;
  for (const Kept& each : kept_) {
    if (each.by == run.reservation || !each.by->reaches_into(run.from, run.until)) continue;
    if (auto left = each.left.find(name); left != each.left.end()) kept += left->second;
  }
  return kept;
}

std::optional<Time> LicenseBook::next_release(const Counts& wanted, Time from) const {
  std::optional<Time> next;
  auto consider = [&](Time at) {
    if (at > from && at != Time::max() && (!next || at < *next)) next = at;
  };
  for (const auto& [name, count] : wanted) {
    auto pool = pools_.find(name);
    if (pool == pools_.end()) return std::nullopt;
    for (const Change& change : pool->second.changes)
      if (change.by < 0) consider(change.at);
    for (const Kept& each : kept_)
      if (each.left.contains(name)) consider(each.by->end);
  }
  return next;
}

void LicenseBook::use(const Licenses& licenses, const Span& run) {
  for (const auto& [name, count] : licenses) {
    auto pool = pools_.find(name);
    if (pool == pools_.end()) continue;
    auto& changes = pool->second.changes;
    auto add = [&](Change change) {
      changes.insert(std::ranges::upper_bound(changes, change.at, {}, &Change::at), change);
    };
    add({run.from, std::int64_t{count}});
    add({run.until, -std::int64_t{count}});
    if (run.from > now_) continue;
    for (Kept& kept : kept_)
      if (kept.by == run.reservation)
        if (auto left = kept.left.find(name); left != kept.left.end())
          left->second -= std::min(left->second, count);
  }
}

}  // namespace muster::sched
