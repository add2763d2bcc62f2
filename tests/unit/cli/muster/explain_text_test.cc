// muster explain in words.
#include "cli/muster/explain_text.h"

#include <gtest/gtest.h>

#include "base/text/strings.h"

namespace muster::cli {
namespace {

constexpr Time kNow = from_unix_seconds(1'800'000'000);

wire::Explanation waiting() {
  JobRequest spec;
  spec.name = "train";
  spec.user_name = "alice";
  Job job;
  job.id = JobId{12};
  job.partition = "batch";
  job.submitted = job.eligible = kNow - Minutes{5};
  job.take_request(std::move(spec));
  wire::Explanation e;
  e.view.job = Cow(std::move(job));
  e.view.reason = "Priority";
  e.because = "Others come first.";
  e.position = 4;
  e.ahead = {{"bob", 2}, {"carol", 1}};
  e.view.expected_start = kNow + Minutes{90};
  e.view.scheduled_nodes = "n[1-2]";
  e.sooner = {{"with --time=01:00:00", kNow}};
  return e;
}

bool has(const std::string& text, std::string_view part) { return text.contains(part); }

TEST(Explanation, SaysWhatADeadlineWillDo) {
  wire::Explanation e = waiting();
  e.view.job.edit().time_limit = Minutes{30};
  e.view.job.edit().spec.edit().deadline = kNow + Minutes{180};
  std::string text = explanation_text({.now = kNow, .jobs = {e}});
  EXPECT_TRUE(has(text, "it has to end by then")) << text;
  e.view.job.edit().spec.edit().deadline = kNow + Minutes{100};
  text = explanation_text({.now = kNow, .jobs = {e}});
  EXPECT_TRUE(has(text, "it is cancelled then, unless it can start sooner")) << text;
}

TEST(Explanation, SaysWhyWhoIsBeforeItWhenAndWhatWouldHelp) {
  const std::string text = explanation_text({.now = kNow, .jobs = {waiting()}});
  EXPECT_TRUE(has(text, "Job 12 (train) of alice waits in partition batch")) << text;
  EXPECT_TRUE(has(text, "Others come first. [Priority]")) << text;
  EXPECT_TRUE(has(text, "3 jobs are before it: 2 of bob, 1 of carol")) << text;
  EXPECT_TRUE(has(text, "(in 01:30:00) on n[1-2]")) << text;
  EXPECT_TRUE(has(text, "with --time=01:00:00 it could start now")) << text;
}

TEST(Explanation, SaysHowLongAJobThatWasToldToGoHas) {
  wire::Explanation e = waiting();
  Job& job = e.view.job.edit();
  job.state = JobState::running;
  job.run.edit().started = kNow - Minutes{3};
  job.run.edit().allocation = {{.node = NodeId{1}}};
  job.preempted_by = JobId{40};
  job.run.edit().preemption = {.by = JobId{40},
                               .mode = PreemptMode::requeue,
                               .since = kNow - Seconds{30},
                               .kill_at = kNow + Seconds{90}};
  std::string text = explanation_text({.now = kNow, .jobs = {e}});
  EXPECT_TRUE(has(text, "job 40 needs the room; it has until ")) << text;
  EXPECT_TRUE(has(text, "(for 00:01:30) to save its work, then it goes back to the queue")) << text;
  job.run.edit().preemption->by = {};
  job.run.edit().preemption->mode = PreemptMode::cancel;
  text = explanation_text({.now = kNow, .jobs = {e}});
  EXPECT_TRUE(has(text, "its node is about to go down")) << text;
  EXPECT_TRUE(has(text, "then it ends")) << text;
}

TEST(Explanation, SaysWhatBecameOfAJobThatRan) {
  wire::Explanation e = waiting();
  Job& job = e.view.job.edit();
  job.state = JobState::preempted;
  job.run.edit().started = kNow - Minutes{3};
  job.run.edit().ended = kNow - Minutes{1};
  job.run.edit().allocation = {{.node = NodeId{1}}};
  job.run.edit().waited_for = "Resources";
  job.preempted_by = JobId{40};
  e.view.reason = "None";
  const std::string text = explanation_text({.now = kNow, .jobs = {e}});
  EXPECT_TRUE(has(text, "after 00:02:00 in the queue [Resources]")) << text;
  EXPECT_TRUE(has(text, "by job 40")) << text;
  EXPECT_TRUE(has(text, "PREEMPTED")) << text;
}

TEST(Explanation, SaysHowManyMoreThereAre) {
  EXPECT_TRUE(has(explanation_text({.now = kNow, .jobs = {waiting()}, .left_out = 7}), "7 more"));
}

}  // namespace
}  // namespace muster::cli
