// Begins, ends and repeats reservations, and replaces their nodes.
#include "controller/reservations/reservations.h"

#include <algorithm>

#include "base/text/date.h"
#include "base/text/strings.h"
#include "controller/effects/outgoing.h"
#include "controller/jobs/ending.h"
#include "controller/reservations/draft.h"
#include "sched/timeline/reserved.h"
#include "state/job_update.h"

namespace muster::controller {

namespace {

constexpr Seconds kHour{3600}, kDay{24 * kHour}, kWeek{7 * kDay};

bool is_weekend(Time t) { return format_date(t, "%u") >= "6"; }

Time next_day(Time start, bool weekend) {
  do start += kDay;
  while (is_weekend(start) != weekend);
  return start;
}

bool uses(const Job& job, const Text& reservation) {
  if (job.run->reservation == reservation) return true;
  return job.state == JobState::pending && has_name(job.spec->reservation, reservation);
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

namespace {

// Ends the jobs that run in it, unless they may go on; false while they may still stay.
bool clear_reservation(Ledger& ledger, const Reservation& r) {
  const Time now = ledger.now();
  const Time last = sched::has_to_end(ledger.cluster(), r);
  if (last == Time::max()) return true;
  std::vector<JobId> inside;
  for (std::uint32_t id : ledger.cluster().active.ids()) {
    const Job& job = ledger.job(JobId{id});
    if (job.run->reservation == r.name && is_active(job.state) && !job.run->ending)
      inside.push_back(job.id);
  }
  if (!inside.empty() && now < last) return false;
  for (JobId id : inside) {
    ledger.log("job " + std::to_string(id.value) + ": its reservation has ended");
    (void)end_job(ledger, ledger.job(id), {.becomes = JobState::timeout, .since = now}, "");
  }
  return true;
}

// Removes an ended reservation from the jobs that wait for it. A job that names no other
// reservation is held, unless the reservation said otherwise: it would start outside of any.
void release_waiting_jobs(Ledger& ledger, const Reservation& gone) {
  IdSet held;
  for (std::uint32_t id : ledger.cluster().pending.ids()) {
    const Job& job = ledger.job(JobId{id});
    std::vector<Text> names = job.spec->reservation.parsed();
    if (std::erase(names, gone.name) == 0) continue;
    Job after = job;
    NameList& left = after.spec.edit().reservation;
    left = as_name_list(names);
    if (left.empty() && !gone.has("NO_HOLD_JOBS_AFTER_END")) held.insert(id);
    if (auto update = job_update(job, after)) ledger.record(std::move(*update));
  }
  if (held.empty()) return;
  ledger.record(JobsHeld{.jobs = held,
                         .hold = Hold::reservation,
                         .reason = "Reservation " + gone.name.str() + " was deleted"});
}

}  // namespace

// Unused for as long as PURGE_COMP says.
bool Reservations::is_idle(const Reservation& r) {
  const Time now = ledger_.now();
  if (!r.has("PURGE_COMP") || !r.is_active(now)) return false;
  Time& used = last_used_.try_emplace(r.name, now).first->second;
  if (is_reservation_used(ledger_.cluster(), r.name)) used = now;
  return now - used >= r.purge_after;
}

namespace {

// Runs ResvProlog at its begin or ResvEpilog at its end: each once, even if the controller
// restarts.
void run_reservation_program(Ledger& ledger, SiteProgramRun::Which which, const Reservation& r) {
  const SitePrograms& programs = ledger.settings().programs;
  const bool is_prolog = which == SiteProgramRun::Which::reservation_prolog;
  if (!(is_prolog ? programs.reservation_prolog : programs.reservation_epilog)) return;
  SiteProgramRun run{.which = which};
  run.arguments = {r.name.str()};
  ledger.run(std::move(run));
}

void begin_reservation(Ledger& ledger, const Reservation& r) {
  const Time now = ledger.now();
  const SitePrograms& programs = ledger.settings().programs;
  if (r.begun || !r.is_active(now)) return;
  if (!programs.reservation_prolog && !programs.reservation_epilog) return;
  ReservationChanged change{.reservation = r};
  change.reservation.begun = true;
  ledger.record(std::move(change));
  run_reservation_program(ledger, SiteProgramRun::Which::reservation_prolog, r);
}

void end_reservation(Ledger& ledger, const Reservation& r) {
  if (r.begun) run_reservation_program(ledger, SiteProgramRun::Which::reservation_epilog, r);
}

}  // namespace

void Reservations::tick_reservation(const Reservation& r) {
  const Time now = ledger_.now();
  const bool over = !r.has("TIME_FLOAT") && r.end <= now;
  if (over ? !clear_reservation(ledger_, r) : !is_idle(r)) {
    auto nodes = over ? std::nullopt : replaced_nodes(ledger_.cluster(), r, now);
    if (!nodes) return;
    ReservationChanged change{.reservation = r};
    change.reservation.nodes = std::move(*nodes);
    ledger_.record(std::move(change));
    return ledger_.want_plan();
  }
  end_reservation(ledger_, r);
  ReservationChanged change{.reservation = r, .removed = !next_occasion(r)};
  Reservation& next = change.reservation;
  next.begun = false;
  do {
    auto at = next_occasion(next);
    if (!at) break;
    next.end += *at - next.start;
    next.start = *at;
  } while (next.end <= now);
  if (change.removed) release_waiting_jobs(ledger_, r);
  ledger_.record(std::move(change));
  last_used_.erase(r.name);
  ledger_.want_plan();
}

void Reservations::tick() {
  if ((*ledger_.cluster().reservations).empty()) return;
  const std::vector<Reservation> all = *ledger_.cluster().reservations;
  for (const Reservation& r : all) {
    begin_reservation(ledger_, r);
    const Reservation begun = *ledger_.cluster().find_reservation(r.name);
    tick_reservation(begun);
  }
}

bool is_reservation_used(const Cluster& cluster, const Text& name) {
  bool used = false;
  cluster.jobs.each(
      [&](const Job& job) { used = used || (!is_ended(job.state) && uses(job, name)); });
  return used;
}

void Reservations::on_clock_step(Millis by) {
  for (auto& [name, at] : last_used_) at += by;
}

}  // namespace muster::controller
