// Equal parts of recent jobs are stored once.
#include "model/job/shared_parts.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Cow<JobSpec> spec_of(std::uint32_t user, std::string_view account) {
  JobSpec spec;
  spec.uid = Uid{user};
  spec.account = Text(account);
  spec.submit_host = "a.login.node.with.a.long.name";
  return Cow(std::move(spec));
}

Job job_named(const std::string& name) {
  Job job;
  job.spec = spec_of(1, "train");
  job.own.name = Text(name);
  job.own.work_dir = "/home/alice/project";
  job.own.dependency = "afterok:12";
  job.partition = "gpu";
  return job;
}

TEST(SharedParts, GivesUsersWhoTakeTurnsTheirOwnSpecificationAgain) {
  SharedParts parts;
  const Cow<JobSpec> alices = parts.shared(spec_of(1, "train"));
  const Cow<JobSpec> bobs = parts.shared(spec_of(2, "train"));
  EXPECT_EQ(&*parts.shared(spec_of(1, "train")), &*alices);
  EXPECT_EQ(&*parts.shared(spec_of(2, "train")), &*bobs);
  EXPECT_NE(&*alices, &*bobs);
}

TEST(SharedParts, KeepsSpecificationsThatDifferInOneThingSideBySide) {
  SharedParts parts;
  Cow<JobSpec> held = spec_of(1, "train");
  held.edit().hold = true;
  const Cow<JobSpec> first_held = parts.shared(held), first = parts.shared(spec_of(1, "train"));
  EXPECT_EQ(&*parts.shared(held), &*first_held);
  EXPECT_EQ(&*parts.shared(spec_of(1, "train")), &*first);
}

TEST(SharedParts, NeverSharesSpecificationsThatDiffer) {
  SharedParts parts;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    Cow<JobSpec> asked = spec_of(1, "train");
    asked.edit().nice = static_cast<int>(i);
    EXPECT_EQ(*parts.shared(asked), *asked);
  }
}

TEST(SharedParts, LeavesOneThatIsChangedLaterToTheOthers) {
  SharedParts parts;
  Cow<JobSpec> changed = parts.shared(spec_of(1, "train"));
  changed.edit().nice = 5;
  EXPECT_EQ(parts.shared(spec_of(1, "train"))->nice, 0);
}

TEST(SharedParts, LeavesAJobAsItIsAndSharesWhatIsEqual) {
  SharedParts parts;
  int shared = 0;  // usually: two texts may have the same slot and replace each other
  for (int i = 0; i < 5000; ++i) {
    Job a = job_named("run-" + std::to_string(i)), b = job_named("run-" + std::to_string(i));
    parts.share(a);
    parts.share(b);
    EXPECT_EQ(a, job_named("run-" + std::to_string(i)));
    EXPECT_EQ(a, b);
    EXPECT_EQ(&*a.spec, &*b.spec);
    shared += a.own.work_dir.shares_with(b.own.work_dir) + a.partition.shares_with(b.partition);
    EXPECT_EQ(&a.own.dependency.parsed(), &b.own.dependency.parsed());
  }
  EXPECT_GT(shared, 9900);
}

}  // namespace
}  // namespace muster
