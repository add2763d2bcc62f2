// Colours of states in listings on a terminal. --color and NO_COLOR choose; pipes and files get
// plain text unless --color=always.
#pragma once

#include <string>
#include <string_view>

namespace muster::cli {

enum class Colour : char {
  none = '0',
  red = '1',
  green = '2',
  yellow = '3',
  violet = '5',
  blue = '6'
};

// "auto", "always" or "never", and nothing for always; false for another word.
bool choose_colours(std::string_view when);
bool uses_colours();

// For states of jobs and nodes, short or long: "R", "RUNNING", "idle*".
Colour colour_of_state(std::string_view state);

// Whether a column with this header shows states.
bool shows_states(std::string_view header);

// Marks the end of `out`, from `begin`, to be printed in a colour: write_out() replaces the marks.
// Nobody else can write such marks, because they contain a random number.
void paint(std::string& out, std::size_t begin, Colour colour);

// Writes to stdout. False if it is closed.
bool write_painted(std::string_view text);

}  // namespace muster::cli
