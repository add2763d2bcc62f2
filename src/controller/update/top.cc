// scontrol top: the job becomes the first of its owner's jobs. The owner's jobs only exchange their
// priorities, so that other users' jobs start neither sooner nor later.
#include "controller/update/update.h"

#include <algorithm>

#include "controller/links/step_launches.h"
#include "sched/priority/priority.h"

namespace muster::controller {

namespace {

struct Place {
  JobId job;
  std::uint32_t priority;
  std::int64_t nice;
};

// The owner's jobs that wait in the same queue ahead of the job, in order, and then the job itself.
// Among equal priorities the older job is first.
std::vector<Place> places_up_to(const Cluster& cluster, const Job& job, Time now) {
  sched::Priorities priorities(cluster, now);
  auto place = [&](const Job& each) {
    return Place{each.id, priorities.priority_of(each, cluster.partition_of(each)),
                 each.spec->nice};
  };
  const Place own = place(job);
  std::vector<Place> places;
  cluster.jobs.each([&](const Job& each) {
    bool competes = each.state == JobState::pending && each.hold == Hold::none &&
                    !each.priority_fixed && each.id != job.id && each.spec->uid == job.spec->uid &&
                    each.partition == job.partition && each.account == job.account &&
                    each.qos == job.qos;
    if (!competes) return;
    const Place other = place(each);
    if (other.priority > own.priority || (other.priority == own.priority && other.job < own.job))
      places.push_back(other);
  });
  std::ranges::stable_sort(places, std::ranges::greater{}, &Place::priority);
  places.push_back(own);
  return places;
}

}  // namespace

Result<void> move_to_top(Ledger& ledger, Host& host, StepLaunches& launches, Caller caller,
                         const Job& job) {
  const Time now = ledger.now();
  const bool own_may = ledger.settings().user_top && ledger.authority().may_change(caller, job);
  if (!ledger.authority().is_operator(caller) && !own_may) return fail(ErrorCode::access_denied);
  if (job.state != JobState::pending) return fail(ErrorCode::not_pending);
  if (job.hold != Hold::none)
    return fail(ErrorCode::failure, "Job is in held state, pending scheduler release");
  if (job.priority_fixed) return {};  // as in Slurm, it cannot be changed
  std::vector<Place> places = places_up_to(ledger.cluster(), job, now);
  const std::int64_t highest = places.front().priority;
  // Whoever may use top may also set the nice values that it needs, even negative ones.
  const Caller by{.uid = Uid{0}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_top = i + 1 == places.size();
    const std::int64_t to =
        is_top ? highest : std::min<std::int64_t>(places[i + 1].priority, highest - 1);
    std::int64_t nice = places[i].nice + places[i].priority - to;
    if (nice == places[i].nice) continue;
    wire::UpdateRequest change;
    change.settings = {{"JobId", std::to_string(places[i].job.value)},
                       {"Nice", std::to_string(nice)}};
    wire::Answer answer = update_job(ledger, host, launches, by, change);
    if (auto* reply = std::get_if<wire::CancelReply>(&answer); reply && !reply->errors.empty())
      return std::unexpected(reply->errors.front().second);
  }
  return {};
}

}  // namespace muster::controller
