// What a key of slurm.conf is, and what a word of a key whose value is a list. key_table.h and
// word_table.h list them, one row each.
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

// Whether a key or word has an effect.
struct Use {
  enum class How : std::uint8_t {
    acts,
    acts_at_start,  // a new value needs a restart of slurmctld
    harmless,       // nothing reads it, which does no harm
    ignored,        // nothing reads it; the daemons log that
    refused,        // the daemons do not start, because a site may rely on what is missing
    row_only,       // no key: a row of `scontrol show config` that the daemon fills in or computes
  };
  How how = How::ignored;
  std::string_view remedy = {};  // if refused: what to do
  constexpr bool acts() const { return how == How::acts || how == How::acts_at_start; }
};

// How `scontrol show config` prints a key, if not simply as its value.
struct Show {
  bool hidden = false;                              // it is not printed
  bool (*when)(const SlurmConf&) = nullptr;         // printed only if this is true
  std::string (*text)(const SlurmConf&) = nullptr;  // printed instead of the value
  std::string_view unset = "(null)";                // printed for an empty value
};

struct Key {
  std::string_view name;
  Use use;
  Type type;
  std::string_view fallback;  // the value if none is given
  Stores stores = {};         // where the value goes
  const Show* show = nullptr;
};

// What may follow a word of a list.
struct Takes {
  enum class What : std::uint8_t { nothing, number, duration, rank, text, ports };
  What what = What::nothing;
  std::uint64_t least = 0, most = 0;  // bounds of a number
};

struct Word {
  std::string_view key;
  std::string_view name;  // up to its '='
  Use use;
  Takes takes = {};
  Stores stores = {};
};

std::span<const Key> known_keys();  // in the order in which `scontrol show config` prints them
std::span<const Word> known_words();
const Key* find_key(std::string_view name);  // any case

// Whether the key takes this value.
Result<void> check_value(const Key& key, const Location& at, const Setting& setting);
// A valid value as `scontrol show config` prints it.
std::string shown_value(const Key& key, std::string_view value);
bool is_default(const Key& key, std::string_view value);

// The value of a word in a list: in "bf_interval=30,defer" it is "30" for "bf_interval" and "" for
// "defer"; unset if the word is not there.
std::optional<std::string_view> word_of(std::string_view list, std::string_view name);

// "name", "name(address)"
std::optional<ControllerHost> parse_controller_host(std::string_view text);

}  // namespace muster::config
