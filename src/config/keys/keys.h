// The keys of slurm.conf and the words of those whose value is a list. What there is of them stands
// in key_table.h and word_table.h, one row each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/keys/settings.h"
#include "config/keys/source.h"
#include "config/keys/stores.h"
#include "config/keys/type.h"

namespace muster::config {

struct SlurmConf;

// Whether a key or word is in force.
struct Use {
  enum class How : std::uint8_t {
    acts,
    acts_at_start,  // a new value needs a restart of these daemons
    harmless,       // nothing reads it, and nothing is lost by that
    ignored,        // nothing reads it; the daemons' logs say so
    refused,        // the daemons do not start: a site may rely on what it does not get
    row_only,       // no key: a row of `scontrol show config` that the daemon fills or computes
  };
  How how = How::ignored;
  std::string_view remedy = {};  // of one that is refused: what to do; else which daemons
  constexpr bool acts() const { return how == How::acts || how == How::acts_at_start; }
};

// How `scontrol show config` prints a key, where that is not just its value.
struct Show {
  bool hidden = false;                              // never
  bool (*when)(const SlurmConf&) = nullptr;         // only if so
  std::string (*text)(const SlurmConf&) = nullptr;  // this instead
  std::string_view unset = "(null)";                // where the value is empty
};

struct Key {
  std::string_view name;
  Use use;
  Type type;
  std::string_view fallback;  // the value where none is given
  Stores stores = {};         // where the value goes
  const Show* show = nullptr;
};

// What may follow a word of a list.
struct Takes {
  enum class What : std::uint8_t { nothing, number, duration, rank, text, ports };
  What what = What::nothing;
  std::uint64_t least = 0, most = 0;  // of a number
};

struct Word {
  std::string_view key;
  std::string_view name;  // up to a '='
  Use use;
  Takes takes = {};
  Stores stores = {};
};

std::span<const Key> known_keys();  // in the order in which `scontrol show config` prints them
std::span<const Word> known_words();
const Key* find_key(std::string_view name);  // any case

// Is the value one that the key takes?
Result<void> check_value(const Key& key, const Location& at, const Setting& setting);
// A checked value as `scontrol show config` prints it.
std::string shown_value(const Key& key, std::string_view value);
bool is_default(const Key& key, std::string_view value);

// "bf_interval=30,defer": of "bf_interval" it is "30", of "defer" "", of others nothing.
std::optional<std::string_view> word_of(std::string_view list, std::string_view name);

// "name", "name(address)"
std::optional<ControllerHost> parse_controller_host(std::string_view text);

}  // namespace muster::config
