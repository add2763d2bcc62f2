// Whenever memory runs out in the controller's core: what was asked for happens in the end as if it
// never had, the state is what the journal tells, and nothing is done twice.
#include <cstdlib>

#include "memory/play.h"

// clang-format off
void* operator new(std::size_t size) {
  if (muster::test::refusals.refuses()) throw std::bad_alloc();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// clang-format on

namespace muster::controller::test {
namespace {

using namespace std::chrono_literals;
using Act = std::function<void(Play&)>;

struct Piece {
  ClusterBuilder cluster;
  std::vector<Act> acts;
};

struct Outcome {
  std::string state;
  std::map<std::string, std::string> rows;
  std::map<std::pair<std::uint32_t, wire::StepRef>, int> launches;
  std::multiset<std::string> answers;
};

// Without the reason for which a job waited last: a plan that could not be carried out tells one.
std::string state_of(Cluster cluster) {
  std::vector<Job> jobs;
  cluster.jobs.each([&](const Job& job) { jobs.push_back(job); });
  for (const Job& job : jobs) cluster.jobs.edit(job.id).run.edit().waited_for = {};
  return encode_snapshot(cluster);
}

// Memory runs out in one of the acts.
Outcome perform(const Piece& piece, std::size_t scarce_act, std::size_t first, std::size_t count) {
  Play play{piece.cluster};
  for (std::size_t i = 0; i < piece.acts.size(); ++i) {
    if (i == scarce_act) muster::test::refusals = {.first = first, .count = count};
    piece.acts[i](play);
    if (i == scarce_act) muster::test::refusals.count = 0;
  }
  EXPECT_EQ(broken_invariants(play.cluster()), std::vector<std::string>{});
  EXPECT_EQ(encode_snapshot(play.replayed()), encode_snapshot(play.cluster()));
  return {state_of(play.cluster()), play.rows(), play.launches(), play.host.answers};
}

// At each allocation of each act, one or several in a row.
void ends_as_if_memory_sufficed(const Piece& piece) {
  const Outcome usual = perform(piece, piece.acts.size(), 0, 0);
  for (const auto& [launch, times] : usual.launches) EXPECT_EQ(times, 1);
  for (const std::size_t count : {1u, 30u}) {
    for (std::size_t act = 0; act < piece.acts.size(); ++act) {
      for (std::size_t first = 1;; first += count) {
        SCOPED_TRACE("act " + std::to_string(act) + ", allocation " + std::to_string(first) + ", " +
                     std::to_string(count) + " in a row");
        const Outcome outcome = perform(piece, act, first, count);
        if (muster::test::refusals.seen < first) break;  // all of the act has been seen
        EXPECT_TRUE(outcome.state == usual.state);
        EXPECT_TRUE(outcome.rows == usual.rows);
        EXPECT_TRUE(outcome.launches == usual.launches);
        EXPECT_TRUE(outcome.answers == usual.answers);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

// A user asks for this much of two CPUs.
JobRequest small() { return job().tasks(2).memory(100).minutes(5); }

wire::SubmitRequest srun(std::uint32_t nodes) {
  wire::SubmitRequest request{
      .spec = Cow(JobRequest(job().allocation().nodes(nodes).tasks(nodes).minutes(5)))};
  request.first_step.push_back({.num_tasks = nodes});
  return request;
}

wire::UpdateRequest update(std::uint32_t id, std::string key, std::string value) {
  return {.settings = {{"JobId", std::to_string(id)}, {std::move(key), std::move(value)}}};
}

wire::JobActionRequest action(wire::JobAction verb, std::uint32_t id) {
  return {.action = verb, .jobs = {{.job = JobId{id}}}, .name = {}};
}

wire::CancelRequest cancel(std::uint32_t id) {
  return {.jobs = {{.job = JobId{id}}}, .filter = std::nullopt};
}

ClusterBuilder with_accounting(std::uint32_t nodes) {
  return ClusterBuilder().nodes(nodes).settings([](Settings& s) { s.accounting = true; });
}

TEST(WithoutMemory, BatchJobsRunAndAreForgotten) {
  ends_as_if_memory_sufficed({with_accounting(1),
                              {[](Play& p) { p.submit(small()); },
                               [](Play& p) { p.submit(job().dependency("afterok:1").tasks(1)); },
                               [](Play& p) { p.all_steps_end(); }, [](Play& p) { p.pass(1s); },
                               [](Play& p) { p.all_steps_end(); }, [](Play& p) { p.pass(400s); },
                               [](Play& p) { p.pass(1s); }}});
}

TEST(WithoutMemory, AnArrayRuns) {
  ends_as_if_memory_sufficed({with_accounting(2),
                              {[](Play& p) { p.submit(job().array("0-2%2").tasks(1)); },
                               [](Play& p) { p.all_steps_end(); }, [](Play& p) { p.pass(1s); },
                               [](Play& p) { p.all_steps_end(); }}});
}

TEST(WithoutMemory, SrunGetsItsStepAndItsEnd) {
  std::uint64_t asked = 0;
  ends_as_if_memory_sufficed(
      {with_accounting(2),
       {[&](Play& p) { asked = p.put(srun(2)); }, [](Play& p) { p.all_steps_end(); },
        [&](Play& p) { p.ask(wire::ReleaseRequest{.job = JobId{1}, .exit_status = 0}); },
        [&](Play& p) { p.client_leaves(asked); }, [](Play& p) { p.pass(1s); }}});
}

TEST(WithoutMemory, StepsWaitForEachOther) {
  std::uint64_t first = 0, second = 0;
  auto step = [](std::optional<std::uint32_t> immediate_s = {}) {
    return wire::StepRequest{.job = JobId{1}, .num_tasks = 8, .immediate_s = immediate_s};
  };
  ends_as_if_memory_sufficed(
      {ClusterBuilder().nodes(1),
       {[](Play& p) { p.submit(job().allocation().nodes(1).tasks(8).minutes(5)); },
        [&](Play& p) { first = p.put(step()); }, [&](Play& p) { second = p.put(step()); },
        [&](Play& p) { p.put(step(5)); }, [](Play& p) { p.pass(6s); },
        [](Play& p) { p.all_steps_end(); }, [](Play& p) { p.all_steps_end(); },
        [](Play& p) { p.ask(wire::ReleaseRequest{.job = JobId{1}, .exit_status = 3}); }}});
}

TEST(WithoutMemory, AnAllocationWhoseCommandIsGoneEnds) {
  std::uint64_t salloc = 0, waiting = 0;
  ends_as_if_memory_sufficed(
      {with_accounting(1),
       {[&](Play& p) {
          salloc = p.put(
              wire::SubmitRequest{.spec = Cow(JobRequest(job().allocation().nodes(1).minutes(5)))});
        },
        [&](Play& p) {
          waiting =
              p.put(wire::WaitJobRequest{.job = JobId{1}, .ownership = wire::Ownership::take});
        },
        [&](Play& p) { p.client_leaves(salloc); }, [&](Play& p) { p.client_leaves(waiting); },
        [](Play& p) { p.pass(10s); }, [](Play& p) { p.pass(15s); }, [](Play& p) { p.pass(1s); }}});
}

TEST(WithoutMemory, TimeLimitsEndJobs) {
  ends_as_if_memory_sufficed(
      {with_accounting(1),
       {[](Play& p) { p.submit(job().tasks(1).minutes(1)); },
        [](Play& p) { p.submit(job().nodes(1).exclusive().set(&JobRequest::deadline, t0 + 90s)); },
        [](Play& p) { p.pass(61s); }, [](Play& p) { p.pass(60s); }, [](Play& p) { p.pass(60s); }}});
}

TEST(WithoutMemory, UsersChangeTheirJobs) {
  using enum wire::JobAction;
  ends_as_if_memory_sufficed(
      {with_accounting(1),
       {[](Play& p) { p.submit(job().hold().tasks(1)); },
        [](Play& p) { p.ask(update(1, "Comment", std::string(100, 'c'))); },
        [](Play& p) { p.ask(update(1, "TimeLimit", "7")); },
        [](Play& p) { p.ask(action(release, 1)); }, [](Play& p) { p.ask(action(requeue, 1)); },
        [](Play& p) { p.pass(200s); }, [](Play& p) { p.ask(cancel(1)); },
        [](Play& p) { p.pass(1s); }}});
}

TEST(WithoutMemory, ANodeIsLostAndComesBack) {
  ends_as_if_memory_sufficed(
      {ClusterBuilder().nodes(2).settings([](Settings& s) { s.slurmd_timeout = 30s; }),
       {[](Play& p) { p.submit(job().nodes(1).on("n1").tasks(1).requeue(true)); },
        [](Play& p) { p.leave(1); }, [](Play& p) { p.pass(20s); }, [](Play& p) { p.pass(20s); },
        [](Play& p) { p.join(1); }, [](Play& p) { p.pass(200s); },
        [](Play& p) { p.all_steps_end(); }}});
}

TEST(WithoutMemory, TriggersArePulled) {
  static constexpr Uid kSlurmUser{64030};
  auto set = [](TriggerEvent event, Seconds offset = {}) {
    return [=](Play& p) {
      const Trigger trigger{.event = event, .offset = offset, .program = "/bin/true"};
      EXPECT_TRUE(
          std::holds_alternative<wire::Done>(p.ask(wire::SetTriggerRequest{trigger}, kSlurmUser)));
    };
  };
  ends_as_if_memory_sufficed(
      {ClusterBuilder().nodes(2).settings([](Settings& s) { s.slurmd_timeout = 30s; }),
       {set(TriggerEvent::node_down, 1000s), set(TriggerEvent::node_up, 1000s),
        set(TriggerEvent::node_idle, 20s), [](Play& p) { p.leave(1); },
        [](Play& p) { p.pass(20s); }, [](Play& p) { p.pass(20s); },
        [](Play& p) { p.programs_end(); }, [](Play& p) { p.join(1); },
        [](Play& p) { p.pass(1s); }}});
}

TEST(WithoutMemory, ComponentsStartTogether) {
  ends_as_if_memory_sufficed(
      {with_accounting(2),
       {[](Play& p) {
          p.put(wire::SubmitRequest{.spec = Cow(JobRequest(job().nodes(1).tasks(1))),
                                    .components = {Cow(JobRequest(job().nodes(1).tasks(1)))}});
        },
        [](Play& p) { p.all_steps_end(); }, [](Play& p) { p.pass(1s); }}});
}

TEST(WithoutMemory, ProgramsOfTheSiteRun) {
  ends_as_if_memory_sufficed(
      {ClusterBuilder().nodes(1).settings([](Settings& s) {
         s.programs.prolog_slurmctld = s.programs.epilog_slurmctld = true;
         s.programs.prolog = s.programs.epilog = s.programs.prolog_at_start = true;
         s.programs.contain = true;
       }),
       {[](Play& p) {
          p.submit(job().tasks(1).set(&JobRequest::mail_type, kMailBegin | kMailEnd));
        },
        [](Play& p) { p.programs_end(); }, [](Play& p) { p.all_steps_end(); },
        [](Play& p) { p.programs_end(); }, [](Play& p) { p.submit(job().tasks(1)); },
        [](Play& p) { p.programs_end(false); }, [](Play& p) { p.ask(cancel(2)); }}});
}

TEST(WithoutMemory, JobsAreSuspendedAndPreempted) {
  using enum wire::JobAction;
  ends_as_if_memory_sufficed(
      {ClusterBuilder()
           .nodes(1)
           .partition({.name = "low"}, 1, 1)
           .partition({.name = "high", .priority_tier = 10}, 1, 1)
           .settings([](Settings& s) {
             s.preempt.type = PreemptType::partition_priority;
             s.preempt.mode = PreemptMode::requeue;
           }),
       {[](Play& p) { p.submit(job().nodes(1).tasks(8).minutes(5).requeue(true)); },
        [](Play& p) { p.ask(action(suspend, 1), kRoot); }, [](Play& p) { p.pass(5s); },
        [](Play& p) { p.ask(action(resume, 1), kRoot); },
        [](Play& p) { p.submit(job().nodes(1).tasks(8).partition("high").minutes(5)); },
        [](Play& p) { p.pass(5s); }, [](Play& p) { p.all_steps_end(); },
        [](Play& p) { p.pass(200s); }, [](Play& p) { p.all_steps_end(); }}});
}

TEST(WithoutMemory, ReservationsBeginAndEnd) {
  auto reserve = [](Play& p) {
    p.ask(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::reservation,
                              .settings = {{"ReservationName", "r"},
                                           {"StartTime", "now"},
                                           {"Duration", "1"},
                                           {"Nodes", "n1"},
                                           {"Users", "alice"},
                                           {"Flags", "PURGE_COMP"}},
                              .create = true},
          kRoot);
  };
  ends_as_if_memory_sufficed(
      {ClusterBuilder().nodes(2),
       {reserve, [](Play& p) { p.submit(job().tasks(1).set(&JobRequest::reservation, Text("r"))); },
        [](Play& p) { p.pass(5s); }, [](Play& p) { p.all_steps_end(); },
        [](Play& p) { p.pass(70s); }, [](Play& p) { p.pass(1s); }}});
}

TEST(WithoutMemory, TheClockAndTheConfigurationChange) {
  ends_as_if_memory_sufficed(
      {with_accounting(2),
       {[](Play& p) { p.submit(job().tasks(1).minutes(5)); },
        [](Play& p) { p.clock_steps(Minutes{60}); }, [](Play& p) { p.pass(1s); },
        [](Play& p) { p.reconfigure([](ClusterConfig& c) { c.settings.kill_wait = 7s; }); },
        [](Play& p) { p.pass(1s); }, [](Play& p) { p.all_steps_end(); }}});
}

}  // namespace
}  // namespace muster::controller::test
