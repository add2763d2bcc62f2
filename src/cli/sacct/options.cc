// Reads the command line of sacct.
#include <array>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/sacct/fetch.h"
#include "cli/sacct/list.h"

namespace muster::cli {

namespace {

constexpr std::string_view kUsual = "jobid,jobname,partition,account,alloccpus,state,exitcode";
constexpr std::string_view kBrief = "jobid,state,exitcode";
constexpr std::string_view kLong =
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,"
    "maxrssnode,maxrsstask,"
    "averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,"
    "alloccpus,elapsed,"
    "state,exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,"
    "maxdiskread,"
    "maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,"
    "avediskwrite,reqtres,"
    "alloctres,tresusageinave,tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,tresusageinmin,"
    "tresusageinminnode,"
    "tresusageinmintask,tresusageintot,tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,"
    "tresusageoutave,"
    "tresusageouttot";

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines("sacct", text)});
}
std::unexpected<Refusal> die(std::string_view text) {
  return std::unexpected(Refusal{fatal_line("sacct", text)});
}

// Values that depend on several options.
struct Parsing {
  AcctOptions options;
  std::string format;
  bool brief = false, long_form = false, all_users = false;
  Time now;
};

Outcome add_jobs(Parsing& parsing, Value list) {
  for (const std::string& part : split_list(list)) {
    auto ref = wire::parse_job_ref(part);
    if (!ref) return die(fmt::format("Bad job/step specified: {}", part));
    parsing.options.request.jobs.push_back(std::move(*ref));
  }
  return {};
}

Outcome add_users(Parsing& parsing, Value list) {
  for (const std::string& part : split_list(list)) {
    auto uid = find_user(part);
    if (!uid) return refuse(fmt::format("Invalid user id: {}", part));
    parsing.options.request.uids.push_back(*uid);
  }
  return {};
}

Outcome add_groups(Parsing& parsing, Value list) {
  for (const std::string& part : split_list(list)) {
    auto gid = find_group(part);
    if (!gid) return refuse(fmt::format("Invalid group id: {}", part));
    parsing.options.gids.push_back(*gid);
  }
  return {};
}

Outcome add_states(Parsing& parsing, Value list) {
  constexpr std::string_view kOnlyHere[] = {"REQUEUED", "RQ", "RESIZING", "RS", "REVOKED", "RV"};
  wire::AccountingRequest& request = parsing.options.request;
  request.by_state = true;
  for (const std::string& part : split_list(list)) {
    bool known =
        parse_job_state(part) ||
        std::ranges::any_of(kOnlyHere, [&](std::string_view name) { return iequals(name, part); });
    if (!known) return die(fmt::format("unrecognized job state value '{}'", part));
    request.states.emplace_back(part);
  }
  return {};
}

template <auto Member>
Outcome set_time(Parsing& parsing, Value value) {
  auto parsed = parse_date(value, parsing.now, {.past = true});
  if (!parsed)
    return std::unexpected(
        Refusal{fmt::format("Invalid time specification (pos={}): {}\n",
                            date_fault(value, parsing.now, {.past = true}), value)});
  parsing.options.request.*Member = *parsed;
  return {};
}

template <auto Member>
Outcome set_range(Parsing& parsing, Value text) {
  auto dash = text.find('-');
  auto least = parse_number<std::uint32_t>(text.substr(0, dash));
  auto most = dash == text.npos ? least : parse_number<std::uint32_t>(text.substr(dash + 1));
  constexpr bool is_cpus = Member == &AcctOptions::cpus_between;
  if (!least || !most)
    return refuse(fmt::format("Invalid numeric value \"{}\" for requested {} range.", text,
                              is_cpus ? "cpu" : "node"));
  parsing.options.*Member = {*least, *most};
  return {};
}

template <auto Member>
Outcome set_limit(Parsing& parsing, Value value) {
  auto limit = parse_time_limit(value);
  if (!limit) return die("Invalid time limit specification");
  parsing.options.*Member = *limit;
  return {};
}

Outcome set_units(Parsing& parsing, Value value) {
  char unit = value.size() == 1 ? upper(value)[0] : '\0';
  if (unit == '\0' || std::string_view("KMGTP").find(unit) == std::string_view::npos)
    return std::unexpected(Refusal{
        error_lines("sacct",
                    fmt::format("Invalid unit type '{}'. Possible options are 'KMGTP'", value)) +
        fatal_line("sacct", "Invalid unit type")});
  parsing.options.units.unit = unit;
  return {};
}

Outcome add_format(Parsing& parsing, Value value) {
  parsing.format += (parsing.format.empty() ? "" : ",") + std::string(value);
  return {};
}
Outcome raw_units(Parsing& parsing, Value) {
  parsing.options.units.convert = false;
  return {};
}
Outcome add_nodes(Parsing& parsing, Value value) {
  parsing.options.request.nodes.emplace_back(value);
  return {};
}
Outcome list_fields(Parsing&, Value) { return std::unexpected(Refusal{acct_field_list(), 0}); }
Outcome no_completion(Parsing&, Value) {
  return std::unexpected(Refusal{"Slurm job completion is disabled\n"});
}
Outcome all_clusters(Parsing& parsing, Value) {
  parsing.options.request.clusters = {Text(kAllClusters)};
  return {};
}
Outcome no_yaml(Parsing&, Value) { return refuse("--yaml is not supported, use --json"); }

template <auto Member>
Outcome option(Parsing& parsing, Value) {
  parsing.options.*Member = true;
  return {};
}
template <auto Member>
Outcome only(Parsing& parsing, Value list) {
  return put(parsing.options.*Member, list);
}
template <auto Member>
Outcome ask(Parsing& parsing, Value) {
  parsing.options.request.*Member = true;
  return {};
}
template <auto Member>
Outcome ask_for(Parsing& parsing, Value list) {
  return add(parsing.options.request.*Member, list);
}
template <AcctForm Form>
Outcome set_form(Parsing& parsing, Value) {
  parsing.options.form = Form;
  return {};
}
Outcome hide_header(Parsing& parsing, Value) {
  parsing.options.header = false;
  return {};
}
Outcome set_delimiter(Parsing& parsing, Value value) {
  return put(parsing.options.delimiter, value);
}
Outcome say_more(Parsing& parsing, Value) {
  ++parsing.options.verbose;
  return {};
}

using P = Parsing;
Outcome set_colour(Parsing&, Value when) { return choose_colours_by("sacct", when); }

using O = AcctOptions;
using R = wire::AccountingRequest;
// clang-format off
constexpr auto kRows = std::to_array<CommandOption<P>>({
    {{{"accounts", 'A', required}, "list", "jobs of these accounts"}, ask_for<&R::accounts>},
    {{{"allclusters", 'L', none}, "", "jobs of all clusters that slurmdbd knows", "SACCT_ALL_CLUSTERS"}, all_clusters},
    {{{"allocations", 'X', none}, "", "jobs only, no steps"}, ask<&R::allocations_only>},
    {{{"allusers", 'a', none}, "", "jobs of all users (root: the default)"}, flag<&P::all_users>},
    {{{"associations", 'x', required}, "list", ""}, accepted},
    {{{"batch-script", 'B', none}, "", "print the jobs' scripts instead"}, option<&O::batch_script>},
    {{{"brief", 'b', none}, "", "id, state and exit code"}, flag<&P::brief>},
    {{{"cluster", 0, required}, "list", ""}, ask_for<&R::clusters>},
    {{{"clusters", 'M', required}, "list", "jobs of these clusters", "SLURM_CLUSTERS"}, ask_for<&R::clusters>},
    {{{"color", 0, Argument::optional, true}, "when", "states in colour: auto (on a terminal, unless NO_COLOR is set), always, never"}, set_colour},
    {{{"completion", 'c', none}, "", ""}, no_completion},
    {{{"constraints", 'C', required}, "list", "jobs that asked for all of these features"}, only<&O::constraints>},
    {{{"delimiter", 0, required}, "text", "between the fields of -p and -P"}, set_delimiter},
    {{{"duplicates", 'D', none}, "", "include earlier runs of requeued jobs"}, ask<&R::duplicates>},
    {{{"endtime", 'E', required}, "time", "jobs that existed before this time"}, set_time<&R::end>},
    {{{"env-vars", 0, none}, "", "print the jobs' environments instead"}, option<&O::environment>},
    {{{"federation", 0, none}, "", "accepted: there are no federations", "SACCT_FEDERATION"}, accepted},
    {{{"file", 'f', required}, "file", ""}, no_completion},
    {{{"flags", 'F', required}, "list", ""}, accepted},
    {{{"format", 'o', required}, "list", "these fields: jobid,state%20,name%-8 (also SACCT_FORMAT)"}, add_format},
    {{{"gid", 'g', required}, "list", "jobs of these groups"}, add_groups},
    {{{"group", 0, required}, "list", ""}, add_groups},
    {{{"help", 'h', none}, "", "show this list"}},
    {{{"helpformat", 'e', none}, "", "list the names of all fields"}, list_fields},
    {{{"jobs", 'j', required}, "list", "these jobs: 12, 12_3, 12.batch"}, add_jobs},
    {{{"json", 0, none}, "", "print JSON"}, option<&O::json>},
    {{{"local", 0, none}, "", "accepted: there are no federations", "SACCT_LOCAL"}, accepted},
    {{{"long", 'l', none}, "", "many fields"}, flag<&P::long_form>},
    {{{"name", 0, required}, "list", "jobs with these names"}, ask_for<&R::names>},
    {{{"ncpus", 'I', required}, "min[-max]", "jobs with this number of CPUs"}, set_range<&O::cpus_between>},
    {{{"nnodes", 'i', required}, "min[-max]", "jobs with this number of nodes"}, set_range<&O::nodes_between>},
    {{{"noconvert", 0, none}, "", "do not convert amounts; used memory in bytes"}, raw_units},
    {{{"nodelist", 'N', required}, "nodes", "jobs that ran on one of these nodes"}, add_nodes},
    {{{"noheader", 'n', none}, "", "no header lines"}, hide_header},
    {{{"parsable", 'p', none}, "", "fields end with |"}, set_form<AcctForm::bars_ending>},
    {{{"parsable2", 'P', none}, "", "fields are separated by |"}, set_form<AcctForm::bars>},
    {{{"partition", 'r', required}, "list", "jobs of these partitions"}, ask_for<&R::partitions>},
    {{{"qos", 'q', required}, "list", "jobs of these qualities of service"}, ask_for<&R::qos>},
    {{{"reason", 'R', required}, "list", "jobs that waited for one of these reasons"}, only<&O::reasons>},
    {{{"starttime", 'S', required}, "time", "jobs that existed after this time; default: midnight"}, set_time<&R::start>},
    {{{"state", 's', required}, "list", "jobs in one of these states during the window"}, add_states},
    {{{"timelimit-max", 'K', required}, "limit", "jobs with at most this limit"}, set_limit<&O::most_limit>},
    {{{"timelimit-min", 'k', required}, "limit", "jobs with this limit, or at least this one with -K"}, set_limit<&O::least_limit>},
    {{{"truncate", 'T', none}, "", "cut times to the window"}, option<&O::truncate_times>},
    {{{"uid", 0, required}, "list", ""}, add_users},
    {{{"units", 0, required}, "KMGTP", "amounts in this unit"}, set_units},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"use-local-uid", 0, none}, "", "accepted: users are those of this machine"}, accepted},
    {{{"user", 'u', required}, "list", "jobs of these users"}, add_users},
    {{{"verbose", 'v', none}, "", "print what is done"}, say_more},
    {{{"version", 'V', none}, "", "show the version"}},
    {{{"wckeys", 'W', required}, "list", "jobs with these workload keys"}, only<&O::wckeys>},
    {{{"whole-hetjob", 0, Argument::optional}, "yes|no", ""}, accepted},
    {{{"yaml", 0, none}, "", ""}, no_yaml},
});
// clang-format on
constexpr CommandText kCommand{"sacct", "Lists jobs and steps, also those that have ended.", "",
                               /*hints_at_help=*/false};

Outcome finish(Parsing& parsing) {
  AcctOptions& options = parsing.options;
  wire::AccountingRequest& request = options.request;
  if (!parsing.format.empty() && parsing.long_form)
    return die(
        "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.");
  const Time end = is_set(request.end) ? request.end : parsing.now;
  // States without a start mean the present moment.
  const bool is_now = request.by_state && request.jobs.empty() && !is_set(request.start);
  const Time start = is_now ? parsing.now : request.start;
  if (is_set(start) && start > end)
    return refuse(fmt::format("Start time ({}) requested is after end time ({}).",
                              format_date(start), format_date(end)));
  request.all_users = parsing.all_users || (request.uids.empty() && own_uid() == Uid{0});
  if (!request.all_users && request.uids.empty()) request.uids = {own_uid()};
  std::string format = parsing.format;
  if (format.empty() && parsing.brief) format = kBrief;
  if (format.empty() && parsing.long_form) format = kLong;
  if (format.empty()) format = env_text("SACCT_FORMAT");
  auto columns = parse_acct_format(format.empty() ? std::string(kUsual) : format);
  if (!columns) return std::unexpected(columns.error());
  options.columns = std::move(*columns);
  return {};
}

}  // namespace

std::vector<OptionText> sacct_options() { return {kRows.begin(), kRows.end()}; }

std::expected<AcctOptions, Refusal> parse_sacct(std::span<const std::string> words, Time now) {
  Parsing parsing;
  parsing.now = now;
  auto rest = read_options<P>(kCommand, kRows, words, parsing);
  if (!rest) return std::unexpected(rest.error());
  if (!rest->empty()) {
    std::string text = "Unknown arguments:";
    for (const std::string& word : *rest) text += fmt::format("\n {}", word);
    return refuse(text);
  }
  if (auto done = finish(parsing); !done) return std::unexpected(done.error());
  return std::move(parsing.options);
}

}  // namespace muster::cli
