#include "controller/recent_specs.h"

#include <gtest/gtest.h>

namespace muster::controller {
namespace {

Cow<JobSpec> spec_of(std::uint32_t user, std::string_view name) {
  JobSpec spec;
  spec.uid = Uid{user};
  spec.name = Text(name);
  spec.work_dir = "/home/somebody/with/a/long/path";
  return Cow(std::move(spec));
}

TEST(RecentSpecs, GivesUsersWhoTakeTurnsTheirOwnSpecificationAgain) {
  RecentSpecs recent;
  const Cow<JobSpec> alices = recent.shared(spec_of(1, "train"));
  const Cow<JobSpec> bobs = recent.shared(spec_of(2, "train"));
  EXPECT_EQ(&*recent.shared(spec_of(1, "train")), &*alices);
  EXPECT_EQ(&*recent.shared(spec_of(2, "train")), &*bobs);
  EXPECT_NE(&*alices, &*bobs);
}

TEST(RecentSpecs, NeverGivesAwayOneThatDiffersInAnything) {
  RecentSpecs recent;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    Cow<JobSpec> asked = spec_of(1, "train");
    asked.edit().nice = static_cast<int>(i);
    EXPECT_EQ(*recent.shared(asked), *asked);
  }
}

TEST(RecentSpecs, LeavesOneThatIsChangedLaterToTheOthers) {
  RecentSpecs recent;
  Cow<JobSpec> changed = recent.shared(spec_of(1, "train"));
  changed.edit().nice = 5;
  EXPECT_EQ(recent.shared(spec_of(1, "train"))->nice, 0);
}

}  // namespace
}  // namespace muster::controller
