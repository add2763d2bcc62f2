// Every field of a JobRequest is in one of the lists, and a user can set only the user's fields.
#include "controller/submit/user_fields.h"

#include "controller/world.h"

namespace muster::controller::test::submit_test {
namespace {

struct Addresses {  // the addresses of all fields, by number
  std::map<std::uint32_t, const void*> of;
  template <class T>
  void operator()(std::uint32_t number, T& value) {
    of[number] = &value;
  }
};

TEST(UserFields, EveryFieldOfAJobIsDecidedOnOnce) {
  JobRequest spec;
  Addresses all;
  spec.fields(all);
  std::multiset<const void*> decided;
  auto add = [&](auto... member) { (decided.insert(&(spec.*member)), ...); };
  std::apply(add, kUserFields);
  std::apply(add, kOperatorFields);
  std::apply(add, kDaemonFields);
  for (const auto& [number, address] : all.of)
    EXPECT_EQ(decided.count(address), 1u)
        << "field " << number
        << " of JobRequest: whose word is it? (controller/submit/user_fields.h)";
  EXPECT_EQ(decided.size(), all.of.size());
}

JobRequest forged() {
  JobRequest spec = job().minutes(500);
  spec.time_limit_granted = true;
  spec.site_factor = 2'000'000'000;
  spec.admin_comment = "forged";
  spec.priority = 4'000'000'000;
  return spec;
}

TEST(UserFields, WhatOnlyAdministratorsSayIsDroppedOfOthers) {
  World w{ClusterBuilder().nodes(1)};
  const JobSpec& alices = *w.job(w.submit(forged())).spec;
  EXPECT_FALSE(alices.time_limit_granted);
  EXPECT_EQ(alices.site_factor, 0);
  EXPECT_EQ(alices.admin_comment, "");
  EXPECT_EQ(alices.priority, std::nullopt);
  EXPECT_EQ(alices.time_limit, Minutes{500});
  EXPECT_EQ(alices.user_name, "alice");
  JobRequest for_root = forged();
  for_root.uid = kRoot;
  const JobSpec& roots = *w.job(w.submit(for_root, kRoot)).spec;
  EXPECT_TRUE(roots.time_limit_granted);
  EXPECT_EQ(roots.admin_comment, "forged");
}

TEST(Times, AreThoseThatCanBeCountedWith) {
  World w{ClusterBuilder().nodes(1)};
  JobRequest spec = job();
  spec.time_limit = Minutes{1ll << 62};
  spec.begin = Time{Millis{1ll << 62}};
  const Job& accepted = w.job(w.submit(spec));
  EXPECT_EQ(accepted.spec->time_limit, kUnlimited);
  EXPECT_LT(accepted.own.begin, from_unix_seconds(260'000'000'000));
  spec.time_limit = Minutes{-5};
  EXPECT_EQ(std::get<Error>(w.try_submit(spec)).code, ErrorCode::invalid_time_limit);
}

}  // namespace
}  // namespace muster::controller::test::submit_test
