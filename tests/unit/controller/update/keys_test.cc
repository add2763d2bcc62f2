// The keys of scontrol update are in one table: the controller knows whatever the command accepts.
#include <gtest/gtest.h>

#include "controller/reservations/draft.h"
#include "controller/update/job_keys.h"
#include "controller/update/partition_keys.h"
#include "wire/update_keys.h"

namespace muster::controller::update_test {
namespace {

using Kind = wire::UpdateRequest::Kind;

TEST(UpdateKeys, AllHaveTheirEffect) {
  for (const wire::UpdateKey& key : wire::update_keys(Kind::job))
    EXPECT_TRUE(find_job_setter(key.name)) << key.name;
  for (const wire::UpdateKey& key : wire::update_keys(Kind::partition))
    EXPECT_TRUE(has_partition_setter(key.name)) << key.name;
  for (const wire::UpdateKey& key : wire::update_keys(Kind::reservation))
    EXPECT_TRUE(has_reservation_setter(key.name)) << key.name;
}

TEST(UpdateKeys, AreFoundByTheirBeginningsButByTheirOwnNamesFirst) {
  auto found = [](Kind kind, std::string_view word) {
    const wire::UpdateKey* key = wire::find_abbreviated_key(kind, word);
    return key ? key->name : "none";
  };
  EXPECT_EQ(found(Kind::job, "TimeL"), "TimeLimit");
  EXPECT_EQ(found(Kind::job, "name"), "Name");
  EXPECT_EQ(found(Kind::job, "Time"), "none");
  EXPECT_EQ(found(Kind::partition, "default"), "Default");
  EXPECT_EQ(found(Kind::partition, "PriorityT"), "PriorityTier");
  EXPECT_EQ(found(Kind::reservation, "Node"), "none");
  EXPECT_EQ(found(Kind::reservation, "nodecnt"), "NodeCnt");
}

TEST(UpdateKeys, SayYesAndNoInSeveralWays) {
  EXPECT_EQ(wire::parse_yes_no("y"), true);
  EXPECT_EQ(wire::parse_yes_no("No"), false);
  EXPECT_EQ(wire::parse_yes_no("0"), false);
  EXPECT_EQ(wire::parse_yes_no("2"), true);
  EXPECT_EQ(wire::parse_yes_no(""), std::nullopt);
  EXPECT_EQ(wire::parse_yes_no("maybe"), std::nullopt);
}

}  // namespace
}  // namespace muster::controller::update_test
