// The state follows what is said about accounts, and rights come from it.
#include "controller/accounts/follow.h"

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::accounts_test {
namespace {

using namespace muster::controller::test;

AssociationRow association(Text account, Text user = {}) {
  return {.cluster = "test",
          .association = {.key = {.account = std::move(account), .user = std::move(user)}}};
}

struct Follows : testing::Test {
  World w{ClusterBuilder().nodes(1)};
  void hear(std::vector<SiteRow> rows, bool is_all = false) {
    w.core.on_accounts({.version = 1, .rows = std::move(rows), .resets = {}, .is_all = is_all},
                       ReplyTo{}, wire::Done{}, w.now);
    w.run();
  }
  const Cluster& cluster() const { return w.core.cluster(); }
};

TEST_F(Follows, WhatDiffersBecomesAnEventOnce) {
  const std::vector<SiteRow> rows = {
      association("root"),
      association("lab"),
      association("lab", "alice"),
      QosRow{.id = 2, .qos = {.name = "fast", .priority = 7}},
      UserRow{.name = "alice", .admin_level = AdminLevel::operates},
      WckeyRow{.cluster = "test", .user = "alice", .name = "k", .is_default = true},
      AccountRow{.name = "lab", .coordinators = {"alice"}}};
  hear(rows);
  EXPECT_EQ((*cluster().associations).size(), 3u);
  EXPECT_EQ(cluster().find_qos("fast")->priority, 7u);
  EXPECT_EQ(cluster().find_user("alice")->default_wckey, "k");
  EXPECT_TRUE(cluster().coordinates("alice", "lab"));
  const auto commits = w.host.commits.size();
  hear(rows);
  EXPECT_EQ(w.host.commits.size(), commits);
}

TEST_F(Follows, AnotherClustersRowsDoNotMatter) {
  AssociationRow elsewhere = association("lab");
  elsewhere.cluster = "elsewhere";
  hear({elsewhere});
  EXPECT_TRUE((*cluster().associations).empty());
}

TEST_F(Follows, WhatIsNotInAWholeListIsGone) {
  hear({association("lab"), association("old"), QosRow{.qos = {.name = "q"}},
        UserRow{.name = "alice", .admin_level = AdminLevel::administers},
        AccountRow{.name = "lab", .coordinators = {"bob"}}});
  hear({association("lab"), AccountRow{.name = "lab"}}, true);
  EXPECT_EQ((*cluster().associations).size(), 1u);
  EXPECT_FALSE(cluster().find_qos("q"));
  EXPECT_FALSE(cluster().find_user("alice"));
  EXPECT_FALSE(cluster().coordinates("bob", "lab"));
}

TEST_F(Follows, AQosOfTheConfigurationStaysThere) {
  hear({QosRow{.qos = {.name = "filed"}, .defined_in = "slurm.conf:3"}});
  EXPECT_TRUE((*cluster().qos).empty());
}

TEST_F(Follows, DeletedRowsAreGone) {
  hear({association("lab"), QosRow{.qos = {.name = "q"}}});
  AssociationRow gone = association("lab");
  QosRow qos{.qos = {.name = "q"}};
  gone.times.deleted = qos.times.deleted = true;
  hear({gone, qos});
  EXPECT_TRUE((*cluster().associations).empty());
  EXPECT_FALSE(cluster().find_qos("q"));
}

// Who may cancel alice's job: its owner, administrators, and coordinators of its account.
TEST_F(Follows, RightsComeFromWhatWasHeard) {
  hear({UserRow{.name = "adam", .admin_level = AdminLevel::administers},
        UserRow{.name = "oscar", .admin_level = AdminLevel::operates},
        AccountRow{.name = "lab", .coordinators = {"carol"}}});
  auto may_cancel = [&](Text name) {
    JobRequest spec = job();
    spec.account = "lab";
    const auto id = w.submit(std::move(spec));
    w.core.on_request({1, 9999}, {Uid{4711}, Gid{100}, std::move(name)}, World::cancel_of(id),
                      w.now);
    w.run();
    const auto reply = std::get<wire::CancelReply>(w.host.replies.at(9999));
    w.host.replies.erase(9999);
    return reply.errors.empty();
  };
  EXPECT_TRUE(may_cancel("adam"));
  EXPECT_TRUE(may_cancel("carol"));
  EXPECT_FALSE(may_cancel("oscar"));
  EXPECT_FALSE(may_cancel("bob"));
  EXPECT_FALSE(may_cancel(""));
}

}  // namespace
}  // namespace muster::controller::accounts_test
