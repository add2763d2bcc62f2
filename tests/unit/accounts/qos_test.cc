// QOS, resources and clusters.
#include "accounts/site_world.h"

namespace muster::accounts::test {
namespace {

TEST(QosOfASite, ValuesFlagsAndListsAreSet) {
  SiteWorld w;
  w.must(add(Entity::qos, "low"));
  w.must(add(Entity::qos, "high")
             .set("Priority", "100")
             .set("Flags", "DenyOnLimit,NoDecay")
             .set("Preempt", "low")
             .set("MaxTRESPerUser", "gres/gpu=4")
             .set("MaxWallDurationPerJob", "1-00:00:00")
             .set("GraceTime", "30"));
  const Qos* high = &find_qos(w.site(), "high")->qos;
  EXPECT_EQ(high->priority, 100u);
  EXPECT_TRUE(high->deny_on_limit && high->no_decay);
  EXPECT_EQ(high->preempts, std::vector<Text>{"low"});
  EXPECT_EQ(high->limits.max_wall, Minutes{1440});
  w.must(modify(Entity::qos, "high")
             .set("Flags", "NoDecay", wire::SetHow::remove)
             .set("Priority", "")
             .set("MaxWallDurationPerJob", "-1")
             .set("Preempt", "low", wire::SetHow::remove));
  high = &find_qos(w.site(), "high")->qos;
  EXPECT_TRUE(high->deny_on_limit && !high->no_decay && high->preempts.empty());
  EXPECT_FALSE(high->limits.max_wall);
  w.must(modify(Entity::qos, "high").set("Flags", "-1"));
  EXPECT_FALSE(find_qos(w.site(), "high")->qos.deny_on_limit);
}

TEST(QosOfASite, BadOnesAreRefused) {
  SiteWorld w;
  w.must(add(Entity::qos, "q"));
  EXPECT_EQ(w.refusal(modify(Entity::qos, "q").set("Flags", "Shiny")), Problem::bad_value);
  EXPECT_EQ(w.refusal(modify(Entity::qos, "q").set("Preempt", "nobody")), Problem::unknown_qos);
  EXPECT_EQ(w.refusal(modify(Entity::qos, "q").set("Priority", "high")), Problem::bad_value);
  EXPECT_EQ(w.ask(add(Entity::qos, "q")).notes[0].problem, Problem::exists);
}

TEST(QosOfASite, OneThatIsRemovedIsInNoListAnyMore) {
  SiteWorld w;
  w.must(add(Entity::qos, "a,b"));
  w.must(modify(Entity::qos, "b").set("Preempt", "a"));
  w.must(add(Entity::account, "x").set("QOS", "a,normal").set("DefaultQOS", "a"));
  w.must(remove(Entity::qos, "a"));
  EXPECT_TRUE(find_qos(w.site(), "b")->qos.preempts.empty());
  EXPECT_EQ(w.association("x")->qos, std::vector<Text>{"normal"});
  EXPECT_TRUE(w.association("x")->default_qos.empty());
}

TEST(QosOfASite, WhatAFileDefinesIsShownAndChangedThere) {
  SiteWorld w;
  Registration registration{.cluster = {.name = "main"}, .qos = {}, .tres = {{"gres", "gpu"}}};
  registration.qos.emplace_back(Qos{.name = "file", .description = {}}, "slurm.conf:12");
  ASSERT_TRUE(w.service.enter(registration, kNow));
  auto reply = w.ask(modify(Entity::qos, "file").set("Priority", "1"));
  ASSERT_TRUE(reply.refusal);
  EXPECT_EQ(reply.refusal->problem, Problem::defined_in_file);
  EXPECT_EQ(reply.refusal->detail, "slurm.conf:12");
  EXPECT_EQ(w.refusal(remove(Entity::qos, "file")), Problem::defined_in_file);
  EXPECT_EQ(w.association("root")->qos, (std::vector<Text>{"file", "normal"}));
  EXPECT_EQ(rows_of<QosRow>(w.ask(show(Entity::qos))).size(), 2u);
  // Once the file no longer says so, it is a QOS like any other.
  registration.qos.clear();
  ASSERT_TRUE(w.service.enter(registration, kNow));
  w.must(modify(Entity::qos, "file").set("Priority", "1"));
}

TEST(Registrations, AnUnchangedClusterChangesNothing) {
  SiteWorld w;
  const Registration registration{
      .cluster = {.name = "main", .control_host = "head"}, .qos = {}, .tres = {{"gres", "gpu"}}};
  auto first = w.service.enter(registration, kNow);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->empty());
  auto again = w.service.enter(registration, kNow + Seconds{60});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->empty());
  EXPECT_GT(w.site().tres.at({"gres", "gpu"}).id, 1000u);
}

TEST(Resources, ClustersShareAtMostAllOfThem) {
  SiteWorld w;
  w.must(add(Entity::cluster, "west"));
  w.must(add(Entity::resource, "matlab")
             .on("Cluster", "main")
             .on("Server", "flex")
             .set("Count", "50")
             .set("Type", "License")
             .set("PercentAllowed", "60"));
  EXPECT_EQ(w.refusal(add(Entity::resource, "matlab")
                          .on("Cluster", "west")
                          .on("Server", "flex")
                          .set("PercentAllowed", "50")),
            Problem::bad_value);
  w.must(add(Entity::resource, "matlab")
             .on("Cluster", "west")
             .on("Server", "flex")
             .set("PercentAllowed", "40"));
  w.must(remove(Entity::resource, "matlab").on("Cluster", "west"));
  auto rows = rows_of<ResourceRow>(w.ask(show(Entity::resource)));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].allowed_percent.size(), 1u);
  EXPECT_EQ(rows[0].count, 50u);
}

}  // namespace
}  // namespace muster::accounts::test
