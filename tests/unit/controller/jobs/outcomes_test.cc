// Jobs that ended long ago: what is kept of them, for whom and for how long. And the cost of array
// tasks with records of their own.
#include <gtest/gtest.h>

#include "base/codec/codec.h"
#include "controller/world.h"
#include "state/snapshot.h"

namespace muster::controller::jobs_test {
namespace {

using namespace muster::controller::test;

ClusterBuilder small(std::uint32_t most_jobs = 10000) {
  return ClusterBuilder().nodes(1).settings([=](Settings& s) {
    s.min_job_age = Seconds{10};
    s.max_job_count = most_jobs;
  });
}

// Lets a job run and end; it leaves its record MinJobAge later.
std::uint32_t ended(World& w, std::uint32_t status) {
  const auto id = w.submit(job());
  w.step_end(1, batch_of(id), status);
  w.gone(1, id);
  return id;
}

bool is_remembered(const World& w, std::uint32_t id) {
  return w.core.cluster().outcomes.contains(JobId{id});
}
bool has_record(const World& w, std::uint32_t id) {
  return w.core.cluster().jobs.contains(JobId{id});
}

TEST(Outcomes, AreKeptOfJobsThatOthersWaitFor) {
  World w{small()};
  const auto failed = ended(w, 256), unneeded = ended(w, 0);
  JobRequest held = job().dependency("afterok:" + std::to_string(failed));
  held.hold = true;
  const auto waits = w.submit(held);
  w.pass(Seconds{20});
  EXPECT_FALSE(has_record(w, failed));
  EXPECT_TRUE(is_remembered(w, failed));
  EXPECT_FALSE(has_record(w, unneeded));
  EXPECT_FALSE(is_remembered(w, unneeded));
  w.act(wire::JobAction::release, waits);
  w.pass(Seconds{10});
  EXPECT_EQ(w.job(waits).state, JobState::pending) << "it failed, and that is not forgotten";
  w.cancel(waits);
  w.pass(Seconds{1});
  EXPECT_FALSE(is_remembered(w, failed)) << "nobody asks any more";
}

TEST(Outcomes, OfACompletedJobLetOthersStart) {
  World w{small()};
  const auto good = ended(w, 0);
  JobRequest held = job().dependency("afterok:" + std::to_string(good));
  held.hold = true;
  const auto waits = w.submit(held);
  w.pass(Seconds{20});
  EXPECT_TRUE(is_remembered(w, good));
  w.act(wire::JobAction::release, waits);
  EXPECT_EQ(w.job(waits).state, JobState::running);
}

TEST(Outcomes, DoNotCountTowardsMaxJobCount) {
  World w{small(4)};
  std::string all = "afterany";
  for (int id = 2; id < 12; ++id) all += ":" + std::to_string(id);
  JobRequest pin = job().dependency(all);
  pin.hold = true;
  w.submit(pin);
  for (int i = 0; i < 10; ++i) {
    ended(w, 0);
    w.pass(Seconds{20});
  }
  EXPECT_EQ(w.core.cluster().jobs.size(), 1u);
  EXPECT_EQ(w.core.cluster().outcomes.size(), 10u);
}

TEST(Outcomes, OfTasksAnswerForTheirArray) {
  World w{small()};
  const auto array = w.submit(job().memory(100).array("0-1"));
  const auto first = w.core.cluster().find_task(JobId{array}, 0)->id.value;
  const auto second = w.core.cluster().find_task(JobId{array}, 1)->id.value;
  auto waiting_for = [&](const std::string& what) {
    JobRequest spec = job().memory(100).dependency(what);
    spec.hold = true;
    return w.submit(spec);
  };
  const std::string id = std::to_string(array);
  const auto all = waiting_for("afterok:" + id), one = waiting_for("afterok:" + id + "_0"),
             other = waiting_for("afterok:" + id + "_1"), failure = waiting_for("afternotok:" + id);
  for (auto [task, status] : {std::pair(first, 0u), std::pair(second, 256u)}) {
    w.step_end(1, batch_of(task), status);
    w.gone(1, task);
  }
  w.pass(Seconds{20});
  w.pass(Seconds{20});
  EXPECT_FALSE(has_record(w, first));
  EXPECT_FALSE(has_record(w, second));
  for (auto job : {all, one, other, failure}) w.act(wire::JobAction::release, job);
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(all).state, JobState::pending);
  EXPECT_EQ(w.job(other).state, JobState::pending);
  EXPECT_EQ(w.job(one).state, JobState::running);
  EXPECT_EQ(w.job(failure).state, JobState::running);
}

TEST(Outcomes, SurviveARestart) {
  World w{small()};
  const auto array = w.submit(job().array("0-1"));
  const auto first = w.core.cluster().find_task(JobId{array}, 0)->id.value;
  JobRequest spec = job().dependency("afterok:" + std::to_string(array));
  spec.hold = true;
  w.submit(spec);
  w.step_end(1, batch_of(first), 256);
  w.gone(1, first);
  w.pass(Seconds{20});
  const Cluster& before = w.core.committed();
  auto after = decode_snapshot(encode_snapshot(before));
  ASSERT_TRUE(after);
  EXPECT_TRUE(*after == before);
  EXPECT_EQ(broken_invariants(*after), std::vector<std::string>{});
}

TEST(Tasks, ThatAreTreatedApartCountTowardsMaxJobCount) {
  World w{small(5)};
  JobRequest array = job().array("0-9");
  array.hold = true;
  const auto id = w.submit(array);
  auto hold = [&](const char* tasks) {
    wire::JobActionRequest request{.action = wire::JobAction::hold,
                                   .jobs = {{.job = JobId{id}, .tasks = *IdSet::parse(tasks)}}};
    return std::get<wire::CancelReply>(w.answer(std::move(request)));
  };
  const auto reply = hold("0-4");
  ASSERT_EQ(reply.errors.size(), 1u);
  EXPECT_EQ(reply.errors[0].second.code, ErrorCode::too_many_jobs);
  EXPECT_EQ(w.core.cluster().jobs.size(), 1u) << "none, rather than some";
  EXPECT_TRUE(hold("0-3").errors.empty());
  EXPECT_EQ(w.core.cluster().jobs.size(), 5u);
  EXPECT_TRUE(hold("0-3").errors.empty()) << "they are apart already";
}

TEST(Tasks, AreFoundByTheirNumbers) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) {
    s.max_array_size = 20001;
    s.max_job_count = 30000;
  })};
  JobRequest array = job().array("0-19999");
  array.hold = true;
  const auto id = w.submit(array);
  wire::JobActionRequest request{.action = wire::JobAction::hold,
                                 .jobs = {{.job = JobId{id}, .tasks = IdSet::range(0, 19999)}}};
  for (int i = 0; i < 2; ++i)  // the second time each has a record of its own
    EXPECT_TRUE(std::get<wire::CancelReply>(w.answer(request)).errors.empty());
  EXPECT_EQ(w.core.cluster().find_task(JobId{id}, 12345)->task_id, 12345u);
}

TEST(Programs, GetNoStringThatTheSystemDoesNotTake) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) {
    s.programs.prolog = s.programs.prolog_at_start = true;
    s.request_limits.text = 1u << 20;
  })};
  w.submit(job().set(&JobRequest::comment, Text(std::string(200'000, 'c'))));
  const auto orders = w.take<wire::PrepareOrder>();
  ASSERT_EQ(orders.size(), 1u);
  bool has_comment = false;
  for (const std::string& variable : orders[0].second.environment) {
    EXPECT_LE(variable.size(), 32u << 10);
    has_comment |= variable.starts_with("SLURM_JOB_COMMENT=ccc");
  }
  EXPECT_TRUE(has_comment);
}

}  // namespace
}  // namespace muster::controller::jobs_test
