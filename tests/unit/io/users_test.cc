// Users are looked up in the system only once.
#include "io/users.h"

#include <gtest/gtest.h>

namespace muster::io {
namespace {

TEST(Users, AreFoundOnceTheSystemWasAsked) {
  constexpr Uid kRoot{0}, kNobodysNumber{3'000'000'000};
  Users users;
  for (const Uid user : {kRoot, kNobodysNumber}) {
    EXPECT_FALSE(users.find(user)) << "nobody waits for the name service here";
    EXPECT_FALSE(users.is_fresh(user));
    (void)users.ask(user);
    EXPECT_TRUE(users.is_fresh(user));
  }
  ASSERT_TRUE(users.find(kRoot));
  EXPECT_EQ(users.find(kRoot)->name, "root");
  EXPECT_FALSE(users.find(kRoot)->groups.empty());
  ASSERT_TRUE(users.find(kNobodysNumber)) << "that there is none is known, too";
  EXPECT_TRUE(users.find(kNobodysNumber)->name.empty());
}

}  // namespace
}  // namespace muster::io
