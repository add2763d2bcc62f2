// Colours of states.
#include "cli/tables/colour.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(Colour, OfStatesInAllTheirForms) {
  for (std::string_view state : {"R", " RUNNING", "CD", "COMPLETED ", "idle", "idle*", "idle~"})
    EXPECT_EQ(colour_of_state(state), Colour::green) << state;
  for (std::string_view state : {"PD", "PENDING", "drain", "drng", "maint"})
    EXPECT_EQ(colour_of_state(state), Colour::yellow) << state;
  for (std::string_view state : {"F", "FAILED", "OUT_OF_ME+", "down*", "TIMEOUT"})
    EXPECT_EQ(colour_of_state(state), Colour::red) << state;
  EXPECT_EQ(colour_of_state("CANCELLED by 1000"), Colour::violet);
  EXPECT_EQ(colour_of_state("STATE"), Colour::none);
  EXPECT_EQ(colour_of_state(""), Colour::none);
}

TEST(Colour, MarksOnlyWhatWasPainted) {
  std::string out = "job ";
  const std::size_t begin = out.size();
  out += "R";
  paint(out, begin, Colour::green);
  EXPECT_TRUE(out.starts_with("job ")) << out;
  EXPECT_GT(out.size(), 5u);
  std::string plain = "x";
  paint(plain, 0, Colour::none);
  paint(plain, 5, Colour::red);
  EXPECT_EQ(plain, "x");
}

}  // namespace
}  // namespace muster::cli
