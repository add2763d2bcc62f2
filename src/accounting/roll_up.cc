// A day at a time: reads each record that reaches into it once, and adds it to its hours.
#include "accounting/roll_up.h"

#include <algorithm>

#include "accounting/interval_use.h"
#include "base/text/calendar.h"

namespace muster::accounting {

namespace {

constexpr Seconds kHour{3600};

template <class Record>
void add_to_hours(std::vector<IntervalUse>& hours, const Record& record) {
  for (IntervalUse& hour : hours) hour.add(record);
}

// Jobs of most days are many and short: only the hours are looked at that a job reaches into.
void add_job(std::vector<IntervalUse>& hours, const JobUse& job) {
  const Time first = hours.front().start();
  const Time begin = is_set(job.eligible) && is_set(job.started)
                         ? std::min(job.eligible, job.started)
                     : is_set(job.eligible) ? job.eligible
                                            : job.started;
  if (!is_set(begin)) return;
  const auto from = begin > first ? static_cast<std::size_t>((begin - first) / kHour) : 0;
  std::size_t until = hours.size();
  if (is_set(job.ended)) {
    if (job.ended < first) return;
    until = std::min(until, static_cast<std::size_t>((job.ended - first) / kHour) + 1);
  }
  for (std::size_t i = from; i < until; ++i) hours[i].add(job);
}

Result<std::vector<IntervalUse>> hours_of(AccountingStore& store, Time start, Time end) {
  std::vector<IntervalUse> hours;
  for (Time at = start; at < end; at += kHour) hours.emplace_back(at, std::min(at + kHour, end));
  // The cluster's size is known from its first event on.
  auto read =
      store.events(start, end, [&](const EventRecord& event) { add_to_hours(hours, event); });
  if (read)
    read = store.reservations(start, end, [&](const ReservationRecord& reservation) {
      add_to_hours(hours, reservation);
    });
  if (!read) return std::unexpected(read.error());
  // Suspensions are asked for afterwards: a store does one thing at a time.
  std::vector<AccountingStore::Candidate> suspended;
  read = store.scan({.jobs = {}, .ended_since = start, .begun_until = end, .uids = {}, .users = {}},
                    [&](const AccountingStore::Candidate& found) {
                      const JobRecord& job = found.job;
                      if (job.suspended > Millis{0} || job.state == JobState::suspended)
                        suspended.push_back(found);
                      else
                        add_job(hours, JobUse(job, {}));
                    });
  if (!read) return std::unexpected(read.error());
  for (const AccountingStore::Candidate& found : suspended) {
    auto when = store.suspensions_of(found.index);
    if (!when) return std::unexpected(when.error());
    add_job(hours, JobUse(found.job, *std::move(when)));
  }
  return hours;
}

Result<std::vector<UsageRow>> sum_of(AccountingStore& store, UsageSpan span, Time start, Time end) {
  UsageSums sums;
  auto read =
      store.usage(span, start, end, [&](const AccountingStore::UsageOf& of) { sums.add(of.row); });
  if (!read) return std::unexpected(read.error());
  return sums.take();
}

// The row of a longer span, from those of shorter ones.
Result<void> put_sum(AccountingStore& store, UsageSpan from, UsageSpan to, Time start, Time end) {
  auto rows = sum_of(store, from, start, end);
  if (!rows) return std::unexpected(rows.error());
  AccountingStore::UsageChange change{.span = to, .start = start, .end = end, .rows = {}};
  for (UsageRow& row : *rows) change.rows.push_back({start, std::move(row)});
  return store.put_usage(change);
}

}  // namespace

Result<bool> roll_up(AccountingStore& store, Time now) {
  auto known = store.usage_known_until();
  if (!known) return std::unexpected(known.error());
  Time start = *known;
  if (!is_set(start)) {
    auto oldest = store.oldest_record();
    if (!oldest) return std::unexpected(oldest.error());
    if (!is_set(*oldest)) return false;
    start = *oldest;
  }
  start = begin_of_hour(start);
  const Time full = begin_of_hour(now), midnight = next_day(start), end = std::min(full, midnight);
  if (start >= end) return false;
  auto hours = hours_of(store, start, end);
  if (!hours) return std::unexpected(hours.error());
  AccountingStore::UsageChange change{
      .span = UsageSpan::hour, .start = start, .end = end, .rows = {}};
  for (const IntervalUse& hour : *hours)
    for (UsageRow& row : hour.rows()) change.rows.push_back({hour.start(), std::move(row)});
  const bool day_is_over = end == midnight;
  if (!day_is_over) change.known_until = end;
  if (auto ok = store.put_usage(change); !ok) return std::unexpected(ok.error());
  if (!day_is_over) return false;
  const Time day = begin_of_day(start);
  if (auto ok = put_sum(store, UsageSpan::hour, UsageSpan::day, day, midnight); !ok)
    return std::unexpected(ok.error());
  if (begin_of_month(midnight) == midnight)
    if (auto ok = put_sum(store, UsageSpan::day, UsageSpan::month, begin_of_month(start), midnight);
        !ok)
      return std::unexpected(ok.error());
  // At last: a crash before this repeats the day.
  auto ok = store.put_usage({.span = UsageSpan::hour,
                             .start = midnight,
                             .end = midnight,
                             .rows = {},
                             .known_until = midnight});
  if (!ok) return std::unexpected(ok.error());
  return end < full;
}

Result<std::vector<UsageRow>> usage_between(AccountingStore& store, Time start, Time end) {
  auto known = store.usage_known_until();
  if (!known) return std::unexpected(known.error());
  UsageSums sums;
  auto oldest = store.oldest_record();
  if (!oldest) return std::unexpected(oldest.error());
  if (!is_set(*oldest)) return sums.take();
  // Only what is known: a day or month that was known once may have to be made again. Nor can there
  // be usage before the oldest record, however far back a user asks.
  const Time until = std::min(end, *known);
  for (Time at = std::max(start, begin_of_month(*oldest)); at < until;) {
    UsageSpan span = UsageSpan::hour;
    Time next = std::min(next_day(at), until);
    if (begin_of_day(at) == at && next_day(at) <= until) {
      const bool months = begin_of_month(at) == at && next_month(at) <= until;
      span = months ? UsageSpan::month : UsageSpan::day;
      next = months ? next_month(at) : next_day(at);
    }
    auto read =
        store.usage(span, at, next, [&](const AccountingStore::UsageOf& of) { sums.add(of.row); });
    if (!read) return std::unexpected(read.error());
    at = next;
  }
  return sums.take();
}

}  // namespace muster::accounting
