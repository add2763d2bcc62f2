// Which queries the controller's own thread answers.
#include <gtest/gtest.h>

#include "controller/ledger/request_rules.h"
#include "controller/views/query.h"
#include "controller/world.h"
#include "wire/parts.h"

namespace muster::controller::views_test {
namespace {

using namespace muster::controller::test;

Published with_nodes(std::uint32_t count) {
  World w{ClusterBuilder().nodes(count).config()};
  w.submit(job());
  return {w.core.committed(), nullptr, nullptr, {}, nullptr};
}
wire::JobsRequest about(std::vector<wire::JobRef> jobs) {
  return {.filter = {.jobs = std::move(jobs)}};
}

TEST(Query, OfASmallClusterEverythingIsShort) {
  const Published small = with_nodes(10);
  EXPECT_TRUE(has_short_answer(small, about({})));
  EXPECT_TRUE(has_short_answer(small, wire::NodesRequest{}));
}

TEST(Query, OfALargeOneOnlyWhatNamesItsJobs) {
  const Published large = with_nodes(600);
  EXPECT_TRUE(has_short_answer(large, about({{.job = JobId{1}}})));
  EXPECT_TRUE(has_short_answer(large, about({{.job = JobId{99}}})))
      << "nobody has to be looked for";
  EXPECT_FALSE(has_short_answer(large, about({})));
  EXPECT_FALSE(has_short_answer(large, wire::NodesRequest{}));
}

// The parts of an answer, in order.
std::vector<wire::Answer> parts_of(const Published& published, wire::Request query) {
  QueryAnswer answer(std::make_shared<const Published>(published), Viewer{kRoot, true, {}},
                     std::move(query), t0);
  std::vector<wire::Answer> parts;
  for (bool more = true; more;) {
    QueryAnswer::Part part = answer.next();
    more = part.more;
    parts.push_back(std::move(part.answer));
  }
  return parts;
}

Published with_comments(std::uint32_t jobs, std::size_t bytes) {
  World w{ClusterBuilder()
              .nodes(1)
              .settings([](Settings& s) { s.request_limits.text = 4u << 20; })
              .config()};
  for (std::uint32_t i = 0; i < jobs; ++i) {
    JobRequest spec = job();
    spec.comment = Text(std::string(bytes, 'c') + std::to_string(i));
    spec.hold = true;
    w.submit(std::move(spec));
  }
  return {w.core.committed(), nullptr, nullptr, {}, nullptr};
}

TEST(Query, AListOfJobsIsCutByBytes) {
  const auto parts = parts_of(with_comments(10, 300'000), about({}));
  std::vector<std::uint32_t> ids;
  EXPECT_GE(parts.size(), 3u);
  for (const wire::Answer& part : parts) {
    EXPECT_LE(encode(wire::ReplyFrame{.answer = part}).size(), (1u << 20) + 1000);
    auto reply = decode<wire::ReplyFrame>(encode(wire::ReplyFrame{.answer = part}));
    ASSERT_TRUE(reply);
    for (const wire::JobView& view : std::get<wire::JobsReply>(reply->answer).jobs) {
      ids.push_back(view.job->id.value);
      EXPECT_EQ(view.job->own.comment.view().size(), 300'001u);
    }
  }
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(Query, OneThatIsLargerThanAPartGoesAlone) {
  const auto parts = parts_of(with_comments(3, 2'000'000), about({}));
  ASSERT_EQ(parts.size(), 3u);
  for (const wire::Answer& part : parts) EXPECT_EQ(std::get<wire::JobsReply>(part).jobs.size(), 1u);
}

TEST(Query, JobsThatAreNamedComeInTheOrderOfTheirNames) {
  const auto parts = parts_of(with_comments(4, 600'000),
                              about({{.job = JobId{3}}, {.job = JobId{1}}, {.job = JobId{3}}}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(std::get<wire::JobsReply>(parts[0]).jobs[0].job->id, JobId{3});
  EXPECT_EQ(std::get<wire::JobsReply>(parts[1]).jobs[0].job->id, JobId{1});
}

TEST(Query, OfOtherListsTheFirstPartHasWhatIsNoList) {
  wire::NodesReply reply{.now = t0};
  reply.partitions.push_back({.name = "batch"});
  for (int i = 0; i < 4; ++i) {
    wire::NodeView view{.node = Cow<Node>(Node{})};
    view.node.edit().config.name = std::string(wire::kPartBytes * 2 / 5, 'n');
    reply.nodes.push_back(std::move(view));
  }
  std::vector<wire::Answer> parts;
  wire::send_in_parts(reply, [&](wire::Answer part, bool more) {
    EXPECT_EQ(more, parts.size() == 0);
    parts.push_back(std::move(part));
  });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_TRUE(std::get<wire::NodesReply>(parts[1]).partitions.empty());
  wire::Answer whole = parts[0];
  ASSERT_TRUE(wire::append(whole, std::move(parts[1])));
  EXPECT_EQ(std::get<wire::NodesReply>(whole).nodes.size(), 4u);
  EXPECT_EQ(std::get<wire::NodesReply>(whole).partitions.size(), 1u);
  EXPECT_FALSE(wire::append(whole, wire::Answer(wire::PartitionsReply{})));
}

}  // namespace
}  // namespace muster::controller::views_test
