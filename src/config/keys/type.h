// What the value of a key may be and how it is printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::config {

enum class Kind : std::uint8_t {
  text,       // as written; "(null)" where unset
  lowercase,  // in small letters
  number,     // 7
  flag,       // 0 or 1, printed as such
  yes_no,     // printed Yes or No
  seconds,    // "30 sec"; INFINITE
  minutes,    // "0 min"; UNLIMITED
  duration,   // "[D-]HH:MM:SS", a bare number is in minutes
  microseconds,
  percent,
  rate,      // "300 nodes/min"
  memory,    // MiB; "UNLIMITED" where unset
  ports,     // "60001-63000"
  port,      // "6817" or a range
  level,     // quiet ... debug5, or its number
  user,      // "root(0)"
  choice,    // one of `expected`
  choices,   // some of `expected`, printed in its order and spelling; '-' marks one that is not
             // printed
  plugin,    // one of `expected`; where that ends in '/', a name that starts with it
  plugins,   // some of `expected`, printed as written
  hosts,     // SlurmctldHost: "name(address)", one row for each
  names,     // nodes or partitions
  licenses,  // "name[:count],..."
  weights,   // "CPU=1000,Mem=0.5"
  word,      // no key: a word of a list and what follows it
  daemon,    // no key: a row that the running daemon fills
  computed,  // no key: a row that follows from others
};

struct Type {
  Kind kind = Kind::text;
  std::string_view expected = {};
};

// The parts of values that several readers share. They return nothing for other texts.
std::optional<bool> parse_yes_no(std::string_view text);
std::optional<std::string_view> parse_debug_level(std::string_view text);  // its name

// A value in the spelling that programs compare: plugins and choices as `expected` has them.
std::string canonical(const Type& type, std::string_view value);

}  // namespace muster::config
