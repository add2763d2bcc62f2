// Finds out what kind of word is being typed, and lists options.
#include "cli/muster/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/options/option_lists.h"
#include "cli/options/option_table.h"

namespace muster::cli {

namespace {

struct OptionWord {
  std::string name;
  char letter = 0;
  Argument argument = Argument::none;
  std::string value_name, help;
};
using OptionWords = std::vector<OptionWord>;

OptionWords job_options(Client client) {
  OptionWords words;
  for (const OptionRow& row : option_table())
    if (row.belongs_to(client))
      words.push_back({std::string(row.name), row.letter, row.argument, std::string(row.value_name),
                       std::string(row.help)});
  return words;
}

OptionWords of_table(const std::vector<OptionText>& table) {
  OptionWords words;
  for (const OptionText& text : table)
    words.push_back({std::string(text.word.name), text.word.letter, text.word.argument,
                     std::string(text.value_name), std::string(text.help)});
  return words;
}

struct Table {
  std::string_view command;
  OptionWords (*options)();
};
template <std::vector<OptionText> (*List)()>
OptionWords listed() {
  return of_table(List());
}
constexpr std::array kTables{
    Table{"sbatch", [] { return job_options(Client::sbatch); }},
    Table{"srun", [] { return job_options(Client::srun); }},
    Table{"salloc", [] { return job_options(Client::salloc); }},
    Table{"sacct", listed<sacct_options>},
    Table{"sattach", listed<sattach_options>},
    Table{"sbcast", listed<sbcast_options>},
    Table{"scancel", listed<scancel_options>},
    Table{"sdiag", listed<sdiag_options>},
    Table{"seff", listed<seff_options>},
    Table{"sinfo", listed<sinfo_options>},
    Table{"sprio", listed<sprio_options>},
    Table{"squeue", listed<squeue_options>},
    Table{"sshare", listed<sshare_options>},
    Table{"sstat", listed<sstat_options>},
    Table{"strigger", listed<strigger_options>},
};

OptionWords options_of(std::string_view command) {
  auto table = std::ranges::find(kTables, command, &Table::command);
  return table == kTables.end() ? OptionWords() : table->options();
}

// "--partition", "-p", "-pmain": the option whose value is, or follows, the word.
std::optional<OptionWord> option_in(std::string_view command, std::string_view word) {
  const bool is_long = word.starts_with("--");
  if (word.size() < 2 || word[0] != '-') return std::nullopt;
  for (const OptionWord& option : options_of(command))
    if (is_long ? option.name == word.substr(2) : option.letter == word[1]) return option;
  return std::nullopt;
}

struct KindOfName {
  std::string_view name;
  WordKind kind;
};
constexpr std::array kKindsByName{
    KindOfName{"partition", WordKind::partition},
    KindOfName{"partitions", WordKind::partition},
    KindOfName{"nodelist", WordKind::node},
    KindOfName{"exclude", WordKind::node},
    KindOfName{"node", WordKind::node},
    KindOfName{"account", WordKind::account},
    KindOfName{"accounts", WordKind::account},
    KindOfName{"qos", WordKind::qos},
    KindOfName{"constraint", WordKind::feature},
    KindOfName{"prefer", WordKind::feature},
    KindOfName{"reservation", WordKind::reservation},
    KindOfName{"jobs", WordKind::job},
    KindOfName{"jobid", WordKind::job},
    KindOfName{"job", WordKind::job},
    KindOfName{"color", WordKind::when},
};

WordKind kind_of_value(const OptionWord& option) {
  if (option.value_name == "nodes") return WordKind::node;
  auto found = std::ranges::find(kKindsByName, option.name, &KindOfName::name);
  return found == kKindsByName.end() ? WordKind::other : found->kind;
}

bool takes_jobs(std::string_view command) {
  return command == "scancel" || command == "seff" || command == "sattach";
}

bool acts_on_jobs(std::string_view verb) {
  constexpr std::array<std::string_view, 13> kVerbs{
      "hold",    "holdu", "uhold",  "release",  "requeue",  "requeuehold", "resume",
      "suspend", "top",   "notify", "wait_job", "listpids", "write"};
  return std::ranges::find(kVerbs, verb) != kVerbs.end();
}

// A word of scontrol that is no option.
WordKind scontrol_word(const std::vector<std::string>& words, std::size_t at) {
  if (at == 1) return WordKind::command;
  if (words[1] != "show")
    return at == 2 && acts_on_jobs(words[1]) ? WordKind::job : WordKind::other;
  if (at == 2) return WordKind::entity;
  const std::string_view entity = words[2];
  if (entity.starts_with("job") || entity.starts_with("step")) return WordKind::job;
  if (entity.starts_with("node")) return WordKind::node;
  if (entity.starts_with("part")) return WordKind::partition;
  return entity.starts_with("res") ? WordKind::reservation : WordKind::other;
}

WordKind operand(const std::vector<std::string>& words, std::size_t at) {
  const std::string_view command = words[0];
  if (takes_jobs(command)) return WordKind::job;
  if (command == "scontrol") return scontrol_word(words, at);
  if (command != "muster") return WordKind::other;
  if (at == 1) return WordKind::command;
  return words[1] == "explain" ? WordKind::job : WordKind::other;
}

// In a list such as "a,b" the last name is completed.
Wanted value(WordKind kind, std::string kept, std::string begun) {
  const auto comma = begun.rfind(',');
  if (kind != WordKind::when && comma != begun.npos) {
    kept += begun.substr(0, comma + 1);
    begun.erase(0, comma + 1);
  }
  return {.kind = kind, .command = {}, .kept = std::move(kept), .begun = std::move(begun)};
}

constexpr std::array<std::string_view, 8> kEntities{
    "job", "node", "partition", "config", "reservation", "licenses", "step", "topology"};
constexpr std::array<std::string_view, 7> kMusterWords{"up",  "down",       "status", "explain",
                                                       "sim", "completion", "help"};

}  // namespace

Wanted wanted_word(const std::vector<std::string>& given, std::size_t at) {
  std::vector<std::string> words(
      given.begin(), given.begin() + static_cast<std::ptrdiff_t>(std::min(at + 1, given.size())));
  if (words.size() < 2) return {};
  words[0] = words[0].substr(words[0].rfind('/') + 1);
  const std::string word = words.back();
  // bash makes three words of "--partition=main".
  const std::size_t last = words.size() - 1;
  const bool follows_equals = last >= 2 && words[last - 1] == "=";
  const bool is_equals = word == "=";
  const std::string& before = follows_equals ? words[last - 2] : words[last - 1];
  if (const auto equals = word.find('='); word.starts_with("--") && equals != word.npos) {
    auto option = option_in(words[0], std::string_view(word).substr(0, equals));
    if (!option) return {};
    return value(kind_of_value(*option), word.substr(0, equals + 1), word.substr(equals + 1));
  }
  if (last >= 2 || is_equals) {
    auto option = option_in(words[0], before);
    if (option && (follows_equals || is_equals))
      return value(kind_of_value(*option), "", is_equals ? "" : word);
    if (option && before.size() > 1 && !word.starts_with('-') &&
        (option->argument == Argument::required || option->argument == Argument::optional_word))
      return value(kind_of_value(*option), "", word);
  }
  if (word.starts_with('-'))
    return {.kind = WordKind::option, .command = words[0], .kept = {}, .begun = word};
  return {.kind = operand(words, last), .command = words[0], .kept = {}, .begun = word};
}

std::vector<Candidate> candidates_for(const Wanted& wanted) {
  std::vector<Candidate> all;
  auto add = [&](const auto& words) {
    for (std::string_view word : words) all.push_back({std::string(word), {}});
  };
  switch (wanted.kind) {
    case WordKind::other:
      return {};
    case WordKind::option:
      for (const OptionWord& option : options_of(wanted.command))
        if (!option.help.empty()) all.push_back({"--" + option.name, option.help});
      break;
    case WordKind::command:
      if (wanted.command == "scontrol")
        add(scontrol_words());
      else
        add(kMusterWords);
      break;
    case WordKind::entity:
      add(kEntities);
      break;
    case WordKind::when:
      add(std::array<std::string_view, 3>{"auto", "always", "never"});
      break;
    default:
      all = names_in_cluster(wanted.kind);
  }
  std::erase_if(all, [&](const Candidate& c) { return !c.word.starts_with(wanted.begun); });
  for (Candidate& candidate : all) candidate.word.insert(0, wanted.kept);
  return all;
}

}  // namespace muster::cli
