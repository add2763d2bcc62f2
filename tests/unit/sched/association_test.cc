// Limits of associations: the user's own, those of the accounts above, and those that a QOS
// overrides.
#include <gtest/gtest.h>

#include "builders.h"
#include "sched/limits/limits.h"

namespace muster::sched {
namespace {

using namespace muster::test;

constexpr std::string_view kStarts = "(no wait)";

// alice and bob belong to "low", which is below "top".
ClusterBuilder tree(std::string_view of_alice, std::string_view of_low = {},
                    std::string_view of_top = {}) {
  ClusterBuilder b;
  b.nodes(4).gpus(4);
  b.settings([](Settings& s) { s.enforce_limits = true; });
  b.account("top", {}, of_top).account("low", "top", of_low);
  b.user("low", "alice", of_alice).user("low", "bob").user("top", "carol");
  return b;
}

SpecBuilder small(SpecBuilder spec = job()) { return spec.account("low").memory(100); }

std::string one_waits_for(std::string_view of_alice, const SpecBuilder& spec) {
  return reason(plan(tree(of_alice).pending(small(spec)).build(), t0), 1);
}
std::string second_waits_for(ClusterBuilder b, const SpecBuilder& spec) {
  Plan p = plan(b.pending(small(spec)).pending(small(spec)).build(), t0);
  EXPECT_EQ(reason(p, 1), kStarts);
  return reason(p, 2);
}

TEST(Associations, AreCalledAsTheReferenceCallsThem) {
  EXPECT_EQ(one_waits_for("GrpTRES=cpu=1", job().cpus_per_task(2)), "AssocGrpCpuLimit");
  EXPECT_EQ(one_waits_for("GrpTRES=mem=10", job()), "AssocGrpMemLimit");
  EXPECT_EQ(one_waits_for("GrpTRES=node=1", job().nodes(2)), "AssocGrpNodeLimit");
  EXPECT_EQ(one_waits_for("GrpTRES=gres/gpu=1", job().gres("gpu:2")), "AssocGrpGRES");
  EXPECT_EQ(one_waits_for("GrpTRES=billing=1", job().cpus_per_task(2)), "AssocGrpBilling");
  EXPECT_EQ(one_waits_for("GrpTRESRunMins=cpu=5", job().minutes(10)), "AssocGrpCPURunMinutesLimit");
  EXPECT_EQ(one_waits_for("GrpJobs=0", job()), "AssocGrpJobsLimit");
  EXPECT_EQ(one_waits_for("MaxJobs=0", job()), "AssocMaxJobsLimit");
  EXPECT_EQ(one_waits_for("MaxTRES=cpu=1", job().cpus_per_task(2)), "AssocMaxCpuPerJobLimit");
  EXPECT_EQ(one_waits_for("MaxTRESPerNode=gres/gpu=1", job().gres("gpu:2")), "AssocMaxGRESPerNode");
  EXPECT_EQ(one_waits_for("MaxTRESMins=cpu=5", job().minutes(10)), "AssocMaxCpuMinutesPerJobLimit");
  EXPECT_EQ(one_waits_for("MaxTRESMins=node=5", job().minutes(10)), "AssocMaxNodeMinutesPerJob");
  EXPECT_EQ(one_waits_for("MaxWall=5", job().minutes(10)), "AssocMaxWallDurationPerJobLimit");
  EXPECT_EQ(one_waits_for("MaxWall=10 GrpJobs=1 MaxJobs=1", job().minutes(10)), kStarts);
}

TEST(Associations, OfAnAccountCountForAllBelowIt) {
  for (bool at_top : {false, true}) {
    auto b = at_top ? tree("", "", "GrpTRES=cpu=1") : tree("", "GrpTRES=cpu=1");
    b.pending(small()).pending(small().user(kBob));
    Plan p = plan(b.build(), t0);
    EXPECT_EQ(reason(p, 1), kStarts);
    EXPECT_EQ(reason(p, 2), "AssocGrpCpuLimit");
  }
  EXPECT_EQ(second_waits_for(tree("GrpTRES=cpu=8", "GrpTRES=cpu=1"), job()), "AssocGrpCpuLimit")
      << "a wider limit of one's own does not lift the account's";
}

TEST(Associations, InheritWhatEachUserMayDo) {
  EXPECT_EQ(second_waits_for(tree("", "", "MaxJobs=1"), job()), "AssocMaxJobsLimit");
  EXPECT_EQ(second_waits_for(tree("MaxJobs=2", "", "MaxJobs=1"), job()), kStarts)
      << "the nearest counts";
  auto b = tree("", "MaxJobs=1");
  b.pending(small()).pending(small().user(kBob));
  EXPECT_EQ(reason(plan(b.build(), t0), 2), kStarts) << "each user has his own";
}

TEST(Associations, AreOverriddenByTheSameLimitOfAQos) {
  auto with = [](std::string_view of_qos) {
    ClusterBuilder b;
    b.nodes(4).qos("normal", of_qos).settings([](Settings& s) { s.enforce_limits = true; });
    b.account("low").user("low", "alice", "GrpTRES=cpu=1,node=4");
    return reason(plan(b.pending(small(job().cpus_per_task(2))).build(), t0), 1);
  };
  EXPECT_EQ(with("GrpTRES=cpu=4"), kStarts);
  EXPECT_EQ(with("GrpTRES=mem=4000"), "AssocGrpCpuLimit");
  EXPECT_EQ(with("LimitFactor=2"), kStarts);
}

TEST(Associations, CountOnlyWhereTheyAreEnforced) {
  ClusterBuilder b;
  b.nodes(4).account("low").user("low", "alice", "MaxJobs=0");
  EXPECT_EQ(reason(plan(b.pending(small()).build(), t0), 1), kStarts);
}

TEST(Associations, OfOnePartitionComeBeforeThoseOfAll) {
  auto b = tree("MaxJobs=0");
  b.association({.key = {.account = "low", .user = "alice", .partition = "main"}, .parent = {}});
  EXPECT_EQ(reason(plan(b.pending(small()).build(), t0), 1), kStarts);
}

TEST(Associations, RefuseOneTooManyInTheQueue) {
  auto refused = [](ClusterBuilder b) {
    Cluster cluster = b.pending(small(job().hold())).build();
    const Job& job = cluster.jobs.at(JobId{1});
    std::vector<NodeShare> shares;
    LicenseCounts licenses;
    return refused_by_limit(cluster,
                            {&job, cluster.default_partition(), &shares, &licenses, Minutes{1}}, 1);
  };
  EXPECT_EQ(refused(tree("MaxSubmitJobs=1")), "AssocMaxSubmitJobLimit");
  EXPECT_EQ(refused(tree("", "", "GrpSubmitJobs=1")), "AssocGrpSubmitJobsLimit");
  EXPECT_EQ(refused(tree("MaxSubmitJobs=2")), "");
}

TEST(Associations, WithTooLittlePriorityArePromisedNothing) {
  auto promises = [](std::uint32_t least) {
    ClusterBuilder b;
    b.nodes(1).settings([](Settings& s) {
      s.priority.multifactor = true;
      s.priority.job_size = 1000;
    });
    b.account("low").association(
        {.key = {.account = "low", .user = "alice"}, .parent = {}, .min_priority = least});
    b.running(1).pending(job().account("low").nodes(1).tasks(8));
    return plan(b.build(), t0).expected.size();
  };
  EXPECT_EQ(promises(100), 1u);
  EXPECT_EQ(promises(2000), 0u);
}

}  // namespace
}  // namespace muster::sched
