// Who may send which request: the table in the code equals the one in docs/security.md, and each
// rule is enforced.
#include "controller/ledger/request_rules.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "controller/world.h"

namespace muster::controller::ledger_test {
namespace {

using namespace muster::controller::test;

using Row = std::pair<std::string, std::string>;

// The first two cells of each row below "| request | who".
std::vector<Row> documented() {
  std::ifstream file(std::string(MUSTER_UNIT_TESTS) + "/../../docs/security.md");
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| request | who")) {
      inside = true;
      continue;
    }
    if (!inside || line.starts_with("|---")) continue;
    if (!line.starts_with("| ")) break;
    std::istringstream cells(line.substr(2));
    Row row;
    std::getline(cells, row.first, '|');
    std::getline(cells, row.second, '|');
    for (std::string* cell : {&row.first, &row.second}) *cell = std::string(trim(*cell));
    rows.push_back(row);
  }
  return rows;
}

TEST(RequestRules, AreTheOnesInTheDocument) {
  std::vector<Row> rows;
  for (const RequestRule& rule : all_rules())
    rows.emplace_back(std::string(rule.name), std::string(who_name(rule.who)));
  EXPECT_EQ(rows, documented());
}

constexpr Uid kStranger{4711};

// Errors that refuse a caller.
bool is_refusal(const Error& error) {
  return error.code == ErrorCode::access_denied || error.code == ErrorCode::user_id_missing;
}
bool is_refused(const wire::Answer& answer) {
  if (auto* error = std::get_if<Error>(&answer)) return is_refusal(*error);
  auto* reply = std::get_if<wire::CancelReply>(&answer);
  return reply && !reply->errors.empty() && is_refusal(reply->errors[0].second);
}

wire::UpdateRequest update(wire::UpdateRequest::Kind kind, std::string name, std::string value,
                           std::string key, std::string change) {
  return {.kind = kind,
          .settings = {{std::move(name), std::move(value)}, {std::move(key), std::move(change)}}};
}

// Requests about job 1, a running job of alice, and about the cluster: at least one for each rule
// of the core.
std::vector<wire::Request> requests_of_core() {
  using Kind = wire::UpdateRequest::Kind;
  const JobId job{1};
  std::vector<wire::Request> all;
  all.emplace_back(wire::JobActionRequest{.action = wire::JobAction::hold, .jobs = {{.job = job}}});
  all.emplace_back(
      wire::JobActionRequest{.action = wire::JobAction::suspend, .jobs = {{.job = job}}});
  all.emplace_back(
      wire::JobActionRequest{.action = wire::JobAction::resume, .jobs = {{.job = job}}});
  all.emplace_back(update(Kind::job, "JobId", "1", "Comment", "x"));
  all.emplace_back(update(Kind::node, "NodeName", "n1", "Comment", "x"));
  all.emplace_back(update(Kind::partition, "PartitionName", "batch", "MaxTime", "1"));
  all.emplace_back(update(Kind::reservation, "ReservationName", "none", "Flags", "maint"));
  all.emplace_back(wire::StepRequest{.job = job});
  wire::StepRequest alone{.job = kFirstUnallocated, .node_list = "n1"};
  alone.unallocated = 0;
  all.emplace_back(std::move(alone));
  all.emplace_back(wire::AttachStepRequest{.job = job, .step = kBatchStep});
  all.emplace_back(wire::ClaimNodeRequest{});
  all.emplace_back(wire::CancelRequest{.jobs = {{.job = job}}, .signal = 12});
  all.emplace_back(wire::ReleaseRequest{.job = job});
  return all;
}

class Rules : public testing::Test {
 protected:
  Rules() { EXPECT_EQ(w_.submit(job()), 1u); }
  bool refuses(const wire::Request& request, Uid uid) {
    return is_refused(w_.answer(request, uid));
  }
  World w_{ClusterBuilder().nodes(1)};
};

TEST_F(Rules, StrangersMayDoWhatAnyoneMay) {
  for (const wire::Request& request : requests_of_core())
    EXPECT_EQ(refuses(request, kStranger), rule_of(request).who != Who::anyone)
        << rule_of(request).name;
}

TEST_F(Rules, OwnersMayDoAllButWhatIsTheOperators) {
  for (const wire::Request& request : requests_of_core())
    EXPECT_EQ(refuses(request, kAlice), rule_of(request).who == Who::operators)
        << rule_of(request).name;
}

TEST_F(Rules, RootAndSlurmUserMayDoAll) {
  for (Uid uid : {kRoot, Uid{64030}})
    for (const wire::Request& request : requests_of_core())
      EXPECT_FALSE(refuses(request, uid)) << rule_of(request).name;
}

TEST_F(Rules, NobodySubmitsForOthersButOperators) {
  JobRequest spec = job();
  EXPECT_TRUE(is_refused(w_.try_submit(spec, kStranger)));
  EXPECT_FALSE(is_refused(w_.try_submit(spec, kAlice)));
  EXPECT_FALSE(is_refused(w_.try_submit(spec, kRoot)));
}

TEST_F(Rules, AnyoneMayWaitForAJobButNotTakeItOver) {
  w_.answer(wire::WaitJobRequest{.job = JobId{1}, .ownership = wire::Ownership::take}, kStranger,
            77);
  w_.core.on_client_closed(77, w_.now);
  w_.pass(Seconds{60});
  EXPECT_EQ(w_.job(1).state, JobState::running);
}

}  // namespace
}  // namespace muster::controller::ledger_test
