// Properties of every plan, on random clusters and queues. A failure names its seed. With
// sanitizers there are a thousand cases, in the optimized build ten thousand.
#include <gtest/gtest.h>

#include <set>

#include "builders.h"
#include "sched/gate/dependency.h"
#include "sched/random_queue.h"
#include "sched/request/request.h"
#include "sched/timeline/reserved.h"
#include "state/invariants.h"

namespace muster::sched::plan_test {
namespace {

using namespace muster::test;

// A job outside of a reservation uses none of it while it lasts; a job in it uses nothing else.
void check_reservations(const Cluster& cluster, const Plan& p, Time now) {
  for (const Start& s : p.starts) {
    const Reservation* own = cluster.find_reservation(s.reservation);
    EXPECT_EQ(own == nullptr, s.reservation.empty());
    const Job& job = cluster.jobs.at(s.job);
    Time until = now + std::min(s.time_limit, Minutes{100000});
    if (own && !own->has("FLEX")) until = std::min(until, own->end);
    if (own) {
      EXPECT_TRUE(own->admits(job.spec->user_name, job.account));
    }
    for (const Reservation& r : *cluster.reservations) {
      const bool is_own = &r == own;
      const bool loose = r.has("FLEX") || r.has("ANY_NODES");
      if (own && !is_own && may_overlap(r, *own)) continue;
      if (!is_own && (r.start >= until || r.end <= now)) continue;
      for (const NodeShare& share : s.allocation) {
        auto at = std::ranges::find(r.nodes, share.node);
        const bool holds = at != r.nodes.end();
        IdSet held = !holds ? IdSet{}
                     : r.has_part_of_nodes()
                         ? r.cpus.at(static_cast<std::size_t>(at - r.nodes.begin()))
                         : IdSet::range(0, 1000);
        if (is_own && !loose) {
          EXPECT_EQ(held.intersect(share.cpus), share.cpus) << "job " << s.job.value << " strays";
        }
        if (!is_own) {
          EXPECT_FALSE(held.intersects(share.cpus))
              << "job " << s.job.value << " uses what " << r.name.view() << " holds";
        }
      }
    }
  }
}

// Why a start is wrong; "" if it is right.
std::string objection(const Cluster& cluster, const Start& s, Time now) {
  const Job& job = cluster.jobs.at(s.job);
  const Partition& partition = *cluster.find_partition(s.partition);
  if (job.state != JobState::pending) return "it does not wait";
  if (job.hold != Hold::none) return "it is held";
  if (job.eligible > now) return "it is not eligible";
  if (partition.max_time && job.time_limit > *partition.max_time) return "it is too long";
  if (s.task ? !job.waiting_tasks.contains(*s.task) : job.is_array_record()) return "no such task";
  if (job.own.dependency.empty()) return "";
  auto dependencies = parse_dependencies(job.own.dependency.view());
  bool met = fulfilment(cluster, job, *dependencies, s.task, now) == Fulfilment::met;
  return met ? "" : "it depends on others";
}

bool same(const Plan& a, const Plan& b) {
  auto equal = [](const Start& x, const Start& y) {
    return x.job == y.job && x.task == y.task && x.partition == y.partition &&
           x.allocation == y.allocation;
  };
  auto equal_wait = [](const Wait& x, const Wait& y) {
    return x.job == y.job && x.reason == y.reason && x.detail == y.detail;
  };
  return std::ranges::equal(a.starts, b.starts, equal) &&
         std::ranges::equal(a.waits, b.waits, equal_wait) && a.hopeless == b.hopeless &&
         a.complete == b.complete;
}

void check_plan(const Cluster& cluster, const Plan& p, Time now) {
  if (cluster.next_job_id.value % 4 == 0) {
    EXPECT_TRUE(same(p, plan(cluster, now))) << "the same input gave another plan";
  }
  std::set<std::pair<JobId, std::optional<std::uint32_t>>> started;
  std::map<JobId, std::uint64_t> tasks_started;
  for (const Start& s : p.starts) {
    EXPECT_TRUE(started.insert({s.job, s.task}).second) << "job " << s.job.value << " starts twice";
    EXPECT_EQ(objection(cluster, s, now), "") << "of job " << s.job.value;
    for (const NodeShare& share : s.allocation)
      EXPECT_TRUE(is_available(cluster.nodes.at(share.node)));
    ++tasks_started[s.job];
  }
  for (std::uint32_t id : cluster.pending.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    std::uint64_t wanted = job.is_array_record() ? job.waiting_tasks.size() : 1;
    if (tasks_started[job.id] == wanted) continue;
    const Wait* wait = find_wait(p, job.id);
    EXPECT_TRUE(wait && wait->reason != Reason::none) << "job " << id << " waits without a reason";
  }
}

// All components start or none, on separate nodes.
void check_components(const Cluster& cluster, const Plan& p) {
  std::map<JobId, std::vector<NodeId>> nodes;
  std::map<JobId, std::uint32_t> started;
  for (const Start& s : p.starts) {
    const Job& job = cluster.jobs.at(s.job);
    if (!job.is_het()) continue;
    ++started[job.het_id];
    for (const NodeShare& share : s.allocation) nodes[job.het_id].push_back(share.node);
  }
  for (const auto& [group, count] : started) {
    EXPECT_EQ(count, cluster.jobs.at(group).het_size) << "job " << group.value << " starts in part";
    std::set<NodeId> different(nodes[group].begin(), nodes[group].end());
    EXPECT_EQ(different.size(), nodes[group].size()) << "components of " << group.value << " meet";
  }
}

void check_limits(const Cluster& cluster) {
  const Qos* qos = cluster.find_qos("few");
  if (!qos) return;
  for (Uid user : {kAlice, kBob}) {
    std::uint64_t jobs = 0, cpus = 0;
    for (std::uint32_t id : cluster.active.ids()) {
      const Job& job = cluster.jobs.at(JobId{id});
      if (job.qos != qos->name || job.spec->uid != user || !is_active(job.state)) continue;
      ++jobs;
      cpus += total(job.run->allocation).cpus;
    }
    EXPECT_LE(jobs, *qos->limits.per_user.jobs);
    EXPECT_LE(cpus, *amount_of(qos->limits.per_user.tres, "cpu"));
  }
}

// At its promised start a job is within the limits of its QOS, if all jobs run until their time
// limits, and suspended jobs until what is left of these.
void check_promised_limits(const Cluster& after, const Plan& p, Time now) {
  const Qos* qos = after.find_qos("few");
  if (!qos) return;
  for (const Expected& e : p.expected) {
    const Job& job = after.jobs.at(e.job);
    if (job.qos != qos->name || job.is_array_record()) continue;
    std::uint64_t jobs = 0, cpus = 0;
    auto count = [&](const Job& other, Time from, Time until, std::uint64_t holds) {
      if (other.qos != qos->name || other.spec->uid != job.spec->uid) return;
      if (from > e.at || until <= e.at) return;
      ++jobs;
      cpus += holds;
    };
    for (std::uint32_t id : after.active.ids())
      if (const Job& other = after.jobs.at(JobId{id}); is_active(other.state))
        count(other, t0, leaves_at(after, other, now), total(other.run->allocation).cpus);
    for (const Expected& other : p.expected)
      if (const Job& o = after.jobs.at(other.job); !o.is_array_record())
        count(o, other.at, other.at + o.time_limit, other.cpus);
    EXPECT_LE(jobs, *qos->limits.per_user.jobs) << "job " << e.job.value;
    EXPECT_LE(cpus, *amount_of(qos->limits.per_user.tres, "cpu")) << "job " << e.job.value;
  }
}

void check_licenses(const Cluster& cluster) {
  std::uint32_t held = 0;
  for (std::uint32_t id : cluster.active.ids())
    for (const auto& [name, count] : licenses_in(cluster.jobs.at(JobId{id}).spec->licenses))
      held += count;
  EXPECT_LE(held, cluster.settings().licenses.front().second) << "more licenses than there are";
}

// Of the jobs that share a CPU only one runs, and no job waits for its turn on free CPUs.
void check_turns(Cluster& cluster, Time now) {
  if (!cluster.settings().preempt.gang) return;
  take_turns(cluster, now);
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  std::map<NodeId, IdSet> busy;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.state != JobState::running) continue;
    for (const NodeShare& share : job.run->allocation) {
      EXPECT_FALSE(busy[share.node].intersects(share.cpus)) << "job " << id << " runs too early";
      busy[share.node].merge(share.cpus);
    }
  }
  Turns again = next_turns(cluster, now);
  EXPECT_TRUE(again.suspend.empty() && again.resume.empty()) << "turns do not settle";
}

// As an administrator may.
void suspend_or_resume_some(Cluster& cluster, Dice& dice, Time now) {
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!is_active(job.state) || job.run->ending || job.run->awaits_turn || !dice.one_in(6))
      continue;
    const bool resumed = job.state == JobState::suspended;
    muster::apply(cluster, JobSuspended{.job = job.id, .resumed = resumed, .at = now});
  }
  take_turns(cluster, now);  // a resumed job may share its CPUs with others
}

void check_one_history(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Cluster cluster = random_machines(dice).build();
  const bool with_het_jobs = seed % 4 == 1;
  if (seed % 4 == 2) reserve_some(cluster, dice);
  Time now = t0;
  for (int round = 0; round < 3; ++round, now += Minutes{1}) {
    submit_some(cluster, dice, dice.between(1, 8), with_het_jobs);
    Plan p = plan(cluster, now);
    check_plan(cluster, p, now);
    check_components(cluster, p);
    check_reservations(cluster, p, now);
    take_over(cluster, p, now);
    check_limits(cluster);
    check_licenses(cluster);
    if (cluster.settings().preempt.type == PreemptType::none)
      check_promised_limits(cluster, p, now);
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
    check_turns(cluster, now);
    end_some(cluster, dice);
    if (seed % 4 == 3) suspend_or_resume_some(cluster, dice, now);
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  }
}

// Each case is a sequence of three plans, each after the other's starts.
TEST(EveryPlan, IsSoundInRandomCases) {
  for (std::uint32_t seed = 1; seed <= MUSTER_RANDOM_CASES && !testing::Test::HasFailure(); ++seed)
    check_one_history(seed);
}

}  // namespace
}  // namespace muster::sched::plan_test
