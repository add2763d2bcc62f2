// sacct's command line.
#include <getopt.h>

#include <fmt/format.h>

#include "base/date.h"
#include "base/duration.h"
#include "base/strings.h"
#include "cli/lib/usage.h"
#include "cli/sacct_list.h"

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

enum LongOnly : int {
  kDelimiter = 256,
  kEnvVars,
  kFederation,
  kJson,
  kLocal,
  kName,
  kNoConvert,
  kUnits,
  kUsage,
  kUseLocalUid,
  kWholeHetJob,
  kYaml,
};
constexpr option kOptions[] = {
    {"accounts", required_argument, nullptr, 'A'},
    {"allclusters", no_argument, nullptr, 'L'},
    {"allocations", no_argument, nullptr, 'X'},
    {"allusers", no_argument, nullptr, 'a'},
    {"associations", required_argument, nullptr, 'x'},
    {"batch-script", no_argument, nullptr, 'B'},
    {"brief", no_argument, nullptr, 'b'},
    {"cluster", required_argument, nullptr, 'M'},
    {"clusters", required_argument, nullptr, 'M'},
    {"completion", no_argument, nullptr, 'c'},
    {"constraints", required_argument, nullptr, 'C'},
    {"delimiter", required_argument, nullptr, kDelimiter},
    {"duplicates", no_argument, nullptr, 'D'},
    {"endtime", required_argument, nullptr, 'E'},
    {"env-vars", no_argument, nullptr, kEnvVars},
    {"federation", no_argument, nullptr, kFederation},
    {"file", required_argument, nullptr, 'f'},
    {"flags", required_argument, nullptr, 'F'},
    {"format", required_argument, nullptr, 'o'},
    {"gid", required_argument, nullptr, 'g'},
    {"group", required_argument, nullptr, 'g'},
    {"help", no_argument, nullptr, 'h'},
    {"helpformat", no_argument, nullptr, 'e'},
    {"jobs", required_argument, nullptr, 'j'},
    {"json", no_argument, nullptr, kJson},
    {"local", no_argument, nullptr, kLocal},
    {"long", no_argument, nullptr, 'l'},
    {"name", required_argument, nullptr, kName},
    {"ncpus", required_argument, nullptr, 'I'},
    {"nnodes", required_argument, nullptr, 'i'},
    {"noconvert", no_argument, nullptr, kNoConvert},
    {"nodelist", required_argument, nullptr, 'N'},
    {"noheader", no_argument, nullptr, 'n'},
    {"parsable", no_argument, nullptr, 'p'},
    {"parsable2", no_argument, nullptr, 'P'},
    {"partition", required_argument, nullptr, 'r'},
    {"qos", required_argument, nullptr, 'q'},
    {"reason", required_argument, nullptr, 'R'},
    {"starttime", required_argument, nullptr, 'S'},
    {"state", required_argument, nullptr, 's'},
    {"timelimit-max", required_argument, nullptr, 'K'},
    {"timelimit-min", required_argument, nullptr, 'k'},
    {"truncate", no_argument, nullptr, 'T'},
    {"uid", required_argument, nullptr, 'u'},
    {"units", required_argument, nullptr, kUnits},
    {"usage", no_argument, nullptr, kUsage},
    {"use-local-uid", no_argument, nullptr, kUseLocalUid},
    {"user", required_argument, nullptr, 'u'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"wckeys", required_argument, nullptr, 'W'},
    {"whole-hetjob", optional_argument, nullptr, kWholeHetJob},
    {"yaml", no_argument, nullptr, kYaml},
    {nullptr, 0, nullptr, 0},
};

constexpr std::string_view kUsageText = "Usage: sacct [options]\n\tUse --help for help\n";

constexpr std::string_view kHelpText =
    "Usage: sacct [OPTIONS]\n"
    "Lists jobs and steps, also those that have ended.\n"
    "\n"
    "Which jobs:\n"
    "  -a, --allusers          of all users (root: the default)\n"
    "  -A, --accounts=list     of these accounts\n"
    "  -C, --constraints=list  that asked for all of these features\n"
    "  -D, --duplicates        earlier runs of requeued jobs too\n"
    "  -E, --endtime=time      that were there before this time\n"
    "  -g, --gid=list          of these groups\n"
    "  -i, --nnodes=min[-max]  on so many nodes\n"
    "  -I, --ncpus=min[-max]   on so many CPUs\n"
    "  -j, --jobs=list         these: 12, 12_3, 12.batch\n"
    "  -k, --timelimit-min=t   with this limit, or at least this one with -K\n"
    "  -K, --timelimit-max=t   with at most this limit\n"
    "  -M, --clusters=list     of these clusters\n"
    "      --name=list         with these names\n"
    "  -N, --nodelist=nodes    that ran on one of these nodes\n"
    "  -q, --qos=list          of these qualities of service\n"
    "  -r, --partition=list    of these partitions\n"
    "  -R, --reason=list       that waited for one of these reasons\n"
    "  -s, --state=list        in one of these states within the time asked for\n"
    "  -S, --starttime=time    that were there after this time; default: since midnight\n"
    "  -u, --user=list         of these users\n"
    "  -W, --wckeys=list       with these workload keys\n"
    "  -X, --allocations       jobs only, no steps\n"
    "\n"
    "How they are printed:\n"
    "  -b, --brief             id, state and exit code\n"
    "  -B, --batch-script      the jobs' scripts instead\n"
    "      --delimiter=text    between the fields of -p and -P\n"
    "  -e, --helpformat        list the names of all fields\n"
    "      --json              as JSON\n"
    "  -l, --long              with many fields\n"
    "  -n, --noheader          no header lines\n"
    "      --noconvert         amounts in the units they are kept in\n"
    "  -o, --format=list       these fields: jobid,state%20,name%-8\n"
    "  -p, --parsable          fields between bars, a bar at the end\n"
    "  -P, --parsable2         fields between bars\n"
    "  -T, --truncate          times cut to the window asked for\n"
    "      --units=[KMGTP]     amounts in this unit\n"
    "\n"
    "  -v, --verbose           say what is done\n"
    "  -V, --version           print the version\n"
    "  -h, --help, --usage     this text, or a shorter one\n";

using Done = std::expected<void, Refusal>;

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines("sacct", text)});
}
std::unexpected<Refusal> die(std::string_view text) {
  return std::unexpected(Refusal{fatal_line("sacct", text)});
}

// What is settled only when all options are known.
struct Parsing {
  AcctOptions options;
  std::string format;
  bool brief = false, long_form = false, all_users = false;
  Time now;
};

void append(std::vector<Text>& texts, std::string_view list) {
  for (const std::string& part : split_list(list)) texts.emplace_back(part);
}

Done add_jobs(AcctOptions& options, std::string_view list) {
  for (const std::string& part : split_list(list)) {
    auto ref = wire::parse_job_ref(part);
    if (!ref) return die(fmt::format("Bad job/step specified: {}", part));
    options.request.jobs.push_back(std::move(*ref));
  }
  return {};
}

Done add_users(AcctOptions& options, std::string_view list) {
  for (const std::string& part : split_list(list)) {
    auto uid = find_user(part);
    if (!uid) return refuse(fmt::format("Invalid user id: {}", part));
    options.request.uids.push_back(*uid);
  }
  return {};
}

Done add_groups(AcctOptions& options, std::string_view list) {
  for (const std::string& part : split_list(list)) {
    auto gid = find_group(part);
    if (!gid) return refuse(fmt::format("Invalid group id: {}", part));
    options.gids.push_back(*gid);
  }
  return {};
}

Done add_states(AcctOptions& options, std::string_view list) {
  constexpr std::string_view kOnlyHere[] = {"REQUEUED", "RQ", "RESIZING", "RS", "REVOKED", "RV"};
  options.request.by_state = true;
  for (const std::string& part : split_list(list)) {
    bool known =
        parse_job_state(part) ||
        std::ranges::any_of(kOnlyHere, [&](std::string_view name) { return iequals(name, part); });
    if (!known) return die(fmt::format("unrecognized job state value '{}'", part));
    options.request.states.emplace_back(part);
  }
  return {};
}

Done set_time(Time& t, const char* value, Time now) {
  auto parsed = parse_date(value, now, {.past = true});
  if (!parsed)
    return std::unexpected(Refusal{fmt::format("Invalid time specification (pos=0): {}\n", value)});
  t = *parsed;
  return {};
}

Done set_range(std::optional<std::pair<std::uint32_t, std::uint32_t>>& range,
               std::string_view text) {
  auto dash = text.find('-');
  auto least = parse_number<std::uint32_t>(text.substr(0, dash));
  auto most = dash == text.npos ? least : parse_number<std::uint32_t>(text.substr(dash + 1));
  if (!least || !most) return die(fmt::format("Invalid range: {}", text));
  range = {*least, *most};
  return {};
}

Done set_limit(std::optional<Minutes>& limit, const char* value) {
  limit = parse_time_limit(value);
  if (!limit) return die(fmt::format("Invalid time limit specification: {}", value));
  return {};
}

Done set_units(AcctOptions& options, std::string_view value) {
  char unit = value.size() == 1 ? upper(value)[0] : '\0';
  if (unit == '\0' || std::string_view("KMGTP").find(unit) == std::string_view::npos)
    return std::unexpected(Refusal{
        error_lines("sacct",
                    fmt::format("Invalid unit type '{}'. Possible options are 'KMGTP'", value)) +
        fatal_line("sacct", "Invalid unit type")});
  options.units.unit = unit;
  return {};
}

Done apply_filter(Parsing& parsing, int option, const char* value) {
  AcctOptions& options = parsing.options;
  wire::AccountingRequest& request = options.request;
  switch (option) {
    case 'A':
      append(request.accounts, value);
      return {};
    case 'a':
      parsing.all_users = true;
      return {};
    case 'C':
      options.constraints = split_list(value);
      return {};
    case 'D':
      request.duplicates = true;
      return {};
    case 'E':
      return set_time(request.end, value, parsing.now);
    case 'g':
      return add_groups(options, value);
    case 'I':
      return set_range(options.cpus_between, value);
    case 'i':
      return set_range(options.nodes_between, value);
    case 'j':
      return add_jobs(options, value);
    case 'K':
      return set_limit(options.most_limit, value);
    case 'k':
      return set_limit(options.least_limit, value);
    case 'M':
      append(request.clusters, value);
      return {};
    case 'N':
      request.nodes.emplace_back(value);
      return {};
    case 'q':
      append(request.qos, value);
      return {};
    case 'R':
      options.reasons = split_list(value);
      return {};
    case 'r':
      append(request.partitions, value);
      return {};
    case 'S':
      return set_time(request.start, value, parsing.now);
    case 's':
      return add_states(options, value);
    case 'u':
      return add_users(options, value);
    case 'W':
      options.wckeys = split_list(value);
      return {};
    case 'X':
      request.allocations_only = true;
      return {};
    case kName:
      append(request.names, value);
      return {};
    default:
      return {};  // -L, -x, -F, --federation, --local, --use-local-uid, --whole-hetjob: nothing
                  // differs here
  }
}

Done apply_option(Parsing& parsing, int option, const char* value) {
  AcctOptions& options = parsing.options;
  switch (option) {
    case 'B':
      options.batch_script = true;
      return {};
    case 'b':
      parsing.brief = true;
      return {};
    case 'c':
    case 'f':
      return std::unexpected(Refusal{"Slurm job completion is disabled\n"});
    case 'e':
      return std::unexpected(Refusal{acct_field_list(), 0});
    case 'h':
      return std::unexpected(Refusal{std::string(kHelpText), 0});
    case 'l':
      parsing.long_form = true;
      return {};
    case 'n':
      options.header = false;
      return {};
    case 'o':
      parsing.format += (parsing.format.empty() ? "" : ",") + std::string(value);
      return {};
    case 'P':
      options.form = AcctForm::bars;
      return {};
    case 'p':
      options.form = AcctForm::bars_ending;
      return {};
    case 'T':
      options.truncate_times = true;
      return {};
    case 'V':
      return std::unexpected(Refusal{version_text(), 0});
    case 'v':
      ++options.verbose;
      return {};
    case kDelimiter:
      options.delimiter = value;
      return {};
    case kEnvVars:
      options.environment = true;
      return {};
    case kJson:
      options.json = true;
      return {};
    case kNoConvert:
      options.units.convert = false;
      return {};
    case kUnits:
      return set_units(options, value);
    case kUsage:
      return std::unexpected(Refusal{std::string(kUsageText), 0});
    case kYaml:
      return refuse("--yaml is not supported, use --json");
    case '?':
      return std::unexpected(Refusal{});  // getopt has said what is wrong
    default:
      return apply_filter(parsing, option, value);
  }
}

Done settle(Parsing& parsing) {
  AcctOptions& options = parsing.options;
  wire::AccountingRequest& request = options.request;
  if (!parsing.format.empty() && parsing.long_form)
    return die(
        "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.");
  if (is_set(request.start) && is_set(request.end) && request.start > request.end)
    return refuse(fmt::format("Start time ({}) requested is after end time ({}).",
                              format_date(request.start), format_date(request.end)));
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

std::expected<AcctOptions, Refusal> parse_sacct(int argc, char** argv, Time now) {
  Parsing parsing;
  parsing.now = now;
  optind = 0;
  constexpr const char* kLetters = "aA:bBcC:DeE:f:F:g:hi:I:j:k:K:lLM:nN:o:pPq:r:R:s:S:Tu:vVW:x:X";
  for (int c; (c = getopt_long(argc, argv, kLetters, kOptions, nullptr)) != -1;)
    if (auto done = apply_option(parsing, c, optarg); !done) return std::unexpected(done.error());
  if (optind < argc) {
    std::string text = "Unknown arguments:";
    for (int i = optind; i < argc; ++i) text += fmt::format("\n {}", argv[i]);
    return refuse(text);
  }
  if (auto done = settle(parsing); !done) return std::unexpected(done.error());
  return std::move(parsing.options);
}

}  // namespace muster::cli
