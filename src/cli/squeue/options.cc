// Reads squeue's command line and its SQUEUE_* variables.
#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/squeue/list.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines("squeue", text)});
}

Outcome set_users(QueueOptions& options, Value list) {
  options.users = split_list(list);
  options.filter.uids.clear();
  for (const std::string& name : options.users) {
    if (auto uid = find_user(name))
      options.filter.uids.push_back(*uid);
    else
      print_error("squeue", fmt::format("Invalid user: {}", name));
  }
  options.nobody = options.filter.uids.empty();
  return {};
}

Outcome set_me(QueueOptions& options, Value) {
  options.filter.uids = {own_uid()};
  return {};
}

Outcome set_jobs(QueueOptions& options, Value list) {
  auto parts = split_job_list(list);
  options.nobody |= !list.empty() && parts.empty();  // -j "" means no job
  for (const std::string& part : parts) {
    auto ref = wire::parse_job_ref(trim(part));
    if (!ref) return refuse(fmt::format("Invalid job id: {}", trim(part)));
    ref->component.reset();  // heterogeneous jobs are listed as a whole
    options.filter.jobs.push_back(std::move(*ref));
  }
  return {};
}

Outcome set_steps(QueueOptions& options, Value list) {
  options.steps = true;
  return set_jobs(options, list);
}

Outcome set_nodes(QueueOptions& options, Value list) {
  auto names = expand_hostlist(list);
  if (!names) return refuse(fmt::format("'{}' invalid entry for --nodelist", list));
  options.nobody |= names->empty();
  options.filter.nodes.clear();
  for (const std::string& name : *names) {
    char host[256] = "";
    bool here = name == "localhost" && gethostname(host, sizeof host - 1) == 0;
    options.filter.nodes.emplace_back(here ? std::string(host) : name);
  }
  return {};
}

Outcome set_format(QueueOptions& options, Value value) {
  if (!options.long_format.empty())
    return refuse("-o (--format) is incompatible with -O (--Format)");
  options.format = value;
  return {};
}
Outcome set_long_format(QueueOptions& options, Value value) {
  if (!options.format.empty()) return refuse("-O (--Format) is incompatible with -o (--format)");
  options.long_format = value;
  return {};
}

Outcome set_iteration(QueueOptions& options, Value value) {
  auto seconds = parse_number<int>(value);
  if (!seconds || *seconds <= 0) return refuse(fmt::format("--iterate={}", value));
  options.iterate_s = *seconds;
  return {};
}

Outcome no_yaml(QueueOptions&, Value) { return refuse("--yaml is not supported, use --json"); }

// An empty list, perhaps from a variable that a script forgot to set, selects nothing.
template <auto List>
Outcome filter_by(QueueOptions& options, Value value) {
  options.nobody |= value.empty();
  return put(options.filter.*List, value);
}

Outcome set_states(QueueOptions& options, Value value) {
  options.nobody |= value.empty();
  return put(options.states, value);
}

Outcome set_colour(QueueOptions&, Value when) { return choose_colours_by("squeue", when); }

using O = QueueOptions;
using F = wire::JobFilter;
// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"account", 'A', required}, "list", "jobs of these accounts", "SQUEUE_ACCOUNT"}, filter_by<&F::accounts>},
    {{{"accounts", 0, required}, "list", ""}, filter_by<&F::accounts>},
    {{{"all", 'a', none}, "", "include jobs in hidden partitions", "SQUEUE_ALL"}, flag<&O::all>},
    {{{"array", 'r', none}, "", "one line for each task of an array", "SQUEUE_ARRAY"}, flag<&O::array>},
    {{{"array-unique", 0, none}, "", "accepted: it has no effect", "SQUEUE_ARRAY_UNIQUE"}, accepted},
    {{{"cluster", 0, required}, "list", ""}, keep<&O::clusters>},
    {{{"clusters", 'M', required}, "list", "jobs of these clusters", "SLURM_CLUSTERS"}, keep<&O::clusters>},
    {{{"color", 0, Argument::optional, true}, "when", "states in colour: auto (on a terminal, unless NO_COLOR is set), always, never"}, set_colour},
    {{{"federation", 0, none}, "", "accepted: there are no federations", "SQUEUE_FEDERATION"}, accepted},
    {{{"Format", 'O', required}, "list", "columns by name: JobID:10,Name:.8 (also SQUEUE_FORMAT2)"}, set_long_format},
    {{{"format", 'o', required}, "format", "columns by letter: \"%.18i %.9P %j\" (also SQUEUE_FORMAT)"}, set_format},
    {{{"help", 0, none}, "", "show this list"}},
    {{{"hide", 0, none}, "", "no jobs in hidden partitions (the default)"}, flag<&O::all, false>},
    {{{"iterate", 'i', required}, "seconds", "list again and again at this interval"}, set_iteration},
    {{{"jobs", 'j', Argument::optional_word}, "list", "jobs with these ids: 12, 12_3"}, set_jobs},
    {{{"json", 0, none}, "", "print JSON"}, flag<&O::json>},
    {{{"licenses", 'L', required}, "list", "jobs that need these licenses", "SQUEUE_LICENSES"}, filter_by<&F::licenses>},
    {{{"local", 0, none}, "", "accepted: there are no federations", "SQUEUE_LOCAL"}, accepted},
    {{{"long", 'l', none}, "", "more columns"}, flag<&O::long_form>},
    {{{"me", 0, none}, "", "jobs of the calling user"}, set_me},
    {{{"name", 'n', required}, "list", "jobs with these names", "SQUEUE_NAMES"}, filter_by<&F::names>},
    {{{"noconvert", 0, none}, "", "do not convert amounts to larger units"}, flag<&O::no_convert>},
    {{{"node", 0, required}, "nodes", ""}, set_nodes},
    {{{"nodes", 0, required}, "nodes", ""}, set_nodes},
    {{{"nodelist", 'w', required}, "nodes", "jobs that run on these nodes"}, set_nodes},
    {{{"noheader", 'h', none}, "", "no header line"}, flag<&O::header, false>},
    {{{"partition", 'p', required}, "list", "jobs of these partitions", "SQUEUE_PARTITION"}, filter_by<&F::partitions>},
    {{{"partitions", 0, required}, "list", ""}, filter_by<&F::partitions>},
    {{{"priority", 'P', none}, "", "one line for each partition that a job waits for", "SQUEUE_PRIORITY"}, flag<&O::by_partition>},
    {{{"qos", 'q', required}, "list", "jobs of these qualities of service", "SQUEUE_QOS"}, filter_by<&F::qos>},
    {{{"reservation", 'R', required}, "name", "jobs of this reservation"}, filter_by<&F::reservations>},
    {{{"sibling", 0, none}, "", "accepted: there are no federations", "SQUEUE_SIBLING"}, accepted},
    {{{"sort", 'S', required}, "list", "order, letters of --format: P,t,-p", "SQUEUE_SORT"}, keep<&O::sort>},
    {{{"start", 0, none}, "", "expected start times of waiting jobs"}, flag<&O::start>},
    {{{"states", 't', required}, "list", "jobs in these states, 'all' for any; default: pending and active jobs", "SQUEUE_STATES"}, set_states},
    {{{"steps", 's', Argument::optional_word}, "list", "steps instead of jobs"}, set_steps},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"user", 'u', required}, "list", "jobs of these users, names or ids", "SQUEUE_USERS"}, set_users},
    {{{"users", 'U', required}, "list", ""}, set_users},
    {{{"verbose", 'v', none}, "", "print what is done"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
    {{{"yaml", 0, none}, "", ""}, no_yaml},
});
// clang-format on
constexpr CommandText kCommand{"squeue", "Lists the jobs of the queue.", ""};

// Format variables count only if the command line chose no format.
void apply_format_variables(QueueOptions& options) {
  if (options.long_form || !options.format.empty() || !options.long_format.empty()) return;
  options.format = env_text("SQUEUE_FORMAT");
  if (options.format.empty()) options.long_format = env_text("SQUEUE_FORMAT2");
}

}  // namespace

std::vector<OptionText> squeue_options() { return {kRows.begin(), kRows.end()}; }

std::expected<QueueOptions, Refusal> parse_squeue(std::span<const std::string> words) {
  QueueOptions options;
  auto rest = read_options<O>(kCommand, kRows, words, options);
  if (!rest) return std::unexpected(rest.error());
  if (!rest->empty())
    return std::unexpected(
        Refusal{error_lines("squeue", fmt::format("Unrecognized option: {}", rest->front())) +
                usage_of<O>(kCommand, kRows)});
  apply_format_variables(options);
  if (options.start && options.states.empty()) options.states = {"PENDING"};
  return options;
}

}  // namespace muster::cli
