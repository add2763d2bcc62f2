// Messages between srun and slurmstepd.
#include "wire/step_messages.h"

#include <gtest/gtest.h>

namespace muster::wire {
namespace {

TEST(StepMessages, ACallOfANodeIsOneOfItsKinds) {
  auto attach = decode<NodeCall>(encode(NodeCall{AttachRequest{.key = "k", .exchanges = true}}));
  ASSERT_TRUE(attach);
  EXPECT_TRUE(std::get<AttachRequest>(attach->call).exchanges);
  FileOffer offer{.grant = "g", .path = "/tmp/x", .mode = 0750, .overwrites = true};
  offer.modified = Time(Millis{1500});
  auto file = decode<NodeCall>(encode(NodeCall{offer}));
  ASSERT_TRUE(file);
  EXPECT_EQ(std::get<FileOffer>(file->call).mode, 0750u);
  EXPECT_EQ(std::get<FileOffer>(file->call).modified, Time(Millis{1500}));
}

TEST(StepMessages, WhatIsGatheredKeepsItsOrderAndEmptyParts) {
  auto frame = decode<ToStepFrame>(encode(ToStepFrame{Gathered{"fence", {"a", "", "c"}}}));
  ASSERT_TRUE(frame);
  EXPECT_EQ(std::get<Gathered>(frame->message).parts, (std::vector<std::string>{"a", "", "c"}));
  auto part = decode<FromStepFrame>(encode(FromStepFrame{Contribution{"fence", {0, 2}, "bytes"}}));
  ASSERT_TRUE(part);
  EXPECT_EQ(std::get<Contribution>(part->message).places, (std::vector<std::uint32_t>{0, 2}));
}

}  // namespace
}  // namespace muster::wire
