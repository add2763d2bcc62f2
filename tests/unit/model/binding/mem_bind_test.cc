// --mem-bind: its forms, and the NUMA nodes of each task.
#include "model/binding/mem_bind.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string shown(std::string_view text) {
  auto bind = parse_mem_bind(text);
  return bind ? mem_bind_text(*bind) : bind.error().text();
}

TEST(MemBind, IsShownInOneForm) {
  EXPECT_EQ(shown("local"), "quiet,local");
  EXPECT_EQ(shown("no"), "quiet,none");
  EXPECT_EQ(shown("v"), "verbose");
  EXPECT_EQ(shown("v,p,mask_mem:0x1"), "verbose,prefer,mask_mem:1");
  EXPECT_EQ(shown("map_mem:0,1"), "quiet,map_mem:0,1");
  EXPECT_EQ(shown("verbose,sort,rank"), "verbose,rank");
}

TEST(MemBind, WhatItDoesNotKnowIsAnError) {
  EXPECT_EQ(shown("foo"), "unrecognized --mem-bind argument \"foo\"");
  EXPECT_EQ(shown("map_mem"), "missing list for \"--mem-bind=map_mem:<list>\"");
  EXPECT_EQ(shown("mask_mem:"), "missing list for \"--mem-bind=mask_mem:<list>\"");
  EXPECT_FALSE(parse_mem_bind("map_mem:x"));
}

TEST(MemBind, GivesEachTaskItsNodes) {
  auto nodes = [](std::string_view text, std::uint32_t task) {
    auto bind = parse_mem_bind(text);
    auto own = memory_of_task(*bind, task, IdSet::range(2, 3));
    return own ? own->text() : "any";
  };
  EXPECT_EQ(nodes("none", 0), "any");
  EXPECT_EQ(nodes("verbose", 0), "any");
  EXPECT_EQ(nodes("rank", 1), "1");
  EXPECT_EQ(nodes("local", 1), "2-3");
  EXPECT_EQ(nodes("map_mem:0,4", 1), "4");
  EXPECT_EQ(nodes("map_mem:0,4", 2), "0");
  EXPECT_EQ(nodes("mask_mem:0x3,0x4", 0), "0-1");
}

}  // namespace
}  // namespace muster
