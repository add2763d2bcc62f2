// What time brings to reservations: they end, come again, are out of use, and lose nodes.
#include <algorithm>

#include "base/text/date.h"
#include "base/text/strings.h"
#include "controller/core.h"
#include "controller/reservations/draft.h"
#include "sched/timeline/reserved.h"

namespace muster::controller {

namespace {

constexpr Seconds kHour{3600}, kDay{24 * kHour}, kWeek{7 * kDay};

bool is_weekend(Time t) { return format_date(t, "%u") >= "6"; }

Time next_day(Time start, bool weekend) {
  do start += kDay;
  while (is_weekend(start) != weekend);
  return start;
}

Text without(const Text& names, const Text& gone) {
  std::string left;
  for (std::string_view name : split(names, ','))
    if (name != gone.view()) left.append(left.empty() ? "" : ",").append(name);
  return Text(left);
}

}  // namespace

std::optional<Time> next_occasion(const Reservation& r) {
  if (r.has("HOURLY")) return r.start + kHour;
  if (r.has("DAILY")) return r.start + kDay;
  if (r.has("WEEKDAY")) return next_day(r.start, false);
  if (r.has("WEEKEND")) return next_day(r.start, true);
  if (r.has("WEEKLY")) return r.start + kWeek;
  return std::nullopt;
}

// Jobs that run in it have to go, unless it lets them go on; false while they may still stay.
bool Core::clear_reservation(const Reservation& r, Time now) {
  const Time last = sched::has_to_end(cluster_, r);
  if (last == Time::max()) return true;
  std::vector<JobId> inside;
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (job.run->reservation == r.name && is_active(job.state) && !job.run->ending)
      inside.push_back(job.id);
  }
  if (!inside.empty() && now < last) return false;
  for (JobId id : inside) {
    host_.log("job " + std::to_string(id.value) + ": its reservation has ended");
    (void)end_job(cluster_.jobs.at(id), {.becomes = JobState::timeout, .since = now}, "", now);
  }
  return true;
}

// Jobs that wait for one that is gone forget it. One that named no other is held, unless the
// reservation said otherwise: it would start where it was not meant to.
void Core::release_waiting_jobs(const Reservation& gone) {
  IdSet held;
  for (std::uint32_t id : cluster_.pending.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    auto names = split(job.spec->reservation, ',');
    if (std::ranges::find(names, gone.name.view()) == names.end()) continue;
    JobSpec spec = *job.spec;
    spec.reservation = without(spec.reservation, gone.name);
    if (spec.reservation.empty() && !gone.has("NO_HOLD_JOBS_AFTER_END")) held.insert(id);
    record(JobUpdated{.job = job.id,
                      .spec = Cow(std::move(spec)),
                      .own = job.own,
                      .priority = job.priority,
                      .partition = job.partition,
                      .account = job.account,
                      .qos = job.qos,
                      .time_limit = job.time_limit,
                      .task_limit = job.task_limit,
                      .eligible = job.eligible,
                      .priority_fixed = job.priority_fixed});
  }
  if (held.empty()) return;
  record(JobsHeld{.jobs = held,
                  .hold = Hold::reservation,
                  .reason = "Reservation " + gone.name.str() + " was deleted"});
}

// Out of use for as long as PURGE_COMP says.
bool Core::is_idle_reservation(const Reservation& r, Time now) {
  if (!r.has("PURGE_COMP") || !r.is_active(now)) return false;
  Time& used = reservation_used_.try_emplace(r.name, now).first->second;
  if (is_reservation_used(r.name)) used = now;
  return now - used >= r.purge_after;
}

// ResvProlog with its begin, ResvEpilog with its end: each once, though the controller starts anew.
void Core::run_reservation_program(SiteProgramRun::Which which, const Reservation& r) {
  const SitePrograms& programs = cluster_.settings().programs;
  const bool is_prolog = which == SiteProgramRun::Which::reservation_prolog;
  if (!(is_prolog ? programs.reservation_prolog : programs.reservation_epilog)) return;
  SiteProgramRun run{.which = which};
  run.arguments = {r.name.str()};
  open_.programs.push_back(std::move(run));
}

void Core::begin_reservation(const Reservation& r, Time now) {
  const SitePrograms& programs = cluster_.settings().programs;
  if (r.begun || !r.is_active(now)) return;
  if (!programs.reservation_prolog && !programs.reservation_epilog) return;
  ReservationChanged change{.reservation = r};
  change.reservation.begun = true;
  record(std::move(change));
  run_reservation_program(SiteProgramRun::Which::reservation_prolog, r);
}

void Core::end_reservation(const Reservation& r) {
  if (r.begun) run_reservation_program(SiteProgramRun::Which::reservation_epilog, r);
}

void Core::turn_reservation(const Reservation& r, Time now) {
  const bool over = !r.has("TIME_FLOAT") && r.end <= now;
  if (over ? !clear_reservation(r, now) : !is_idle_reservation(r, now)) {
    auto nodes = over ? std::nullopt : replaced_nodes(cluster_, r, now);
    if (!nodes) return;
    ReservationChanged change{.reservation = r};
    change.reservation.nodes = std::move(*nodes);
    record(std::move(change));
    return want_plan();
  }
  reservation_used_.erase(r.name);
  end_reservation(r);
  ReservationChanged change{.reservation = r, .removed = !next_occasion(r)};
  Reservation& next = change.reservation;
  next.begun = false;
  do {
    auto at = next_occasion(next);
    if (!at) break;
    next.end += *at - next.start;
    next.start = *at;
  } while (next.end <= now);
  if (change.removed) release_waiting_jobs(r);
  record(std::move(change));
  want_plan();
}

void Core::turn_reservations(Time now) {
  if ((*cluster_.reservations).empty()) return;
  const std::vector<Reservation> all = *cluster_.reservations;
  for (const Reservation& r : all) {
    begin_reservation(r, now);
    const Reservation begun = *cluster_.find_reservation(r.name);
    turn_reservation(begun, now);
  }
}

}  // namespace muster::controller
