// Data on disk stays readable: events, snapshots and accounting rows as earlier versions wrote
// them.
#include "golden.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "model/accounts/accounting_record.h"
#include "model/accounts/usage_row.h"
#include "state/invariants.h"
#include "state/scenario.h"
#include "state/snapshot.h"

namespace muster {
namespace {

using namespace muster::test;

TEST(Golden, EveryEventIsWrittenAsItWas) {
  expect_golden<Event>("events", [](Event event) { return EventEntry{std::move(event)}; });
}

TEST(Golden, EveryRowOfAccountingIsWrittenAsItWas) {
  expect_golden_structs<JobRecord, StepRecord, EventRecord, ReservationRecord, UsageRow>(
      "accounting");
}

TEST(Golden, WhatSnapshotsConsistOfIsWrittenAsItWas) {
  expect_golden_structs<ClusterConfig, Node, Partition, Job, Reservation, OwedEpilog, Association,
                        UsageBook, JobOutcome, Trigger>("snapshot_parts");
}

// Appends the events that the file lacks.
void extend(GoldenFile& journal) {
  ClusterBuilder history = eventful();
  const std::vector<Event>& events = history.events();
  const std::size_t known = journal.lines().size();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string bytes = encode(EventEntry{events[i]});
    if (i < known) {
      ASSERT_EQ(bytes, journal.lines()[i].bytes) << "add to the end of eventful()";
      continue;
    }
    journal.append(std::visit([]<class E>(const E&) { return kind_name<E>(); }, events[i]), bytes);
  }
  journal.save();
}

// A short history with every kind of event, and the state that it leads to.
TEST(Golden, AJournalLeadsToTheStateThatItLedTo) {
  GoldenFile journal("journal"), snapshot("snapshot");
  if (journal.is_extended()) extend(journal);
  Cluster cluster;
  std::set<std::size_t> kinds;
  for (const GoldenFile::Line& line : journal.lines()) {
    auto entry = decode<EventEntry>(line.bytes);
    ASSERT_TRUE(entry) << line.kind << " cannot be read any more";
    EXPECT_EQ(encode(*entry), line.bytes) << line.kind;
    muster::apply(cluster, entry->event);
    kinds.insert(entry->event.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Event>) << "the journal lacks a kind";
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  snapshot.expect("Snapshot", encode_snapshot(cluster));
  snapshot.save();
}

TEST(Golden, SnapshotsOfEarlierVersionsAreRead) {
  for (const GoldenFile::Line& line : GoldenFile("snapshot").lines()) {
    auto cluster = decode_snapshot(line.bytes);
    ASSERT_TRUE(cluster);
    EXPECT_EQ(encode_snapshot(*cluster), line.bytes);
    EXPECT_EQ(broken_invariants(*cluster), std::vector<std::string>{});
    EXPECT_GT(cluster->jobs.size(), 3u);
  }
}

}  // namespace
}  // namespace muster
