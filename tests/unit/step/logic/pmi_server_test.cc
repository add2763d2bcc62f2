// The PMI server: keys and values, fences, aborts, and the mapping of ranks.
#include "step/logic/pmi_server.h"

#include <gtest/gtest.h>

#include "step/logic/process_mapping.h"

namespace muster {
namespace {

// Two nodes with two tasks each.
PmiServer server(std::vector<std::uint32_t> ranks) {
  return PmiServer({"7.0", 4, "(vector,(0,2,2))", std::move(ranks)});
}

std::string ask(PmiServer& server, std::size_t task, std::string_view text) {
  PmiTurn turn = server.on_bytes(task, text);
  EXPECT_EQ(turn.replies.size(), 1u) << text;
  return turn.replies.empty() ? "" : turn.replies.front().bytes;
}

std::string sized(std::string_view text) {
  const std::string length = std::to_string(text.size());
  return std::string(6 - length.size(), ' ') + length + std::string(text);
}

TEST(PmiServer, TellsATaskOfPmi1AboutItsStep) {
  PmiServer node = server({0, 1});
  EXPECT_EQ(ask(node, 0, "cmd=init pmi_version=1 pmi_subversion=1\n"),
            "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n");
  EXPECT_EQ(ask(node, 0, "cmd=get_maxes\n"),
            "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n");
  EXPECT_EQ(ask(node, 0, "cmd=get_appnum\n"), "cmd=appnum rc=0 appnum=-1\n");
  EXPECT_EQ(ask(node, 0, "cmd=get_my_kvsname\n"), "cmd=my_kvsname rc=0 kvsname=7.0\n");
  EXPECT_EQ(ask(node, 0, "cmd=get_universe_size\n"), "cmd=universe_size rc=0 size=4\n");
  EXPECT_EQ(ask(node, 0, "cmd=get kvsname=7.0 key=PMI_process_mapping\n"),
            "cmd=get_result rc=0 value=(vector,(0,2,2))\n");
  EXPECT_EQ(ask(node, 0, "cmd=finalize\n"), "cmd=finalize_ack rc=0\n");
}

TEST(PmiServer, AFenceWaitsForAllTasksOfAllNodesAndSpreadsWhatTheyPut) {
  PmiServer first = server({0, 1}), second = server({2, 3});
  ask(first, 0, "cmd=put kvsname=7.0 key=k0 value=from 0\n");
  EXPECT_TRUE(first.on_bytes(0, "cmd=barrier_in\n").replies.empty());
  PmiTurn all_here = first.on_bytes(1, "cmd=barrier_in\n");
  ASSERT_TRUE(all_here.contribution);
  EXPECT_TRUE(all_here.replies.empty());
  second.on_bytes(0, "cmd=barrier_in\n");
  PmiTurn all_there = second.on_bytes(1, "cmd=barrier_in\n");
  ASSERT_TRUE(all_there.contribution);

  PmiTurn released = second.on_gathered({*all_here.contribution, *all_there.contribution});
  ASSERT_EQ(released.replies.size(), 2u);
  EXPECT_EQ(released.replies[1].bytes, "cmd=barrier_out rc=0\n");
  EXPECT_EQ(ask(second, 0, "cmd=get kvsname=7.0 key=k0\n"), "cmd=get_result rc=0 value=from 0\n");
}

TEST(PmiServer, SpeaksPmi2WithWhoAsksForIt) {
  PmiServer node = server({2});
  EXPECT_EQ(ask(node, 0, "cmd=init pmi_version=2 pmi_subversion=0\n"),
            "cmd=response_to_init rc=0 pmi_version=2 pmi_subversion=0\n");
  EXPECT_EQ(ask(node, 0, sized("cmd=fullinit;pmijobid=7.0;pmirank=2;threaded=FALSE;")),
            "114   cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=2;size=4;"
            "appnum=-1;debugged=FALSE;pmiverbose=FALSE;");
  EXPECT_EQ(ask(node, 0, sized("cmd=info-getjobattr;key=universeSize;")),
            "53    cmd=info-getjobattr-response;rc=0;found=TRUE;value=4;");
  EXPECT_EQ(ask(node, 0, sized("cmd=kvs-get;jobid=7.0;srcid=-1;key=zz;")),
            "38    cmd=kvs-get-response;rc=0;found=FALSE;");
  EXPECT_TRUE(node.on_bytes(0, sized("cmd=kvs-fence;")).contribution);
  EXPECT_EQ(node.on_gathered({}).replies.at(0).bytes, "28    cmd=kvs-fence-response;rc=0;");
}

TEST(PmiServer, ANodeAttributeIsWaitedForAndGiven) {
  PmiServer node = server({0, 1});
  for (std::size_t task : {0, 1}) ask(node, task, "cmd=init pmi_version=2 pmi_subversion=0\n");
  EXPECT_TRUE(node.on_bytes(0, sized("cmd=info-getnodeattr;key=shm;wait=TRUE;")).replies.empty());
  PmiTurn turn = node.on_bytes(1, sized("cmd=info-putnodeattr;key=shm;value=file;"));
  ASSERT_EQ(turn.replies.size(), 2u);
  EXPECT_EQ(turn.replies[1].task, 0u);
  EXPECT_NE(turn.replies[1].bytes.find("found=TRUE;value=file;"), std::string::npos);
}

TEST(PmiServer, WaitsForNodeAttributesAreBounded) {
  PmiServer node = server({0, 1});
  ask(node, 0, "cmd=init pmi_version=2 pmi_subversion=0\n");
  const std::string wait =
      sized("cmd=info-getnodeattr;key=" + std::string(4000, 'k') + ";wait=TRUE;");
  std::size_t refused = 0;
  for (int i = 0; i < 5000 && refused == 0; ++i) refused = node.on_bytes(0, wait).replies.size();
  EXPECT_EQ(refused, 1u) << "20 MB of keys would be kept";
}

TEST(PmiServer, SpawningIsRefusedAndSaid) {
  PmiServer node = server({0, 1});
  PmiTurn turn = node.on_bytes(0, "mcmd=spawn\nnprocs=1\nexecname=x\nendcmd\n");
  ASSERT_EQ(turn.replies.size(), 1u);
  EXPECT_TRUE(turn.replies[0].bytes.starts_with("cmd=spawn_result rc=1"));
  EXPECT_EQ(turn.complaints.size(), 1u);
}

TEST(PmiServer, AnAbortEndsTheStepAndAnUnknownRequestIsSaid) {
  PmiServer node = server({0, 1});
  EXPECT_EQ(node.on_bytes(1, "cmd=abort exitcode=3\n").abort, "task 1 called abort");
  EXPECT_EQ(node.on_bytes(0, "cmd=nonsense\n").complaints.size(), 1u);
}

TEST(PmiServer, WhatTasksPutIsBounded) {
  PmiServer node = server({0});
  const std::string put = "cmd=put kvsname=7.0 key=k value=" + std::string(1024, 'x') + "\n";
  std::string last;
  for (int i = 0; i < 20'000; ++i) last = ask(node, 0, put);
  EXPECT_EQ(last, "cmd=put_result rc=1 errmsg=no_room\n");
}

TEST(ProcessMapping, NamesRunsOfNodesWithEquallyManyRanks) {
  auto mapping = [](std::vector<std::vector<std::uint32_t>> ranks) {
    std::vector<wire::NodeRanks> layout;
    for (auto& here : ranks) layout.push_back({"n", std::move(here)});
    return process_mapping(layout);
  };
  EXPECT_EQ(mapping({{0}}), "(vector,(0,1,1))");
  EXPECT_EQ(mapping({{0, 1}, {2, 3}}), "(vector,(0,2,2))");
  EXPECT_EQ(mapping({{0, 1, 2}, {3}, {4}}), "(vector,(0,1,3),(1,2,1))");
  EXPECT_EQ(mapping({{0, 1, 2, 5, 6, 7}, {3}, {4}}), "(vector,(0,1,3),(1,2,1),(0,1,3))");
  EXPECT_EQ(mapping({{0, 2}, {1, 3}}), "(vector,(0,2,1),(0,2,1))");
}

}  // namespace
}  // namespace muster
