// Reads the options of scancel.
#include "cli/scancel/options.h"
#include "cli/options/option_lists.h"

#include <unistd.h>

#include <array>
#include <csignal>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/signals.h"
#include "base/text/strings.h"
#include "cli/lib/name_lookup.h"
#include "cli/options/command_options.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kScancel, text), kExitFailure});
}

std::unexpected<Refusal> refuse_plain(std::string text) {  // without "scancel: error: "
  return std::unexpected(Refusal{std::move(text), kExitFailure});
}

void note_filter(CancelOptions& o, std::string_view key, std::string_view value) {
  o.has_filter = true;
  o.filter_text += fmt::format("{}={} ", key, value);
}

Outcome account(CancelOptions& o, std::string_view value) {
  o.filter.accounts = {Text(value)};
  note_filter(o, "account", value);
  return {};
}
Outcome name(CancelOptions& o, std::string_view value) {
  o.filter.names = {Text(value)};
  note_filter(o, "job_name", value);
  return {};
}
Outcome partition(CancelOptions& o, std::string_view value) {
  o.filter.partitions = {Text(value)};
  note_filter(o, "partition", value);
  return {};
}
Outcome qos(CancelOptions& o, std::string_view value) {
  o.filter.qos = {Text(value)};
  note_filter(o, "qos", value);
  return {};
}
Outcome reservation(CancelOptions& o, std::string_view value) {
  o.filter.reservations = {Text(value)};
  note_filter(o, "reservation", value);
  return {};
}
Outcome wckey(CancelOptions& o, std::string_view value) {
  o.wckey = value;
  note_filter(o, "wckey", value);
  return {};
}

Outcome node_list(CancelOptions& o, std::string_view value) {
  auto names = expand_hostlist(value);
  if (!names) return refuse(fmt::format("Invalid node name specified: {}", value));
  o.filter.nodes.assign(names->begin(), names->end());
  note_filter(o, "nodelist", value);
  return {};
}

Outcome state(CancelOptions& o, std::string_view value) {
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

Outcome user(CancelOptions& o, std::string_view value) {
  auto uid = find_user(value);
  if (!uid) return refuse(fmt::format("Invalid user name: {}", value));
  o.filter.uids = {*uid};
  note_filter(o, "user_name", value);
  return {};
}

Outcome me(CancelOptions& o, std::string_view) {
  o.filter.uids = {Uid{::getuid()}};
  note_filter(o, "user_id", std::to_string(::getuid()));
  return {};
}

Outcome signal(CancelOptions& o, std::string_view value) {
  auto number = parse_signal(value);
  if (!number) number = parse_number<int>(value);  // an unknown signal number has no effect
  if (!number || *number == 0) return refuse_plain(fmt::format("Unknown job signal: {}\n", value));
  o.signal = *number;
  return {};
}

Outcome verbose(CancelOptions& o, std::string_view value) {
  o.verbose = value.empty() ? o.verbose + 1 : parse_number<std::uint32_t>(value).value_or(0);
  return {};
}

using O = CancelOptions;
// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"account", 'A', required}, "name", "only jobs of this account", "SCANCEL_ACCOUNT"}, account},
    {{{"batch", 'b', none}, "", "signal only the batch shell", "SCANCEL_BATCH"}, flag<&O::batch_only>},
    {{{"cluster", 0, required}, "names", ""}, keep<&O::clusters>},
    {{{"clusters", 'M', required}, "names", "clusters to ask", "SLURM_CLUSTERS"}, keep<&O::clusters>},
    {{{"ctld", 0, none}, "", "let the controller find the jobs (it always does)", "SCANCEL_CTLD"}, accepted},
    {{{"full", 'f', none}, "", "signal the batch shell and all steps", "SCANCEL_FULL"}, flag<&O::full>},
    {{{"help", 0, none}, "", "show this list"}},
    {{{"hurry", 'H', none}, "", "accepted: there are no burst buffers", "SCANCEL_HURRY"}, accepted},
    {{{"interactive", 'i', none}, "", "ask about each job", "SCANCEL_INTERACTIVE"}, flag<&O::interactive>},
    {{{"me", 0, none}, "", "only your own jobs"}, me},
    {{{"name", 'n', required}, "name", "only jobs of this name", "SCANCEL_NAME"}, name},
    {{{"jobname", 0, required}, "name", ""}, name},
    {{{"nodelist", 'w', required}, "nodes", "only jobs on these nodes"}, node_list},
    {{{"partition", 'p', required}, "name", "only jobs in this partition", "SCANCEL_PARTITION"}, partition},
    {{{"qos", 'q', required}, "name", "only jobs of this quality of service", "SCANCEL_QOS"}, qos},
    {{{"quiet", 'Q', none}, "", "no messages about ended jobs"}, flag<&O::quiet>},
    {{{"reservation", 'R', required}, "name", "only jobs of this reservation"}, reservation},
    {{{"sibling", 0, required}, "cluster", "there are no federations: no job matches"}, keep<&O::sibling>},
    {{{"signal", 's', required}, "name|number", "send this signal instead of ending the job"}, signal},
    {{{"state", 't', required}, "state", "only jobs in this state: PENDING, RUNNING, SUSPENDED", "SCANCEL_STATE"}, state},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"user", 'u', required}, "name", "only jobs of this user", "SCANCEL_USER"}, user},
    {{{"verbose", 'v', none}, "", "print what is done", "SCANCEL_VERBOSE"}, verbose},
    {{{"version", 'V', none}, "", "show the version"}},
    {{{"wckey", 0, required}, "key", "only jobs with this workload key", "SCANCEL_WCKEY"}, wckey},
});
// clang-format on
constexpr CommandText kCommand{kScancel, "", "[job_id[_task_id][.step_id]...]"};

Outcome read_ids(CancelOptions& options, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const std::string& id : split_job_list(word)) {
      auto ref = wire::parse_job_ref(id);
      if (!ref) return refuse(fmt::format("Invalid job id {}", id));
      options.jobs.push_back(std::move(*ref));
    }
  }
  return {};
}

}  // namespace

std::vector<OptionText> scancel_options() { return {kRows.begin(), kRows.end()}; }

std::expected<CancelOptions, Refusal> parse_cancel(std::span<const std::string> words) {
  CancelOptions options;
  auto rest = read_options<O>(kCommand, kRows, words, options);
  if (!rest) return std::unexpected(rest.error());
  if (auto done = read_ids(options, *rest); !done) return std::unexpected(done.error());
  if (options.jobs.empty() && !options.has_filter && !options.interactive)
    return refuse("No job identification provided");
  return options;
}

}  // namespace muster::cli
