// Lists of jobs: specifications are sent once, and put back into each job.
#include <gtest/gtest.h>

#include "wire/client_messages.h"

namespace muster::wire {
namespace {

JobView view(std::uint32_t id, std::uint32_t place) {
  Job job;
  job.id = JobId{id};
  return {.job = Cow(job), .spec_place = place};
}
Cow<JobSpec> spec(const char* account) {
  JobSpec spec;
  spec.account = account;
  return Cow(spec);
}

TEST(JobsReply, EachJobHasItsSpecificationAgain) {
  JobsReply sent{.jobs = {view(1, 2), view(2, 1), view(3, 2)}, .specs = {spec("a"), spec("b")}};
  auto read = decode<JobsReply>(encode(sent));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->jobs.size(), 3u);
  EXPECT_EQ(read->jobs[0].job->spec->account, "b");
  EXPECT_EQ(read->jobs[1].job->spec->account, "a");
  EXPECT_EQ(&*read->jobs[0].job->spec, &*read->jobs[2].job->spec);
}

TEST(JobsReply, AJobMayHoldItsOwn) {
  JobView own = view(1, 0);
  own.job.edit().spec = spec("own");
  auto read = decode<JobsReply>(encode(JobsReply{.jobs = {own}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->jobs[0].job->spec->account, "own");
}

TEST(JobsReply, APlaceBeyondTheListIsPassedOver) {
  auto read = decode<JobsReply>(encode(JobsReply{.jobs = {view(1, 3)}, .specs = {spec("a")}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->jobs[0].job->spec, JobSpec{});
}

}  // namespace
}  // namespace muster::wire
