// The types of values of slurm.conf, and how they are printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::config {

enum class Kind : std::uint8_t {
  text,       // as written; "(null)" if unset
  lowercase,  // in lower case
  number,     // 7
  flag,       // 0 or 1, and printed so
  yes_no,     // printed Yes or No
  seconds,    // "30 sec"; INFINITE
  minutes,    // "0 min"; UNLIMITED
  duration,   // "[D-]HH:MM:SS", a bare number is in minutes
  microseconds,
  percent,
  rate,    // "300 nodes/min"
  memory,  // MiB; "UNLIMITED" if unset
  ports,   // "60001-63000"
  port,    // "6817" or a range
  level,   // quiet ... debug5, or its number
  user,    // "root(0)"
  choice,  // one of `expected`
  // Some of `expected`, printed in its order and spelling; those marked with '-' are not printed.
  choices,
  plugin,    // one of `expected`; if that ends in '/', a name that starts with it
  plugins,   // some of `expected`, printed as written
  hosts,     // SlurmctldHost: "name(address)", one row per host
  names,     // nodes or partitions
  licenses,  // "name[:count],..."
  weights,   // "CPU=1000,Mem=0.5"
  word,      // no key: a word of a list, with what follows it
  daemon,    // no key: the running daemon fills in the row
  computed,  // no key: the row follows from other keys
};

struct Type {
  Kind kind = Kind::text;
  std::string_view expected = {};
};

// Parsers of values that several readers share. Unset if the text is malformed.
std::optional<bool> parse_yes_no(std::string_view text);
std::optional<std::string_view> parse_debug_level(std::string_view text);  // its name

// A value as programs compare it: plugins and choices are spelled as in `expected`.
std::string canonical(const Type& type, std::string_view value);

}  // namespace muster::config
