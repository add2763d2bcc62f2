// Each option of sacct, on a morning whose answers were observed on Slurm (scenario.h).
#include <gtest/gtest.h>

#include <map>

#include "accounting/query.h"

#include "accounting/memory_store.h"
#include "accounting/scenario.h"

namespace muster::accounting {

namespace {

using Ids = std::vector<std::string>;

class Query : public testing::Test {
 protected:
  Query() { EXPECT_TRUE(store_.ingest(morning(), 1)); }
  Ids ask(const wire::AccountingRequest& request) { return ids(query(store_, request, kNow)); }

  MemoryStore store_;
};

}  // namespace

TEST_F(Query, ListsEligibleJobsBySubmissionThenArraysByTask) {
  EXPECT_EQ(ask(allocations()),
            (Ids{"20", "22", "23", "24", "19_0", "19_1", "19_2", "19_3", "96", "99_0"}));
}

TEST_F(Query, OfOneUserAloneWhateverIsAsked) {
  auto of = [&](std::uint32_t uid) {
    auto rows = query(store_, allocations(), kNow, Uid{uid});
    EXPECT_TRUE(rows);
    return rows ? std::move(*rows) : std::vector<AccountingRow>{};
  };
  auto everybody = query(store_, allocations(), kNow);
  ASSERT_TRUE(everybody);
  std::map<std::uint32_t, std::size_t> count;
  for (const AccountingRow& row : *everybody) ++count[row.job.uid.value];
  for (const auto& [uid, rows] : count) EXPECT_EQ(of(uid).size(), rows);
  EXPECT_EQ(of(4711).size(), 0u);
}

TEST_F(Query, ListsStepsBatchFirst) {
  EXPECT_EQ(ask(of_jobs({ref(20)})), (Ids{"20", "20.batch", "20.extern", "20.0", "20.1"}));
}

TEST_F(Query, ShowsJobsByIdBeforeTheyAreEligible) {
  EXPECT_EQ(ask(of_jobs({ref(21), ref(28)})), (Ids{"21", "28"}));
}

TEST_F(Query, TakesAnArraysIdForAllItsTasksAndWhatWaits) {
  EXPECT_EQ(ask(of_jobs({ref(99)})), (Ids{"99_0", "99_[1-5%2]"}));
  EXPECT_EQ(ask(of_jobs({ref(19)})), (Ids{"19_0", "19_1", "19_2", "19_3"}));
}

TEST_F(Query, TakesATasksOwnJobIdAndItsArrayName) {
  EXPECT_EQ(ask(of_jobs({ref(26)})), (Ids{"19_1"}));
  EXPECT_EQ(ask(of_jobs({ref(19, *IdSet::parse("1")), ref(19, *IdSet::parse("3"))})),
            (Ids{"19_1", "19_3"}));
  EXPECT_EQ(ask(of_jobs({ref(99, *IdSet::parse("4"))})), Ids{});
}

TEST_F(Query, ShowsOnlyTheStepsAskedFor) {
  EXPECT_EQ(ask(of_jobs({ref(20, {}, StepId{0})})), (Ids{"20.0"}));
  EXPECT_EQ(ask(of_jobs({ref(20, {}, kBatchStep), ref(20, {}, StepId{1})})),
            (Ids{"20.batch", "20.1"}));
  EXPECT_EQ(ask(of_jobs({ref(20, {}, StepId{0}), ref(20)})), (Ids{"20", "20.0"}));
  auto request = of_jobs({ref(20, {}, StepId{0})});
  request.allocations_only = true;
  EXPECT_EQ(ask(request), (Ids{"20"}));
}

TEST_F(Query, ShowsEarlierRunsOnlyAsDuplicates) {
  auto request = of_jobs({ref(24)});
  EXPECT_EQ(ask(request), (Ids{"24"}));
  EXPECT_EQ(query(store_, request, kNow)->front().job.attempt, Attempt{2});
  request.duplicates = true;
  EXPECT_EQ(ask(request), (Ids{"24", "24.batch", "24"}));
}

TEST_F(Query, ShowsAnEarlierRunWhereTheLatestDoesNotMatch) {
  auto request = allocations();
  request.names = {"rq"};
  ASSERT_EQ(ask(request), (Ids{"24"}));
  EXPECT_EQ(query(store_, request, kNow)->front().job.state_text, "REQUEUED");
}

TEST_F(Query, FiltersByNamesWithoutCase) {
  auto only = [&](auto member, std::vector<Text> values) {
    auto request = allocations();
    request.*member = std::move(values);
    return ask(request);
  };
  using R = wire::AccountingRequest;
  EXPECT_EQ(only(&R::names, {"FAIL", "keyjob"}), (Ids{"23", "96"}));
  EXPECT_EQ(only(&R::users, {"ALICE"}), (Ids{"96"}));
  EXPECT_EQ(only(&R::accounts, {"nope"}), Ids{});
  EXPECT_EQ(only(&R::accounts, {"ROOT"}).size(), 10u);
  EXPECT_EQ(only(&R::qos, {"high"}), Ids{});
  EXPECT_EQ(only(&R::partitions, {"short"}), Ids{});
  EXPECT_EQ(only(&R::partitions, {"short", "Batch"}).size(), 10u);
  EXPECT_EQ(only(&R::clusters, {"other"}), Ids{});
}

TEST_F(Query, FiltersByUid) {
  auto request = allocations();
  request.uids = {Uid{1000}};
  EXPECT_EQ(ask(request), (Ids{"96"}));
  request.all_users = true;
  EXPECT_EQ(ask(request).size(), 10u);
}

TEST_F(Query, FiltersByNodesInAnyHostlist) {
  auto request = allocations();
  request.nodes = {"n[2-3]"};
  EXPECT_EQ(ask(request), (Ids{"22", "19_0"}));
  request.nodes = {"n9", "n4"};
  EXPECT_EQ(ask(request), (Ids{"22"}));
}

TEST_F(Query, AnswersNothingForUnknownJobs) { EXPECT_EQ(ask(of_jobs({ref(4711)})), Ids{}); }

TEST_F(Query, RefusesAnUnknownState) {
  EXPECT_EQ(ask(in_state({"XX"}, at(0), kNow)), (Ids{"unrecognized job state value 'XX'"}));
}

TEST_F(Query, IsReadAPartAtATime) {
  auto whole = query(store_, allocations(), kNow);
  auto listing = Listing::make(store_, allocations(), kNow);
  ASSERT_TRUE(whole && listing);
  std::vector<AccountingRow> rows;
  std::size_t parts = 0;
  for (;; ++parts) {
    auto some = listing->next(store_, 1);
    ASSERT_TRUE(some);
    if (some->empty()) break;
    EXPECT_EQ(some->size(), 1u);
    rows.insert(rows.end(), some->begin(), some->end());
  }
  EXPECT_EQ(parts, whole->size());
  EXPECT_EQ(rows, *whole);
}

}  // namespace muster::accounting
