// --gpu-bind and --distribution: their texts, and their effect on a task.
#include "model/binding/gpu_bind.h"

#include <gtest/gtest.h>

#include "model/binding/distribution.h"

namespace muster {
namespace {

// Which of the GPUs 2,3,6,7 tasks 0-3 see; "all" without a binding.
std::string seen(std::string_view text) {
  auto bind = parse_gpu_bind(text);
  if (!bind) return "invalid";
  IdSet gpus = *IdSet::parse("2,3,6,7");
  std::string out;
  for (std::uint32_t task = 0; task < 4; ++task) {
    auto own = gpus_of_task(*bind, gpus, task);
    out += (task ? " " : "") + (own ? own->list() : "all");
  }
  return out;
}

TEST(GpuBind, SaysWhatEachTaskSees) {
  EXPECT_EQ(seen("none"), "all all all all");
  EXPECT_EQ(seen("closest"), "all all all all");
  EXPECT_EQ(seen("single:1"), "2 3 6 7");
  EXPECT_EQ(seen("single:2"), "2 2 3 3");
  EXPECT_EQ(seen("per_task:2"), "2,3 6,7 2,3 6,7");
  EXPECT_EQ(seen("verbose,per_task:1"), "2 3 6 7");
  EXPECT_EQ(seen("map_gpu:1,0"), "3 2 3 2");
  EXPECT_EQ(seen("map_gpu:0*2,3*2"), "2 2 7 7");
  EXPECT_EQ(seen("mask_gpu:0x3,0xc"), "2,3 6,7 2,3 6,7");
}

TEST(GpuBind, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"", "foo", "single", "single:0", "single:x", "map_gpu:", "map_gpu:a",
                           "mask_gpu:0xg", "map_gpu:1*0", "per_task:-1"})
    EXPECT_EQ(seen(text), "invalid") << text;
}

TEST(Distribution, KnowsItsForms) {
  using Kind = Distribution::Kind;
  EXPECT_EQ(parse_distribution("cyclic:block")->kind, Kind::cyclic);
  EXPECT_EQ(parse_distribution("*:*:fcyclic")->kind, Kind::block);
  EXPECT_EQ(parse_distribution("plane=4")->plane_size, 4u);
  EXPECT_EQ(parse_distribution("block,Pack")->pack, true);
  EXPECT_EQ(parse_distribution("block,NoPack")->pack, false);
  EXPECT_EQ(parse_distribution("block")->pack, std::nullopt);
  for (const char* text : {"", "plane", "plane=0", "foo", "block:foo", "block,both"})
    EXPECT_FALSE(parse_distribution(text)) << text;
}

TEST(Distribution, HasTheNameThatScontrolShows) {
  for (auto [text, name] :
       {std::pair{"block", "Block"}, std::pair{"cyclic:block", "CBlock"},
        std::pair{"*:block", "BBlock"}, std::pair{"block:block:fcyclic", "BBlockFCyclic"},
        std::pair{"plane=2", "Plane"}, std::pair{"cyclic:block,NoPack", "CBlock,NoPack"}})
    EXPECT_EQ(distribution_name(*parse_distribution(text)), name);
}

}  // namespace
}  // namespace muster
