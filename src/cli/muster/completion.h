// What may be typed next, for shells: options from the option tables of the commands, and the
// names that the cluster has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

struct Candidate {
  std::string word;
  std::string about;  // shown by zsh and fish; may be empty
};

// What a word can be. Files and unknown things are left to the shell.
enum class WordKind : std::uint8_t {
  other,
  option,
  job,
  partition,
  node,
  account,
  qos,
  feature,
  reservation,
  when,  // of --color
  command,
  entity,  // of scontrol show
};

// A word to be completed: its kind, and the part that stays as it is ("--partition=a," for the
// names of a list).
struct Wanted {
  WordKind kind = WordKind::other;
  std::string command;  // for options and commands
  std::string kept, begun;
};
// `words` begin with the command; `at` is the index of the word that is being typed. Shells that
// split words at '=' are understood.
Wanted wanted_word(const std::vector<std::string>& words, std::size_t at);

// Options and fixed words; names of the cluster are asked for.
std::vector<Candidate> candidates_for(const Wanted& wanted);

// Names that the controller knows; none if it does not answer.
std::vector<Candidate> names_in_cluster(WordKind kind);

// The script that makes a shell ask for completions; empty for a shell that is not known.
std::string completion_script(std::string_view shell);

}  // namespace muster::cli
