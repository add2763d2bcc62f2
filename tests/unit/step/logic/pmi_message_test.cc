// Messages of PMI-1 and PMI-2.
#include "step/logic/pmi_message.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

PmiMessage taken(std::string text, PmiVersion version) {
  auto message = take_pmi_message(text, version);
  EXPECT_TRUE(message && *message);
  EXPECT_EQ(text, "");
  return message && *message ? **message : PmiMessage{};
}

TEST(PmiMessage, AValueOfPmi1RunsToTheEndOfTheLine) {
  PmiMessage put = taken("cmd=put kvsname=1.0 key=k value=a=b c\n", PmiVersion::one);
  EXPECT_EQ(put.command, "put");
  EXPECT_EQ(put.value("key"), "k");
  EXPECT_EQ(put.value("value"), "a=b c");
}

TEST(PmiMessage, HalfALineWaitsForItsRest) {
  std::string received = "cmd=get_";
  EXPECT_EQ(*take_pmi_message(received, PmiVersion::one), std::nullopt);
  received += "maxes\ncmd=fin";
  EXPECT_EQ((**take_pmi_message(received, PmiVersion::one)).command, "get_maxes");
  EXPECT_EQ(received, "cmd=fin");
}

TEST(PmiMessage, ACommandOfSeveralLinesLastsUntilItsEnd) {
  std::string received = "mcmd=spawn\nnprocs=1\n";
  EXPECT_EQ(*take_pmi_message(received, PmiVersion::one), std::nullopt);
  received += "endcmd\n";
  EXPECT_EQ((**take_pmi_message(received, PmiVersion::one)).command, "spawn");
  EXPECT_EQ(received, "");
}

TEST(PmiMessage, ASemicolonInAValueOfPmi2IsDoubled) {
  const PmiMessage put{"kvs-put", {{"key", "k"}, {"value", "a;b"}}};
  const std::string text = pmi_text(put, PmiVersion::two);
  EXPECT_EQ(text, "29    cmd=kvs-put;key=k;value=a;;b;");
  EXPECT_EQ(taken(text, PmiVersion::two).value("value"), "a;b");
}

TEST(PmiMessage, TheLengthOfPmi2MayStandAtEitherSide) {
  EXPECT_EQ(taken("    13cmd=finalize;", PmiVersion::two).command, "finalize");
  EXPECT_EQ(taken("13    cmd=finalize;", PmiVersion::two).command, "finalize");
}

TEST(PmiMessage, NonsenseIsAnError) {
  std::string length = "hello world";
  EXPECT_FALSE(take_pmi_message(length, PmiVersion::two));
  std::string line(100'000, 'x');
  EXPECT_FALSE(take_pmi_message(line, PmiVersion::one));
}

}  // namespace
}  // namespace muster
