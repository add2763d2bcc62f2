// The quick reader of commands. It reads the keys whose rows in key_table.h have a place in
// ClientSettings, with the grammar of keys/source.h, and skips the long lines of nodes.
#include "config/client_settings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/fill.h"
#include "config/key_table.h"
#include "config/word_table.h"

namespace muster::config {

namespace {

constexpr bool has_client_words(std::string_view key) {
  for (const Word& word : word_table::kWords)
    if (word.key == key && word.stores.client) return true;
  return false;
}
constexpr bool is_for_clients(const Key& key) {
  return key.stores.client || key.type.kind == Kind::hosts || has_client_words(key.name);
}
constexpr std::size_t count_client_keys() {
  std::size_t count = 0;
  for (const Key& key : key_table::kKeys) count += is_for_clients(key) ? 1 : 0;
  return count;
}
constexpr auto kClientKeys = [] {
  std::array<const Key*, count_client_keys()> keys{};
  std::size_t next = 0;
  for (const Key& key : key_table::kKeys)
    if (is_for_clients(key)) keys[next++] = &key;
  return keys;
}();

// First letters of keys that commands need: most lines can be skipped by their first letter.
constexpr auto kFirstLetters = [] {
  std::array<bool, 128> letters{};
  for (const Key* key : kClientKeys)
    letters[static_cast<std::size_t>(key_table::first_letter(key->name))] = true;
  return letters;
}();

const Key* const* find_client_key(std::string_view name) {
  const char first = key_table::first_letter(name);
  if (first <= 0 || !kFirstLetters[static_cast<std::size_t>(first)]) return kClientKeys.end();
  return std::ranges::find_if(kClientKeys, [&](const Key* key) {
    return key->name.size() == name.size() && iequals(key->name, name);
  });
}

// First keys of lines that are not settings of the cluster.
constexpr std::string_view kOtherLines[] = {"NodeName", "PartitionName", "DownNodes",
                                            "NodeSet",  "QoS",           "FrontendName"};

std::string_view first_key(std::string_view line) { return trim(line.substr(0, line.find('='))); }

bool is_other_line(std::string_view line) {
  const std::string_view key = first_key(line);
  return std::ranges::any_of(kOtherLines, [&](std::string_view first) {
    return key.size() == first.size() && iequals(key, first);
  });
}

// A line with a single setting that commands do not need. Nearly all lines are like that.
bool is_of_no_use(std::string_view line) {
  const auto equals = line.find('=');
  return equals != line.npos && line.find('=', equals + 1) == line.npos &&
         find_client_key(first_key(line)) == kClientKeys.end();
}

bool is_include(std::string_view line) {
  return istarts_with(line, "include") && line.size() > 7 && (line[7] == ' ' || line[7] == '\t');
}

class QuickReader {
 public:
  explicit QuickReader(const std::string& path) : at_{path, 0} {}

  // Takes a line without surrounding blanks. A setting that is split over lines is rare: such a
  // file is left to the full parser.
  Result<void> line(std::string_view line) {
    ++at_.line;
    const bool starts_in_the_middle = continued_;
    continued_ = line.ends_with('\\');
    if (line.empty() || line[0] == '#' || starts_in_the_middle || is_other_line(line)) return {};
    if (continued_ || is_include(line)) is_whole_ = false;
    return continued_ || is_of_no_use(line) ? Result<void>{} : settings(line);
  }

  Result<QuickClientSettings> finish() {
    QuickClientSettings quick{{}, is_whole_};
    fill(quick.settings, [&](const Key& key) -> std::string_view {
      const auto& value = given_[index_of(key)];
      return value ? std::string_view(*value) : key.fallback;
    });
    quick.settings.controllers = std::move(controllers_);
    if (quick.settings.controllers.empty())
      quick.settings.controllers = quick.settings.old_controllers.hosts();
    if (quick.settings.controllers.empty() && is_whole_)
      return fail(ErrorCode::config_invalid, "SlurmctldHost is missing");
    return quick;
  }

 private:
  static std::size_t index_of(const Key& key) {
    return static_cast<std::size_t>(std::ranges::find(kClientKeys, &key) - kClientKeys.begin());
  }

  Result<void> settings(std::string_view line) {
    // The daemons refuse a malformed line; commands use what they understand.
    auto found = read_settings(line, at_);
    if (!found) return {};
    for (Setting& setting : *found)
      if (auto done = this->setting(setting); !done) return done;
    return {};
  }

  Result<void> setting(Setting& setting) {
    const auto* key = find_client_key(setting.key);
    if (key == kClientKeys.end()) return {};
    if (auto ok = check_value(**key, at_, setting); !ok) return ok;
    if ((*key)->type.kind == Kind::hosts)
      controllers_.push_back(*parse_controller_host(setting.value));
    else
      given_[static_cast<std::size_t>(key - kClientKeys.begin())] = std::move(setting.value);
    return {};
  }

  Location at_;
  bool continued_ = false, is_whole_ = true;
  std::array<std::optional<std::string>, kClientKeys.size()> given_;
  std::vector<ControllerHost> controllers_;
};

}  // namespace

Result<QuickClientSettings> quick_client_settings(std::string_view text, const std::string& path) {
  QuickReader reader(path);
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (auto done = reader.line(trim(text.substr(0, end))); !done)
      return std::unexpected(done.error());
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return reader.finish();
}

ClientSettings client_settings(const SlurmConf& conf) {
  ClientSettings settings;
  fill(settings, [&](const Key& key) { return conf.view(key); });
  settings.controllers = conf.controllers;
  return settings;
}

ClientSettings default_client_settings() {
  ClientSettings settings;
  fill(settings, [](const Key& key) { return key.fallback; });
  return settings;
}

}  // namespace muster::config
