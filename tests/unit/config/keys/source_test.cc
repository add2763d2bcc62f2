// The grammar of configuration files, and includes.
#include "config/keys/source.h"

#include <gtest/gtest.h>

#include "config/files.h"

namespace muster::config {
namespace {

std::vector<Line> lines(const std::string& text) {
  auto read = read_lines(files({{"/etc/x.conf", text}}), "/etc/x.conf");
  EXPECT_TRUE(read) << read.error().text();
  return read.value_or(std::vector<Line>{});
}
std::string error(std::map<std::string, std::string> contents) {
  auto read = read_lines(files(std::move(contents)), "/etc/x.conf");
  return read ? "no error" : read.error().detail;
}

TEST(ReadLines, SplitsSettingsAndKeepsTheirPlaces) {
  auto read = lines("\n# comment\nA=1 b = two\tC=\"x y\"  # end\n\nD=a=b\r\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].at.text(), "/etc/x.conf:3");
  ASSERT_EQ(read[0].settings.size(), 3u);
  EXPECT_EQ(read[0].settings[1].key, "b");
  EXPECT_EQ(read[0].settings[1].value, "two");
  EXPECT_EQ(read[0].settings[2].value, "x y");
  EXPECT_EQ(read[1].at.line, 5);
  EXPECT_EQ(read[1].settings[0].value, "a=b");
}

TEST(ReadLines, JoinsContinuedLinesAndKeepsEscapedHashes) {
  auto read = lines("A=1 \\\n  B=2\nC=x\\#y\nD=4 \\");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].settings.size(), 2u);
  EXPECT_EQ(read[0].at.line, 1);
  EXPECT_EQ(read[1].at.line, 3);
  EXPECT_EQ(read[1].settings[0].value, "x#y");
}

TEST(ReadLines, IncludesFilesBesideTheIncludingOne) {
  auto read = read_lines(files({{"/etc/x.conf", "ClusterName=c1\nInclude sub/%c.conf\nZ=1"},
                                {"/etc/sub/c1.conf", "A=1\ninclude more.conf"},
                                {"/etc/sub/more.conf", "B=2"}}),
                         "/etc/x.conf");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 4u);
  EXPECT_EQ((*read)[2].at.text(), "/etc/sub/more.conf:1");
  EXPECT_EQ((*read)[3].at.text(), "/etc/x.conf:3");
}

TEST(ReadLines, SaysWhereATextIsMalformed) {
  EXPECT_EQ(error({{"/etc/x.conf", "A=1\nnonsense"}}),
            "/etc/x.conf:2: 'nonsense': expected Key=value");
  EXPECT_EQ(error({{"/etc/x.conf", "A="}}), "/etc/x.conf:1: A=: expected a value");
  EXPECT_EQ(error({{"/etc/x.conf", "A=\"x"}}), "/etc/x.conf:1: A: the quote is not closed");
  EXPECT_EQ(error({{"/etc/x.conf", "Include y"}}),
            "/etc/x.conf:1: Include y: /etc/y: No such file or directory");
  EXPECT_EQ(error({{"/etc/x.conf", "Include y"}, {"/etc/y", "?"}}),
            "/etc/y:1: '?': expected Key=value");
  EXPECT_EQ(error({{"/etc/x.conf", "Include %c"}}),
            "/etc/x.conf:1: Include with %c: ClusterName must come first");
}

TEST(ReadLines, EndsAtAFileThatIncludesItself) {
  EXPECT_NE(error({{"/etc/x.conf", "Include x.conf"}}).find("files deep"), std::string::npos);
}

}  // namespace
}  // namespace muster::config
