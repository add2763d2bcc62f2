// The word that a mistyped one most likely means.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options_words.h"

namespace muster::cli {

// Empty if none is near: at most one letter in three was added, lost, changed, or swapped with its
// neighbour.
std::string nearest_word(std::string_view mistyped, std::span<const std::string> known);

// "did you mean --partition?" for getopt's message about an unknown option; empty if none is near.
std::string nearest_option(std::string_view getopt_text, std::span<const WordOption> known);

// "sbatch: HINT\n"; nothing for no hint.
std::string hint_line(std::string_view program, std::string_view hint);

}  // namespace muster::cli
