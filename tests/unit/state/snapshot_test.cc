// The state as bytes, and the state as the sum of its events.
#include "state/snapshot.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"
#include "state/invariants.h"
#include "state/scenario.h"

namespace muster {
namespace {

using namespace muster::test;

TEST(Snapshot, ComesBackEqual) {
  Cluster cluster = eventful().build();
  auto back = decode_snapshot(encode_snapshot(cluster));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, cluster);
  EXPECT_EQ(encode_snapshot(*back), encode_snapshot(cluster));
}

TEST(Snapshot, OfNothingComesBackEqual) {
  auto back = decode_snapshot(encode_snapshot(Cluster{}));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, Cluster{});
}

TEST(Snapshot, ComesBackEqualAfterEveryEvent) {
  ClusterBuilder b = eventful();
  Cluster cluster;
  for (const Event& event : b.events()) {
    muster::apply(cluster, event);
    auto back = decode_snapshot(encode_snapshot(cluster));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, cluster) << "after kind " << event.index();
  }
}

TEST(Snapshot, MalformedBytesAreRefused) {
  std::string bytes = encode_snapshot(eventful().build());
  EXPECT_FALSE(decode_snapshot(std::string_view(bytes).substr(0, bytes.size() - 1)));
  EXPECT_FALSE(decode_snapshot("\xff\xff\xff"));
}

TEST(Snapshot, ACopyDoesNotChangeWithTheOriginal) {
  Cluster cluster = eventful().build();
  std::string before = encode_snapshot(cluster);
  Cluster copy = cluster;
  muster::apply(cluster, PendingJobsEnded{.jobs = IdSet::range(4, 4), .at = t0, .reason = {}});
  muster::apply(cluster, NodeChanged{.node = NodeId{1}, .drain = true});
  EXPECT_EQ(encode_snapshot(copy), before);
  EXPECT_NE(copy, cluster);
}

TEST(Journal, ReplayedFromBytesItGivesTheLiveState) {
  ClusterBuilder b = eventful();
  Cluster replayed;
  for (const Event& event : b.events()) {
    auto decoded = decode<EventEntry>(encode(EventEntry{event}));
    ASSERT_TRUE(decoded);
    muster::apply(replayed, decoded->event);
  }
  EXPECT_EQ(replayed, b.build());
}

TEST(Journal, OnTopOfASnapshotItGivesTheLiveState) {
  ClusterBuilder b = eventful();
  const auto& events = b.events();
  for (std::size_t cut : {events.size() / 3, events.size() / 2, events.size() - 1}) {
    Cluster cluster;
    for (std::size_t i = 0; i < cut; ++i) muster::apply(cluster, events[i]);
    auto back = decode_snapshot(encode_snapshot(cluster));
    ASSERT_TRUE(back);
    for (std::size_t i = cut; i < events.size(); ++i) muster::apply(*back, events[i]);
    EXPECT_EQ(*back, b.build());
  }
}

TEST(Snapshot, AJobWithoutASpecificationHasAnEmptyOne) {
  auto cluster = decode_snapshot("\x2a\x02\x08\x01");  // a list with one job that has only a number
  ASSERT_TRUE(cluster);
  EXPECT_EQ(*cluster->jobs.at(JobId{1}).spec, JobSpec{});
  EXPECT_FALSE(encode_snapshot(*cluster).empty());
}

}  // namespace
}  // namespace muster
