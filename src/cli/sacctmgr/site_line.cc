// Reads the line. `where` and `set` change what the words that follow are; a command knows which of
// the two comes first where neither is written.
#include "cli/sacctmgr/site_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/strings.h"
#include "cli/lib/errors.h"
#include "cli/sacctmgr/values.h"

namespace muster::cli {

namespace {

using wire::Entity;
using wire::SetHow;

constexpr std::string_view kShowEntities =
    "Input line must include \"Account\", \"Association\", \"Cluster\", \"Configuration\",\n"
    "\"Event\", \"Federation\", \"Problem\", \"QOS\", \"Resource\", \"Reservation\",\n"
    "\"RunAwayJobs\", \"Stats\", \"Transaction\", \"TRES\", \"User\", or \"WCKey\"\n";
constexpr std::string_view kChangeEntities =
    "Input line must include \"Account\", \"Cluster\", \"Coordinator\", \"Federation\", \"QOS\", "
    "\"Resource\", or \"User\"\n";
constexpr std::string_view kModifyEntities =
    "Input line must include \"Account\", \"Cluster\", \"Federation\", \"Job\", \"QOS\", "
    "\"Resource\" or \"User\"\n";

std::string no_entity(SiteCommand command) {
  switch (command) {
    case SiteCommand::add:
      return fmt::format("No valid entity in add command\n{}", kChangeEntities);
    case SiteCommand::remove:
      return fmt::format("No valid entity in delete command\n{}", kChangeEntities);
    case SiteCommand::modify:
      return fmt::format("No valid entity in modify command\n{}", kModifyEntities);
    default:
      return fmt::format("No valid entity in list command\n{}", kShowEntities);
  }
}

wire::AccountsVerb verb_of(SiteCommand command) {
  switch (command) {
    case SiteCommand::add:
      return wire::AccountsVerb::add;
    case SiteCommand::modify:
      return wire::AccountsVerb::modify;
    case SiteCommand::remove:
      return wire::AccountsVerb::remove;
    default:
      return wire::AccountsVerb::show;
  }
}

// "qos+=high": key, how, value. A word without "=" has no key.
struct Word {
  std::string_view text, key, value;
  SetHow how = SetHow::set;
};

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.front() == text.back())
    return text.substr(1, text.size() - 2);
  return text;
}

Word split_word(std::string_view text) {
  Word word{.text = text, .key = {}, .value = unquoted(text)};
  const auto equals = text.find('=');
  if (equals == text.npos) return word;
  word.key = text.substr(0, equals);
  word.value = unquoted(text.substr(equals + 1));
  if (word.key.ends_with('+')) word.how = SetHow::add;
  if (word.key.ends_with('-')) word.how = SetHow::remove;
  if (word.how != SetHow::set) word.key.remove_suffix(1);
  return word;
}

class Reader {
 public:
  Reader(SiteCommand command, const SiteEntity& entity, Time now)
      : entity_(entity.entity), now_(now), in_settings_(command == SiteCommand::add) {
    line_.command = command;
    line_.special = entity.special;
    line_.request.verb = verb_of(command);
    line_.request.entity = entity.entity;
  }

  std::expected<SiteLine, std::string> read(std::span<const std::string> words) {
    for (const std::string& word : words) read_word(word);
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    return std::move(line_);
  }

 private:
  bool changes() const { return line_.command != SiteCommand::show; }

  void read_word(std::string_view text) {
    const Word word = split_word(text);
    if (word.key.empty() && text.find('=') == text.npos) {
      if (iequals(text, "where")) return begin(false);
      if (iequals(text, "set")) return begin(true);
      if (iequals(text, "and")) return;  // joins conditions, which are joined anyway
      return read_bare(word);
    }
    if (line_.command == SiteCommand::add) return read_either(word);
    return in_settings_ ? read_setting(word) : read_condition(word);
  }

  // `add` knows names and settings by their keys.
  void begin(bool settings) {
    if (settings) line_.has_settings_word = true;
    in_settings_ = settings || line_.command == SiteCommand::add;
  }

  void read_bare(const Word& word) {
    if (in_settings_ && line_.command != SiteCommand::add) return fault_option(word);
    const SiteKey* key = changes() ? nullptr : find_site_key(conditions_of(entity_), word.text);
    if (key && key->kind == ValueKind::on) return set_flag(*key);
    add_condition(bare_key(entity_), word.value);
  }

  void read_either(const Word& word) {
    const SiteKey* condition = find_site_key(place_keys(), word.key);
    const SiteKey* setting = find_site_key(settings_of(entity_), word.key);
    const bool is_setting =
        setting && (!condition || iequals(setting->word, word.key) || !is_place(*condition));
    if (is_setting) return read_setting(word);
    if (!condition || !is_place(*condition)) return fault_option(word);
    add_condition(condition->key, word.value);
  }
  std::span<const SiteKey> place_keys() const { return conditions_of(entity_); }
  // Where something is added, and its name.
  bool is_place(const SiteKey& key) const {
    if (key.kind != ValueKind::names) return false;
    for (std::string_view place : {"Name", "Account", "Cluster", "Partition", "Server"})
      if (key.key == place) return true;
    return false;
  }

  void read_condition(const Word& word) {
    const SiteKey* key = find_site_key(conditions_of(entity_), word.key);
    if (!key) return fault_condition(word);
    switch (key->kind) {
      case ValueKind::fields:
        if (!line_.format.empty()) line_.format += ',';
        line_.format += word.value;
        if (word.value.empty()) line_.format += ',';
        return;
      case ValueKind::on:
        return set_flag(*key);
      case ValueKind::start:
        return set_time(word, line_.request.start);
      case ValueKind::end:
        return set_time(word, line_.request.end);
      default:
        return add_condition(key->key, word.value);
    }
  }

  void read_setting(const Word& word) {
    const SiteKey* key = find_site_key(settings_of(entity_), word.key);
    if (!key) return fault_option(word);
    const bool is_amount = key->kind == ValueKind::amounts || key->kind == ValueKind::resource;
    if (is_amount && word.value.empty()) return fault_option(word);
    auto value = check_value(*key, word.text, word.value);
    if (!value) {
      faults_ += value.error();
      return fault_option(word);
    }
    line_.request.settings.push_back({key->key, word.how, value->sent});
    show(*key, word, std::move(value->shown));
  }

  // Several settings may be parts of one limit: GrpCPUs=4 GrpNodes=2.
  void show(const SiteKey& key, const Word& word, std::string value) {
    if (key.key == "QOS" && word.how != SetHow::set) {
      std::string signed_names;
      for (std::string_view name : split(value, ','))
        signed_names.append(signed_names.empty() ? "" : ",")
            .append(word.how == SetHow::add ? "+" : "-")
            .append(name);
      value = signed_names;
    }
    auto at = std::ranges::find(line_.shown, key.key, &ShownSetting::key);
    if (at == line_.shown.end())
      line_.shown.push_back({std::string(key.key), std::move(value), std::string(word.text)});
    else if (key.kind == ValueKind::resource || key.kind == ValueKind::amounts)
      at->value += "," + value;
    else
      at->value = std::move(value);
  }

  void set_flag(const SiteKey& key) {
    wire::AccountsRequest& request = line_.request;
    line_.flags.insert(key.flag);
    if (key.flag == ShowFlag::with_associations) request.with_associations = true;
    if (key.flag == ShowFlag::with_coordinators) request.with_coordinators = true;
    if (key.flag == ShowFlag::with_deleted) request.with_deleted = true;
    if (key.flag == ShowFlag::with_sub_accounts) request.with_sub_accounts = true;
    if (key.flag == ShowFlag::only_defaults) request.only_defaults = true;
    if (key.flag == ShowFlag::own_limits || key.flag == ShowFlag::no_parents)
      request.own_limits = true;
  }

  void set_time(const Word& word, Time& time) {
    const auto date = parse_date(word.value, now_, {.past = true});
    if (!date) {
      faults_ += error_lines("sacctmgr", fmt::format("Invalid time specification (pos={}): {}",
                                                     date_fault(word.value, now_), word.value));
      return;
    }
    time = *date;
  }

  void add_condition(std::string_view key, std::string_view values) {
    if (key == "Job") return add_jobs(values);
    auto at = std::ranges::find_if(line_.request.where,
                                   [&](const wire::Condition& row) { return row.key == key; });
    if (at == line_.request.where.end())
      at = line_.request.where.insert(line_.request.where.end(), {Text(key), {}});
    for (std::string_view value : split(values, ',')) at->values.emplace_back(unquoted(value));
  }

  void add_jobs(std::string_view values) {
    for (std::string_view value : split(values, ',')) {
      auto job = wire::parse_job_ref(value);
      if (job)
        line_.request.jobs.push_back(*job);
      else
        faults_ += error_lines("sacctmgr", fmt::format("Invalid job id {}", value));
    }
  }

  void fault_option(const Word& word) { faults_ += line_.unknown_option(word.text); }
  void fault_condition(const Word& word) {
    faults_ += fmt::format(" Unknown condition: {}\n", word.text);
    if (line_.command == SiteCommand::modify) faults_ += " Use keyword 'set' to modify value\n";
  }

  Entity entity_;
  Time now_;
  bool in_settings_;
  SiteLine line_;
  std::string faults_;
};

}  // namespace

bool SiteLine::has_condition(std::string_view key) const { return !names(key).empty(); }

std::vector<Text> SiteLine::names(std::string_view key) const {
  for (const wire::Condition& row : request.where)
    if (row.key == key) return row.values;
  return {};
}

const std::string* SiteLine::shown_value(std::string_view key) const {
  auto at = std::ranges::find(shown, key, &ShownSetting::key);
  return at == shown.end() ? nullptr : &at->value;
}

std::string SiteLine::unknown_option(std::string_view typed) const {
  std::string text = fmt::format(" Unknown option: {}\n", typed);
  if (command == SiteCommand::modify || request.entity == Entity::account)
    text += " Use keyword 'where' to modify condition\n";
  return text;
}

std::expected<SiteLine, std::string> read_site_line(SiteCommand command,
                                                    std::span<const std::string> words, Time now) {
  const SiteEntity* entity = words.empty() ? nullptr : find_site_entity(command, words.front());
  if (!entity) return std::unexpected(no_entity(command));
  return Reader(command, *entity, now).read(words.subspan(1));
}

}  // namespace muster::cli
