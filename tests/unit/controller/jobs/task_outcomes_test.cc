// Outcomes of an action on an array, grouped by tasks.
#include "controller/world.h"

namespace muster::controller::jobs_test {
namespace {

using namespace muster::controller::test;

// "1_0-1: Job has already finished", as scontrol prints it.
std::vector<std::string> told(const wire::Answer& answer) {
  std::vector<std::string> lines;
  for (const auto& [ref, error] : std::get<wire::CancelReply>(answer).errors)
    lines.push_back(std::to_string(ref.job.value) + "_" + ref.tasks.text() + ": " + error.text());
  return lines;
}

wire::JobActionRequest hold(std::uint32_t job, IdSet tasks = {}) {
  return {.action = wire::JobAction::hold,
          .jobs = {{.job = JobId{job}, .tasks = std::move(tasks)}}};
}

// Tasks 0 and 1 were cancelled one by one; 2 and 3 wait.
class HalfGone : public ::testing::Test {
 protected:
  HalfGone() {
    w.submit(job());
    array = w.submit(job().array("0-3"));
    for (std::uint32_t task : {0u, 1u})
      w.answer(
          wire::CancelRequest{.jobs = {{.job = JobId{array}, .tasks = IdSet::range(task, task)}}});
  }
  World w{ClusterBuilder().nodes(1)};
  std::uint32_t array = 0;
};

TEST_F(HalfGone, TasksOfTheSameOutcomeAreToldTogether) {
  EXPECT_EQ(told(w.answer(hold(array))), (std::vector<std::string>{
                                             "2_0-1: Job has already finished",
                                             "2_2-3: No error",
                                         }));
  EXPECT_EQ(w.job(array).hold, Hold::user);
}

TEST_F(HalfGone, NothingIsToldWhereAllIsWell) {
  EXPECT_EQ(told(w.answer(hold(array, IdSet::range(2, 3)))), std::vector<std::string>{});
}

TEST_F(HalfGone, TasksThatTheArrayHasNotAreToldToo) {
  EXPECT_EQ(told(w.answer(hold(array, IdSet::range(3, 5)))), (std::vector<std::string>{
                                                                 "2_3: No error",
                                                                 "2_4-5: Invalid job id specified",
                                                             }));
}

TEST_F(HalfGone, ANamedTaskAnswersForItself) {
  EXPECT_EQ(told(w.answer(hold(array, IdSet::range(1, 1)))),
            (std::vector<std::string>{"2_1: Job has already finished"}));
}

TEST_F(HalfGone, AnUpdateTellsThemToo) {
  wire::UpdateRequest update{.kind = wire::UpdateRequest::Kind::job,
                             .settings = {{"JobId", std::to_string(array)}, {"Name", "other"}}};
  EXPECT_EQ(told(w.answer(update)), (std::vector<std::string>{
                                        "2_0-1: Job has already finished",
                                        "2_2-3: No error",
                                    }));
  EXPECT_EQ(w.job(array).own.name, "other");
}

}  // namespace
}  // namespace muster::controller::jobs_test
