#include "cli/scancel_options.h"

#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <fmt/format.h>

#include "base/hostlist.h"
#include "base/signals.h"
#include "base/strings.h"
#include "cli/lib/options_words.h"
#include "cli/lib/usage.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "scancel";
using Done = std::expected<void, Refusal>;
using Set = Done (*)(CancelOptions&, std::string_view value);

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kProgram, text), kExitFailure});
}

std::unexpected<Refusal> refuse_plain(std::string text) {  // without "scancel: error: "
  return std::unexpected(Refusal{std::move(text), kExitFailure});
}

template <auto Member>
Done flag(CancelOptions& o, std::string_view) {
  o.*Member = true;
  return {};
}

void note_filter(CancelOptions& o, std::string_view key, std::string_view value) {
  o.has_filter = true;
  o.filter_text += fmt::format("{}={} ", key, value);
}

Done account(CancelOptions& o, std::string_view value) {
  o.filter.accounts = {Text(value)};
  note_filter(o, "account", value);
  return {};
}
Done name(CancelOptions& o, std::string_view value) {
  o.filter.names = {Text(value)};
  note_filter(o, "job_name", value);
  return {};
}
Done partition(CancelOptions& o, std::string_view value) {
  o.filter.partitions = {Text(value)};
  note_filter(o, "partition", value);
  return {};
}
Done qos(CancelOptions& o, std::string_view value) {
  o.filter.qos = {Text(value)};
  note_filter(o, "qos", value);
  return {};
}
Done reservation(CancelOptions& o, std::string_view value) {
  o.filter.reservations = {Text(value)};
  note_filter(o, "reservation", value);
  return {};
}
Done wckey(CancelOptions& o, std::string_view value) {
  o.wckey = value;
  note_filter(o, "wckey", value);
  return {};
}

Done node_list(CancelOptions& o, std::string_view value) {
  auto names = expand_hostlist(value);
  if (!names) return refuse(fmt::format("Invalid node name specified: {}", value));
  o.filter.nodes.assign(names->begin(), names->end());
  note_filter(o, "nodelist", value);
  return {};
}

Done state(CancelOptions& o, std::string_view value) {
  auto parsed = parse_job_state(value);
  if (!parsed)
    return refuse_plain(
        fmt::format("Invalid job state specified: {}\n"
                    "Valid job states are PENDING, RUNNING, and SUSPENDED\n",
                    value));
  o.filter.states = {*parsed};
  note_filter(o, "state", state_name(*parsed));
  return {};
}

Done user(CancelOptions& o, std::string_view value) {
  std::string text(value);
  auto number = parse_number<std::uint32_t>(text);
  if (const passwd* entry = ::getpwnam(text.c_str()))
    number = entry->pw_uid;
  else if (!number)
    return refuse(fmt::format("Invalid user name: {}", value));
  o.filter.uids = {Uid{*number}};
  note_filter(o, "user_name", value);
  return {};
}

Done me(CancelOptions& o, std::string_view) {
  o.filter.uids = {Uid{::getuid()}};
  note_filter(o, "user_id", std::to_string(::getuid()));
  return {};
}

Done signal(CancelOptions& o, std::string_view value) {
  auto number = parse_signal(value);
  if (!number || *number == 0) return refuse_plain(fmt::format("Unknown job signal: {}\n", value));
  o.signal = *number;
  return {};
}

Done verbose(CancelOptions& o, std::string_view value) {
  o.verbose = value.empty() ? o.verbose + 1 : parse_number<std::uint32_t>(value).value_or(0);
  return {};
}

Done nothing(CancelOptions&, std::string_view) { return {}; }

Done not_yet_clusters(CancelOptions&, std::string_view) {
  return refuse("--clusters: not supported yet");
}
Done not_yet_sibling(CancelOptions&, std::string_view) {
  return refuse("--sibling: not supported yet");
}

struct Row {
  WordOption word;
  Set set;
  std::string_view value_name, help;
  const char* variable = nullptr;
};
constexpr Argument none = Argument::none, required = Argument::required;
using O = CancelOptions;
// clang-format off
constexpr auto kRows = std::to_array<Row>({
    {{"account", 'A', required}, account, "name", "only jobs of this account", "SCANCEL_ACCOUNT"},
    {{"batch", 'b', none}, flag<&O::batch_only>, "", "signal only the batch shell", "SCANCEL_BATCH"},
    {{"cluster", 0, required}, not_yet_clusters, "names", ""},
    {{"clusters", 'M', required}, not_yet_clusters, "names", "clusters to ask", "SLURM_CLUSTERS"},
    {{"ctld", 0, none}, nothing, "", "let the controller find the jobs (it always does)", "SCANCEL_CTLD"},
    {{"full", 'f', none}, flag<&O::full>, "", "signal the batch shell and all steps", "SCANCEL_FULL"},
    {{"help", 0, none}, flag<&O::help>, "", "show this list"},
    {{"hurry", 'H', none}, flag<&O::hurry>, "", "skip the stage-out of burst buffers", "SCANCEL_HURRY"},
    {{"interactive", 'i', none}, flag<&O::interactive>, "", "ask about each job", "SCANCEL_INTERACTIVE"},
    {{"me", 0, none}, me, "", "only one's own jobs"},
    {{"name", 'n', required}, name, "name", "only jobs of this name", "SCANCEL_NAME"},
    {{"jobname", 0, required}, name, "name", ""},
    {{"nodelist", 'w', required}, node_list, "nodes", "only jobs on these nodes"},
    {{"partition", 'p', required}, partition, "name", "only jobs in this partition", "SCANCEL_PARTITION"},
    {{"qos", 'q', required}, qos, "name", "only jobs of this quality of service", "SCANCEL_QOS"},
    {{"quiet", 'Q', none}, flag<&O::quiet>, "", "no word about jobs that have ended"},
    {{"reservation", 'R', required}, reservation, "name", "only jobs of this reservation"},
    {{"sibling", 0, required}, not_yet_sibling, "cluster", "remove a federated job's sibling"},
    {{"signal", 's', required}, signal, "name|number", "send this signal instead of ending the job"},
    {{"state", 't', required}, state, "state", "only jobs in this state: PENDING, RUNNING, SUSPENDED", "SCANCEL_STATE"},
    {{"usage", 0, none}, flag<&O::usage>, "", "show the options in short"},
    {{"user", 'u', required}, user, "name", "only jobs of this user", "SCANCEL_USER"},
    {{"verbose", 'v', none}, verbose, "", "say what is done", "SCANCEL_VERBOSE"},
    {{"version", 'V', none}, flag<&O::version>, "", "show the version"},
    {{"wckey", 0, required}, wckey, "key", "only jobs with this workload key", "SCANCEL_WCKEY"},
});
// clang-format on

// At commas, but not at those between brackets: "12,13_[1,4]".
std::vector<std::string_view> split_ids(std::string_view word) {
  std::vector<std::string_view> ids;
  std::size_t start = 0;
  bool in_brackets = false;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    if (i == word.size() || (word[i] == ',' && !in_brackets)) {
      if (i > start) ids.push_back(word.substr(start, i - start));
      start = i + 1;
    } else if (word[i] == '[' || word[i] == ']') {
      in_brackets = word[i] == '[';
    }
  }
  return ids;
}

Done read_variables(CancelOptions& options) {
  for (const Row& row : kRows) {
    const char* value = row.variable ? std::getenv(row.variable) : nullptr;
    if (!value) continue;
    if (auto done = row.set(options, value); !done) return done;
  }
  return {};
}

Done read_ids(CancelOptions& options, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (std::string_view id : split_ids(word)) {
      auto ref = wire::parse_job_ref(id);
      if (!ref) return refuse(fmt::format("Invalid job id {}", id));
      options.jobs.push_back(std::move(*ref));
    }
  }
  return {};
}

}  // namespace

std::expected<CancelOptions, Refusal> parse_cancel(std::span<const std::string> words) {
  std::vector<WordOption> known;
  for (const Row& row : kRows) known.push_back(row.word);
  auto split = split_options(known, words, Operands::anywhere);
  if (!split)
    return std::unexpected(Refusal{fmt::format("{}: {}\nTry \"{} --help\" for more information\n",
                                               kProgram, split.error(), kProgram),
                                   kExitFailure});
  CancelOptions options;
  if (auto done = read_variables(options); !done) return std::unexpected(done.error());
  for (const GivenOption& given : split->options)
    if (auto done = kRows[given.option].set(options, given.value); !done)
      return std::unexpected(done.error());
  if (options.help || options.usage || options.version) return options;
  if (auto done = read_ids(options, split->rest); !done) return std::unexpected(done.error());
  if (options.jobs.empty() && !options.has_filter && !options.interactive)
    return refuse("No job identification provided");
  // KILL is what ending a job means anyway.
  if (options.signal == SIGKILL && !options.batch_only && !options.full) options.signal = 0;
  return options;
}

std::string cancel_help() {
  std::string out = "Usage: scancel [options] [job_id[_task_id][.step_id]...]\n\nOptions:\n";
  for (const Row& row : kRows)
    if (!row.help.empty())
      out += help_line(row.word.letter, row.word.name, row.value_name, false, row.help);
  return out;
}

std::string cancel_usage() {
  std::vector<std::string> parts;
  for (const Row& row : kRows) {
    if (row.help.empty()) continue;
    parts.push_back(row.value_name.empty()
                        ? fmt::format("[--{}]", row.word.name)
                        : fmt::format("[--{}={}]", row.word.name, row.value_name));
  }
  parts.emplace_back("[job_id[_task_id][.step_id]...]");
  return wrapped_usage(kProgram, parts);
}

}  // namespace muster::cli
