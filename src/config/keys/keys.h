// The keys of slurm.conf: one row each, in the order in which `scontrol show config` prints them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/keys/source.h"

namespace muster::config {

// What a value may be and how it is printed.
enum class Kind {
  text,      // as written; "(null)" where unset
  number,    // 7
  flag,      // 0 or 1, printed as such
  yes_no,    // printed Yes or No
  seconds,   // "30 sec"; INFINITE
  minutes,   // "0 min"; UNLIMITED
  duration,  // "[D-]HH:MM:SS", a bare number is in minutes
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
  daemon,    // no key: a row that the running daemon fills
  computed,  // no key: a row that follows from others
};

struct Key {
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view fallback = {};  // the value where none is given; empty prints as "(null)"
  std::string_view expected = {};
  bool acted_on = false;  // a daemon or command reads it
  bool shown = true;      // printed by `scontrol show config`
};

std::span<const Key> known_keys();
const Key* find_key(std::string_view name);  // any case

// Is the value one that the key takes?
Result<void> check_value(const Key& key, const Location& at, const Setting& setting);
// A checked value as `scontrol show config` prints it.
std::string shown_value(const Key& key, std::string_view value);

// The parts of values that several readers share. They return nothing for other texts.
std::optional<bool> parse_yes_no(std::string_view text);
std::optional<std::string_view> parse_debug_level(std::string_view text);  // its name

}  // namespace muster::config
