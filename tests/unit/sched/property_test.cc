// What holds of every plan, on random clusters and queues. A failure names its seed. The sanitizers
// see a thousand cases, the optimized build ten thousand.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "builders.h"
#include "dice.h"
#include "sched/dependency.h"
#include "sched/request.h"
#include "state/invariants.h"

namespace muster::sched {
namespace {

using namespace muster::test;

ClusterBuilder random_machines(Dice& dice) {
  ClusterBuilder b;
  std::uint32_t nodes = 0;
  for (std::uint32_t kinds = dice.between(1, 3); kinds > 0; --kinds) {
    std::uint32_t count = dice.between(1, 4);
    b.nodes(count, 1u << dice.upto(4), dice.between(1, 16) * 1000).weight(dice.between(1, 2));
    if (dice.one_in(2)) b.gpus(dice.between(1, 4), "v100");
    if (dice.one_in(3)) b.gpus(dice.between(1, 2), "a100");
    nodes += count;
  }
  constexpr const char* kSharing[] = {"NO", "YES:2", "FORCE:2", "FORCE:3"};
  Text sharing = kSharing[dice.upto(3)];
  b.partition({.name = "all", .max_time = Minutes{1000}, .oversubscribe = sharing}, 1, nodes);
  if (dice.one_in(2))
    b.partition({.name = "some",
                 .max_nodes = 2,
                 .oversubscribe = sharing,
                 .priority_tier = dice.between(1, 2)},
                1, dice.between(1, nodes));
  if (dice.one_in(2))
    b.qos("few", "MaxJobsPU=" + std::to_string(dice.between(1, 4)) +
                     " MaxTRESPU=cpu=" + std::to_string(dice.between(1, 30)));
  b.settings([&](Settings& s) {
    s.memory_is_consumable = !dice.one_in(4);
    s.whole_nodes = dice.one_in(8);
    if (dice.one_in(2)) s.default_memory_per_cpu_mib = 100;
    if (dice.one_in(3))
      s.preempt = {.type = PreemptType::partition_priority, .mode = PreemptMode::suspend};
    s.preempt.gang = s.preempt.mode == PreemptMode::suspend || dice.one_in(3);
    s.licenses = {{"matlab", dice.between(1, 4)}};
  });
  for (std::uint32_t n = 1; n <= nodes; ++n) {
    if (dice.one_in(8)) b.down(n);
    if (dice.one_in(10)) b.change_node(n, [](NodeChanged& e) { e.drain = true; });
  }
  return b;
}

SpecBuilder random_job(Dice& dice, const Cluster& cluster) {
  const bool second_partition = (*cluster.partitions).size() > 1;
  const bool with_reservations = !(*cluster.reservations).empty();
  const std::uint32_t next_id = cluster.next_job_id.value;
  SpecBuilder spec = job().minutes(static_cast<int>(dice.between(1, 1100)));
  if (dice.one_in(2)) spec.qos("few");  // where there is none, it limits nothing
  if (dice.one_in(3)) spec.user(kBob);
  if (dice.one_in(3)) {
    std::uint32_t low = dice.between(1, 4);
    spec.nodes(low, dice.one_in(2) ? low + dice.upto(2) : 0);
  }
  if (dice.one_in(2)) spec.tasks(dice.between(1, 10));
  if (dice.one_in(3)) spec.cpus_per_task(dice.between(1, 4));
  if (dice.one_in(5)) spec.tasks_per_node(dice.between(1, 3));
  if (dice.one_in(2)) spec.memory(dice.upto(4000));
  if (dice.one_in(6)) spec.memory_per_cpu(dice.between(1, 800));
  // One way of asking for GPUs at a time.
  switch (dice.upto(9)) {
    case 0:
      spec.gres("gpu:" + std::to_string(dice.between(1, 3)));
      break;
    case 1:
      spec.gres("gpu:a100:1");
      break;
    case 2:
      spec.gpus(std::to_string(dice.between(1, 5)));
      break;
    case 3:
      spec.gpus_per_task("1");
      break;
    case 4:
      spec.gpus_per_node("v100:2");
      break;
    default:
      break;
  }
  if (dice.one_in(6)) spec.licenses("matlab:" + std::to_string(dice.between(1, 2)));
  if (dice.one_in(8)) spec.exclusive();
  if (dice.one_in(3)) spec.oversubscribe();
  if (dice.one_in(8)) spec.contiguous();
  if (dice.one_in(8)) spec.hold();
  if (dice.one_in(8)) spec.begin(t0 + Minutes{dice.upto(2)});
  if (dice.one_in(10)) spec.on("n1");
  if (dice.one_in(10)) spec.not_on("n1");
  if (dice.one_in(5)) spec.array(dice.one_in(2) ? "0-6%2" : "1,4,9-11");
  if (second_partition && dice.one_in(2)) spec.partition("some");
  if (next_id > 1 && dice.one_in(4)) {
    constexpr const char* kKinds[] = {"after", "afterany", "afterok", "afternotok", "aftercorr"};
    spec.dependency(std::string(kKinds[dice.upto(4)]) + ":" +
                    std::to_string(dice.between(1, next_id - 1)));
  }
  if (dice.one_in(12)) spec.dependency("singleton");
  if (with_reservations && dice.one_in(3)) {
    spec.user(kAlice);  // others are refused when they submit
    spec.set(&JobSpec::reservation, Text(dice.one_in(3) ? "r1,r2" : "r1"));
  }
  return spec;
}

// Whole nodes or some of their cores, now or soon, some of them drawing jobs in.
void reserve_some(Cluster& cluster, Dice& dice) {
  for (std::uint32_t n = 1; n <= dice.between(1, 3); ++n) {
    Reservation r{.name = "r" + std::to_string(n), .users = {"alice"}, .number = n};
    r.start = t0 + Minutes{dice.upto(60)} - Minutes{30};
    r.end = r.start + Minutes{dice.between(31, 600)};
    const bool in_part = dice.one_in(2);
    for (NodeId id : cluster.node_order) {
      if (dice.one_in(2)) continue;
      r.nodes.push_back(id);
      std::uint32_t cpus = cluster.nodes.at(id).config.cpus;
      if (in_part) r.cpus.push_back(IdSet::range(0, dice.upto(cpus - 1)));
    }
    constexpr const char* kFlags[] = {"MAGNETIC", "FLEX", "OVERLAP", "ANY_NODES", "MAINT"};
    if (dice.one_in(2)) r.flags.emplace_back(kFlags[dice.upto(4)]);
    muster::apply(cluster, ReservationChanged{.reservation = std::move(r)});
  }
}

// A run that is not of a reservation uses nothing of it while it lasts; one that is keeps to it.
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

void submit_components(Cluster& cluster, Dice& dice) {
  std::vector<JobSpec> specs;
  for (std::uint32_t i = dice.between(2, 3); i > 0; --i)
    specs.push_back(random_job(dice, cluster).array(""));
  for (Job& component : make_components(std::move(specs), cluster))
    muster::apply(cluster, JobSubmitted{std::move(component)});
}

void submit_some(Cluster& cluster, Dice& dice, std::uint32_t count, bool with_het_jobs) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (with_het_jobs && dice.one_in(3)) {
      submit_components(cluster, dice);
      continue;
    }
    JobId id = cluster.next_job_id;
    muster::apply(cluster, JobSubmitted{make_job(id, random_job(dice, cluster), cluster)});
  }
}

// Some of what runs ends, wholly or on some nodes only.
void end_some(Cluster& cluster, Dice& dice) {
  for (std::uint32_t id : cluster.active.ids()) {
    if (dice.one_in(2)) continue;
    const Job job = cluster.jobs.at(JobId{id});
    JobState state = dice.one_in(3) ? JobState::failed : JobState::completed;
    std::vector<JobId> ending{job.id};
    if (job.is_het() && job.leads())  // the others end with the first
      for (const Job* component : cluster.components(job)) ending.push_back(component->id);
    for (JobId each : ending)
      if (!is_ended(cluster.jobs.at(each).state))
        muster::apply(cluster, JobEnded{.job = each, .state = state, .at = t0, .reason = {}});
    std::vector<NodeId> gone;
    for (NodeId node : job.unfinished)
      if (!dice.one_in(4)) gone.push_back(node);
    if (!gone.empty())
      muster::apply(cluster, NodesReleased{.job = job.id, .attempt = job.attempt, .nodes = gone});
  }
}

// Why a start must not be; "" if it may.
std::string objection(const Cluster& cluster, const Start& s, Time now) {
  const Job& job = cluster.jobs.at(s.job);
  const Partition& partition = *cluster.find_partition(s.partition);
  if (job.state != JobState::pending) return "it does not wait";
  if (job.hold != Hold::none) return "it is held";
  if (job.eligible > now) return "it is not eligible";
  if (partition.max_time && job.time_limit > *partition.max_time) return "it is too long";
  if (s.task ? !job.waiting_tasks.contains(*s.task) : job.is_array_record()) return "no such task";
  if (job.spec->dependency.empty()) return "";
  auto dependencies = parse_dependencies(job.spec->dependency);
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

// Components start all or none, on nodes of their own.
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

bool comes_before(const Cluster& cluster, JobId a, JobId b) {
  auto rank = [&](JobId id) {
    const Job& job = cluster.jobs.at(id);
    return std::tuple(-std::int64_t{cluster.find_partition(job.partition)->priority_tier},
                      -std::int64_t{job.priority}, id.value);
  };
  return rank(a) < rank(b);
}

// When `job` is promised a start if only it and those before it wait, and of what the plan started
// only the jobs before it do, or all.
Time promised_to(JobId job, const Cluster& before, const Plan& p, Time now,
                 bool with_later_starts) {
  Cluster cluster = before;
  Plan taken;
  for (const Start& s : p.starts)
    if (with_later_starts || s.job == job || comes_before(before, s.job, job))
      taken.starts.push_back(s);
  take_over(cluster, taken, now);
  // A job whose dependency the plan itself fulfils was not in line yet.
  auto was_in_line = [&](JobId id) {
    const Wait* wait = find_wait(p, id);
    return before.jobs.contains(id) && !(wait && wait->reason == Reason::dependency);
  };
  for (std::uint32_t id : cluster.pending.ids())
    if (!was_in_line(JobId{id}) || (JobId{id} != job && !comes_before(before, JobId{id}, job)))
      muster::apply(cluster, JobsHeld{.jobs = IdSet::range(id, id)});
  Plan after = plan(cluster, now);
  for (const Start& s : after.starts)
    if (s.job == job) return now;
  const Expected* e = find_expected(after, job);
  return e ? e->at : Time::max();
}

// What started must not push back the start that was promised to a job before it.
void check_promises(const Cluster& before, const Plan& p, Time now, Dice& dice) {
  if (!p.complete || p.expected.empty()) return;
  // What a QOS allows is not promised: a later job of the same user may use it up first.
  if (before.find_qos("few")) return;
  JobId job = p.expected[dice.upto(static_cast<std::uint32_t>(p.expected.size()) - 1)].job;
  // Nor are licenses.
  if (!before.jobs.at(job).spec->licenses.empty()) return;
  EXPECT_LE(promised_to(job, before, p, now, true), promised_to(job, before, p, now, false))
      << "job " << job.value << " is delayed by those after it";
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
      cpus += total(job.allocation).cpus;
    }
    EXPECT_LE(jobs, *qos->limits.per_user.jobs);
    EXPECT_LE(cpus, *amount_of(qos->limits.per_user.tres, "cpu"));
  }
}

void check_licenses(const Cluster& cluster) {
  std::uint32_t held = 0;
  for (std::uint32_t id : cluster.active.ids())
    if (auto own = parse_licenses(cluster, cluster.jobs.at(JobId{id}).spec->licenses))
      for (const auto& [name, count] : *own) held += count;
  EXPECT_LE(held, cluster.settings().licenses.front().second) << "more licenses than there are";
}

// Of jobs that hold the same CPU only one runs, and nobody waits for a turn that is free.
void check_turns(Cluster& cluster, Time now) {
  if (!cluster.settings().preempt.gang) return;
  take_turns(cluster, now);
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  std::map<NodeId, IdSet> busy;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.state != JobState::running) continue;
    for (const NodeShare& share : job.allocation) {
      EXPECT_FALSE(busy[share.node].intersects(share.cpus)) << "job " << id << " runs too early";
      busy[share.node].merge(share.cpus);
    }
  }
  Turns again = next_turns(cluster, now);
  EXPECT_TRUE(again.suspend.empty() && again.resume.empty()) << "turns do not settle";
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
    if (seed % 4 == 0) check_promises(cluster, p, now, dice);
    take_over(cluster, p, now);
    check_limits(cluster);
    check_licenses(cluster);
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
    check_turns(cluster, now);
    end_some(cluster, dice);
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  }
}

// Each case is a history of three plans, one on the other.
TEST(EveryPlan, IsSoundInRandomCases) {
  for (std::uint32_t seed = 1; seed <= MUSTER_RANDOM_CASES && !testing::Test::HasFailure(); ++seed)
    check_one_history(seed);
}

}  // namespace
}  // namespace muster::sched
