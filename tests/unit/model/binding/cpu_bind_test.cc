// --cpu-bind: texts, and the CPUs that tasks get.
#include "model/binding/cpu_bind.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

// Two sockets of two cores with two threads: CPUs 0-3 on socket 0, 4-7 on socket 1.
CpuLayout two_sockets() {
  CpuLayout layout;
  for (std::uint32_t cpu = 0; cpu < 8; ++cpu)
    layout[cpu] = {.core = cpu / 2, .socket = cpu / 4, .ldom = cpu / 4};
  return layout;
}

// The CPUs of tasks 0-2, of one CPU each, in a step with CPUs 0-5.
std::string bound(std::string_view text, bool automatic = false) {
  auto bind = parse_cpu_bind(text);
  if (!bind) return bind.error().text();
  std::string out;
  for (std::uint32_t task = 0; task < 3; ++task) {
    auto cpus = cpus_of_task(*bind, two_sockets(), IdSet::range(0, 5), {task, 3, 1}, automatic);
    out += (task ? " " : "") + (cpus ? cpus->text() : "all");
  }
  return out;
}

TEST(CpuBind, SaysWhichCpusATaskGets) {
  EXPECT_EQ(bound(""), "all all all");
  EXPECT_EQ(bound("none", true), "all all all");
  EXPECT_EQ(bound("threads"), "0 1 2");
  EXPECT_EQ(bound("rank"), "0 1 2");
  EXPECT_EQ(bound("cores"), "0-1 0-1 2-3");
  EXPECT_EQ(bound("sockets"), "0-3 0-3 0-3");
  EXPECT_EQ(bound("verbose,ldoms"), "0-3 0-3 0-3");
  EXPECT_EQ(bound("map_cpu:5,3"), "5 3 5");
  EXPECT_EQ(bound("one_thread"), "0,2,4 0,2,4 0,2,4");
  EXPECT_EQ(bound("verbose,one_thread,sockets"), "0,2 0,2 0,2");
  EXPECT_EQ(bound("quiet,mask_cpu:0x3,0x30"), "0-1 4-5 0-1");
  EXPECT_EQ(bound("rank_ldom"), "0-3 4-7 0-3");
  EXPECT_EQ(bound("map_ldom:1"), "4-7 4-7 4-7");
  EXPECT_EQ(bound("foo"), "unrecognized --cpu-bind argument \"foo\"");
  EXPECT_EQ(bound("map_cpu:x"), "unrecognized --cpu-bind argument \"map_cpu:x\"");
}

TEST(CpuBind, BindsByItselfWhereTheTasksFillTheStep) {
  EXPECT_EQ(bound("", true), "0-5 0-5 0-5");
  auto cpus = cpus_of_task({}, two_sockets(), IdSet::range(0, 5), {1, 3, 2}, true);
  ASSERT_TRUE(cpus);
  EXPECT_EQ(cpus->text(), "2-3");
}

TEST(CpuBind, WritesMasks) {
  EXPECT_EQ(mask_text(IdSet::range(0, 1)), "0x3");
  EXPECT_EQ(mask_text(*IdSet::parse("0,9")), "0x201");
  EXPECT_EQ(mask_text({}), "0x0");
}

}  // namespace
}  // namespace muster
