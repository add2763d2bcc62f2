// Events say what happened. The other way to tell a change is the whole record as it is afterwards;
// here random events and such records lead to the same state, also by way of their bytes.
#include <gtest/gtest.h>

#include "dice.h"
#include "golden.h"
#include "state/invariants.h"
#include "state/scenario.h"
#include "state/snapshot.h"

namespace muster {
namespace {

using namespace muster::test;

constexpr std::uint32_t kCases = 200, kEventsEach = 40;

void expect_same(const Cluster& by_events, const Cluster& by_bytes, const Cluster& by_records,
                 const Event& last) {
  ASSERT_EQ(by_events, by_records) << "kind " << last.index();
  ASSERT_EQ(by_bytes, by_records) << "kind " << last.index();
}

void expect_sound(const Cluster& cluster) {
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  auto back = decode_snapshot(encode_snapshot(cluster));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, cluster);
}

void apply_bytes(Cluster& cluster, const Event& event) {
  const std::string bytes = encode(EventEntry{event});
  auto entry = decode<EventEntry>(bytes);
  ASSERT_TRUE(entry);
  EXPECT_EQ(encode(*entry), bytes);
  muster::apply(cluster, entry->event);
}

// --- nodes ---

// Sets a node's record as a whole.
void replace(Cluster& cluster, Node after) {
  const auto& configured = (*cluster.config).nodes.at(after.id.value - 1);
  after.config.hostname =
      !after.given.hostname.empty()
          ? after.given.hostname
          : (after.claim.hostname.empty() ? configured.hostname : after.claim.hostname);
  after.config.address =
      !after.given.address.empty()
          ? after.given.address
          : (after.claim.hostname.empty() ? configured.address : after.claim.address);
  cluster.nodes.edit(after.id) = std::move(after);
}

struct NodeDice {
  Dice& dice;

  Time time() { return t0 + Seconds{dice.upto(1000)}; }
  Text text() { return dice.one_in(4) ? Text() : Text("t" + std::to_string(dice.upto(9))); }
  std::optional<NodeReason> reason() {
    if (dice.one_in(2)) return std::nullopt;
    if (dice.one_in(3)) return NodeReason{};
    return NodeReason{.text = text(), .by = Uid{dice.upto(3)}, .at = time()};
  }
  NodeClaim machine() {
    if (dice.one_in(3)) return {};
    return {.hostname = text(), .address = text()};
  }
  std::vector<Text> texts() { return std::vector<Text>(dice.upto(2), text()); }
  template <class T>
  std::optional<T> maybe(T value) {
    return dice.one_in(3) ? std::optional(std::move(value)) : std::nullopt;
  }
};

void say_reason(Node& node, const std::optional<NodeReason>& reason) {
  if (!reason) return;
  node.reason = reason->text;
  node.reason_uid = reason->by;
  node.reason_time = reason->at;
}

// An event of the node and, in `after`, what the whole record says of it.
Event random_event(Dice& dice, Node& after) {
  NodeDice d{dice};
  const NodeId node = after.id;
  const auto reason = d.reason();
  const Time at = d.time();
  auto with_reason = [&](auto event) -> Event {
    say_reason(after, reason);
    event.reason = reason;
    return event;
  };
  switch (dice.upto(14)) {
    case 0:
      after.health = NodeHealth::up;
      after.responding = true;
      after.future = false;
      return with_reason(NodeCameUp{node});
    case 1:
      after.responding = true;
      after.future = false;
      return NodeAnswered{node};
    case 2:
      after.responding = false;
      return with_reason(NodeFellSilent{node});
    case 3:
      after.health = NodeHealth::down;
      return with_reason(NodeWentDown{node});
    case 4:
      after.drain = true;
      return with_reason(NodeDrained{node});
    case 5:
      after.fail = true;
      return with_reason(NodeDrained{.node = node, .fail = true});
    case 6:
      after.drain = after.fail = false;
      return with_reason(NodeUndrained{node});
    case 7: {
      const bool responding = dice.one_in(2);
      after.drain = after.fail = after.future = false;
      after.health = NodeHealth::up;
      after.responding = responding;
      say_reason(after, NodeReason{});
      return NodeResumed{.node = node, .responding = responding};
    }
    case 8:
      after.future = true;
      after.claim = {};
      return NodeMadeFuture{node};
    case 9:
      after.drain = after.fail = after.future = after.responding = false;
      after.health = NodeHealth::unknown;
      after.claim = d.machine();
      say_reason(after, NodeReason{});
      return NodeClaimed{.node = node, .by = after.claim};
    case 10: {
      const auto phase = static_cast<PowerPhase>(dice.upto(3));
      after.power = {.phase = phase, .since = at};
      if (phase == PowerPhase::powering_down) after.drain = false;
      if (phase == PowerPhase::powering_up) after.health = NodeHealth::up;
      if (phase == PowerPhase::off) {
        after.responding = false;
        after.given = {};
      }
      return with_reason(NodePowerChanged{.node = node, .phase = phase, .at = at});
    }
    case 11:
      after.power.down_asked = dice.one_in(2);
      return with_reason(NodePowerDownAsked{.node = node, .withdrawn = !after.power.down_asked});
    case 12: {
      const bool asap = dice.one_in(2);
      after.reboot = {.asked = true, .asap = asap, .next_state = d.text(), .since = at};
      after.drain |= asap;
      return with_reason(NodeRebootAsked{
          .node = node, .asap = asap, .next_state = after.reboot.next_state, .at = at});
    }
    case 13: {
      if (after.reboot.asked) {
        after.reboot.asked = false;
        after.reboot.issued = true;
        after.reboot.since = at;
        return NodeRebootIssued{.node = node, .at = at};
      }
      const bool undrains = dice.one_in(2);
      after.reboot = {};
      after.drain &= !undrains;
      return with_reason(NodeRebootEnded{.node = node, .undrains = undrains});
    }
    default: {
      NodeUpdated update{.node = node,
                         .reason = reason,
                         .comment = d.maybe(d.text()),
                         .extra = d.maybe(d.text()),
                         .weight = d.maybe(dice.upto(9)),
                         .available_features = d.maybe(d.texts()),
                         .active_features = d.maybe(d.texts()),
                         .cpu_bind = d.maybe(d.text()),
                         .given = d.maybe(d.machine())};
      say_reason(after, reason);
      if (update.comment) after.comment = *update.comment;
      if (update.extra) after.extra = *update.extra;
      if (update.weight) after.config.weight = *update.weight;
      if (update.available_features) after.config.features = *update.available_features;
      if (update.active_features) after.active_features = *update.active_features;
      if (update.cpu_bind) after.config.cpu_bind = *update.cpu_bind;
      if (update.given) after.given = *update.given;
      return update;
    }
  }
}

TEST(EventsAgainstRecords, OfNodesLeadToTheSameState) {
  for (std::uint32_t seed = 1; seed <= kCases; ++seed) {
    Dice dice(seed);
    ClusterBuilder b;
    b.nodes(3).features({"fast"}).node_config([](NodeConfig& node) {
      node.hostname = "h-" + node.name.str();
      node.address = "a-" + node.name.str();
    });
    Cluster by_events = b.build(), by_bytes = by_events, by_records = by_events;
    for (std::uint32_t i = 0; i < kEventsEach; ++i) {
      Node after = by_records.nodes.at(NodeId{dice.between(1, 3)});
      const Event event = random_event(dice, after);
      muster::apply(by_events, event);
      apply_bytes(by_bytes, event);
      replace(by_records, std::move(after));
      ASSERT_NO_FATAL_FAILURE(expect_same(by_events, by_bytes, by_records, event))
          << "seed " << seed;
    }
    expect_sound(by_events);
  }
}

// --- jobs ---

// Changes some fields, a few of them to their defaults.
struct Meddler {
  Dice& dice;
  template <class T>
  void operator()(std::uint32_t, T& field) {
    if (!dice.one_in(12)) return;
    if (dice.one_in(3)) field = T{};
    if (dice.one_in(3)) return;
    Filler().fill(dice.between(1, 300), field);
  }
};

TEST(EventsAgainstRecords, OfJobsLeadToTheSameState) {
  for (std::uint32_t seed = 1; seed <= kCases; ++seed) {
    Dice dice(seed);
    ClusterBuilder b;
    // They share a specification until one of them is changed.
    Cluster by_events = b.nodes(1).pending(job()).pending(job()).pending(job()).build();
    for (std::uint32_t id : {2u, 3u})
      by_events.jobs.edit(JobId{id}).spec = by_events.jobs.at(JobId{1}).spec;
    Cluster by_bytes = by_events, by_records = by_events;
    for (std::uint32_t i = 0; i < kEventsEach; ++i) {
      const Job before = by_records.jobs.at(JobId{dice.between(1, 3)});
      Job after = before;
      Meddler meddler{dice};
      JobRequest request = before.request();
      request.fields(meddler);
      after.take_request(std::move(request));
      meddler(1, after.priority), meddler(2, after.partitions), meddler(3, after.account);
      meddler(4, after.qos), meddler(5, after.time_limit), meddler(6, after.task_limit);
      meddler(7, after.eligible), meddler(8, after.priority_fixed);
      const auto update = job_update(before, after);
      ASSERT_EQ(update.has_value(), before != after);
      if (!update) continue;
      muster::apply(by_events, *update);
      apply_bytes(by_bytes, *update);
      by_records.jobs.edit(after.id) = after;
      ASSERT_NO_FATAL_FAILURE(expect_same(by_events, by_bytes, by_records, *update))
          << "seed " << seed;
    }
    expect_sound(by_events);
  }
}

}  // namespace
}  // namespace muster
