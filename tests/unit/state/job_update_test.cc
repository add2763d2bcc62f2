// Updates of jobs: what they carry and what they leave alone.
#include "state/job_update.h"

#include <gtest/gtest.h>

#include "state/scenario.h"

namespace muster {
namespace {

using namespace muster::test;

// Three jobs as one user submits them: they share a specification.
Cluster three_jobs() {
  JobRequest request = job().nodes(2).minutes(60).features("fast");
  request.submit_line = "sbatch -N2 --time=60 --constraint=fast train.sh";
  request.work_dir = "/home/alice/experiments";
  Cluster cluster =
      ClusterBuilder().nodes(2).pending(request).pending(request).pending(request).build();
  for (std::uint32_t id : {2u, 3u})
    cluster.jobs.edit(JobId{id}).spec = cluster.jobs.at(JobId{1}).spec;
  return cluster;
}

TEST(JobUpdate, OfAJobThatStaysTheSameIsNone) {
  const Cluster cluster = three_jobs();
  Job after = cluster.jobs.at(JobId{2});
  after.take_request(after.request());
  EXPECT_EQ(job_update(cluster.jobs.at(JobId{2}), after), std::nullopt);
}

TEST(JobUpdate, ChangesWhatWasSetAndNothingElse) {
  Cluster cluster = three_jobs();
  const Job before = cluster.jobs.at(JobId{2});
  Job after = before;
  after.own.name = "other";
  after.spec.edit().features = {};
  after.spec.edit().time_limit = after.time_limit = Minutes{30};
  after.priority = 7;
  after.eligible = t0 + Seconds{9};
  muster::apply(cluster, *job_update(before, after));
  EXPECT_EQ(cluster.jobs.at(JobId{2}), after);
}

TEST(JobUpdate, LeavesTheJobsThatShareTheSpecificationAlone) {
  Cluster cluster = three_jobs();
  const Job other = cluster.jobs.at(JobId{1});
  Job after = cluster.jobs.at(JobId{2});
  after.spec.edit().nice = 50;
  muster::apply(cluster, *job_update(cluster.jobs.at(JobId{2}), after));
  EXPECT_EQ(cluster.jobs.at(JobId{2}).spec->nice, 50);
  EXPECT_EQ(cluster.jobs.at(JobId{1}), other);
  EXPECT_EQ(&*cluster.jobs.at(JobId{1}).spec, &*cluster.jobs.at(JobId{3}).spec);
}

TEST(JobUpdate, OfWhatIsTheJobsOwnLeavesTheSpecificationShared) {
  Cluster cluster = three_jobs();
  Job after = cluster.jobs.at(JobId{2});
  after.own.comment = "mine";
  muster::apply(cluster, *job_update(cluster.jobs.at(JobId{2}), after));
  EXPECT_EQ(cluster.jobs.at(JobId{2}).own.comment, "mine");
  EXPECT_EQ(&*cluster.jobs.at(JobId{2}).spec, &*cluster.jobs.at(JobId{1}).spec);
}

TEST(JobUpdate, LeavesWhatHappensToTheJobMeanwhile) {
  Cluster cluster = three_jobs();
  const Job before = cluster.jobs.at(JobId{2});
  Job after = before;
  after.own.comment = "mine";
  muster::apply(cluster, JobsHeld{.jobs = IdSet::range(2, 2), .hold = Hold::admin, .reason = "x"});
  muster::apply(cluster, *job_update(before, after));
  EXPECT_EQ(cluster.jobs.at(JobId{2}).hold, Hold::admin);
  EXPECT_EQ(cluster.jobs.at(JobId{2}).end_reason, "x");
}

// The journal's size follows what happened, not what a record has in it.
TEST(JobUpdate, TakesFewBytes) {
  const Cluster cluster = three_jobs();
  const Job& before = cluster.jobs.at(JobId{2});
  Job after = before;
  after.spec.edit().time_limit = after.time_limit = Minutes{30};
  EXPECT_LE(encode(EventEntry{*job_update(before, after)}).size(), 20u);
  EXPECT_GT(encode(EventEntry{JobSubmitted{before}}).size(), 100u);
}

TEST(NodeEvents, TakeFewBytes) {
  const NodeReason reason{.text = "broken fan", .by = kAlice, .at = t0};
  EXPECT_LE(encode(EventEntry{NodeDrained{.node = NodeId{9}, .reason = reason}}).size(), 36u);
  EXPECT_LE(encode(EventEntry{NodeCameUp{NodeId{9}}}).size(), 8u);
}

}  // namespace
}  // namespace muster
