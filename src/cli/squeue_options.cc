// squeue's command line and its SQUEUE_* variables.
#include <getopt.h>
#include <unistd.h>

#include <cctype>

#include <fmt/format.h>

#include "base/hostlist.h"
#include "cli/lib/usage.h"
#include "cli/squeue_list.h"

namespace muster::cli {

namespace {

enum LongOnly : int {
  kArrayUnique = 256,
  kFederation,
  kHelp,
  kHide,
  kJson,
  kLocal,
  kMe,
  kNoConvert,
  kSibling,
  kStart,
  kUsage,
  kYaml,
};
constexpr option kOptions[] = {
    {"account", required_argument, nullptr, 'A'},
    {"accounts", required_argument, nullptr, 'A'},
    {"all", no_argument, nullptr, 'a'},
    {"array", no_argument, nullptr, 'r'},
    {"array-unique", no_argument, nullptr, kArrayUnique},
    {"clusters", required_argument, nullptr, 'M'},
    {"cluster", required_argument, nullptr, 'M'},
    {"federation", no_argument, nullptr, kFederation},
    {"Format", required_argument, nullptr, 'O'},
    {"format", required_argument, nullptr, 'o'},
    {"help", no_argument, nullptr, kHelp},
    {"hide", no_argument, nullptr, kHide},
    {"iterate", required_argument, nullptr, 'i'},
    {"jobs", optional_argument, nullptr, 'j'},
    {"json", no_argument, nullptr, kJson},
    {"licenses", required_argument, nullptr, 'L'},
    {"local", no_argument, nullptr, kLocal},
    {"long", no_argument, nullptr, 'l'},
    {"me", no_argument, nullptr, kMe},
    {"name", required_argument, nullptr, 'n'},
    {"noconvert", no_argument, nullptr, kNoConvert},
    {"node", required_argument, nullptr, 'w'},
    {"nodes", required_argument, nullptr, 'w'},
    {"nodelist", required_argument, nullptr, 'w'},
    {"noheader", no_argument, nullptr, 'h'},
    {"partitions", required_argument, nullptr, 'p'},
    {"priority", no_argument, nullptr, 'P'},
    {"qos", required_argument, nullptr, 'q'},
    {"reservation", required_argument, nullptr, 'R'},
    {"sibling", no_argument, nullptr, kSibling},
    {"sort", required_argument, nullptr, 'S'},
    {"start", no_argument, nullptr, kStart},
    {"states", required_argument, nullptr, 't'},
    {"steps", optional_argument, nullptr, 's'},
    {"usage", no_argument, nullptr, kUsage},
    {"users", required_argument, nullptr, 'u'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"yaml", no_argument, nullptr, kYaml},
    {nullptr, 0, nullptr, 0},
};

constexpr std::string_view kUsageText =
    "Usage: squeue [-A account] [-M cluster] [-i seconds] [-j jobs] [-n names] [-o format] [-O "
    "format]\n"
    "              [-p partitions] [-q qos] [-R reservation] [-S fields] [-s steps] [-t states]\n"
    "              [-u users] [-L licenses] [-w nodes] [--me] [--start] [--json] [-ahlrvPV]\n";

constexpr std::string_view kHelpText =
    "Usage: squeue [OPTIONS]\n"
    "Lists the jobs of the queue.\n"
    "\n"
    "Which jobs:\n"
    "  -A, --account=list      of these accounts\n"
    "  -a, --all               in hidden partitions too\n"
    "      --hide              not in hidden partitions (the default)\n"
    "  -j, --jobs=list         with these ids: 12, 12_3\n"
    "  -L, --licenses=list     that need these licenses\n"
    "  -M, --clusters=list     of these clusters\n"
    "      --me                of the calling user\n"
    "  -n, --name=list         with these names\n"
    "  -p, --partition=list    of these partitions\n"
    "  -q, --qos=list          of these qualities of service\n"
    "  -R, --reservation=name  of this reservation\n"
    "  -s, --steps[=list]      list steps instead of jobs\n"
    "  -t, --states=list       in these states; 'all' for any; default: waiting and active jobs\n"
    "  -u, --user=list         of these users, names or ids\n"
    "  -w, --nodelist=nodes    that run on these nodes\n"
    "\n"
    "How they are printed:\n"
    "  -h, --noheader          no header line\n"
    "  -i, --iterate=seconds   again and again at this interval\n"
    "      --json              as JSON\n"
    "  -l, --long              with more columns\n"
    "      --noconvert         amounts in the units they are kept in\n"
    "  -o, --format=format     columns by letter: \"%.18i %.9P %j\"\n"
    "  -O, --Format=list       columns by name: JobID:10,Name:.8\n"
    "  -r, --array             one line for each task of an array\n"
    "  -S, --sort=list         order, letters of --format: P,t,-p\n"
    "      --start             expected start times of waiting jobs\n"
    "\n"
    "  -v, --verbose           say what is done\n"
    "  -V, --version           print the version\n"
    "      --help, --usage     this text, or a shorter one\n";

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines("squeue", text)});
}

std::vector<Text> texts(std::string_view list) {
  std::vector<Text> out;
  for (const std::string& part : split_list(list)) out.emplace_back(part);
  return out;
}

void set_users(QueueOptions& options, std::string_view list) {
  options.users = split_list(list);
  options.filter.uids.clear();
  for (const std::string& name : options.users) {
    if (auto uid = find_user(name))
      options.filter.uids.push_back(*uid);
    else
      print_error("squeue", fmt::format("Invalid user: {}", name));
  }
  options.nobody = options.filter.uids.empty() && !options.users.empty();
}

std::expected<void, Refusal> set_jobs(QueueOptions& options, std::string_view list) {
  // Commas inside of brackets belong to an array's tasks.
  std::size_t start = 0, depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') ++depth;
    if (i < list.size() && list[i] == ']' && depth > 0) --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    std::string_view part = trim(list.substr(start, i - start));
    start = i + 1;
    if (part.empty()) continue;
    auto ref = wire::parse_job_ref(part);
    if (!ref) return refuse(fmt::format("Invalid job id: {}", part));
    options.filter.jobs.push_back(std::move(*ref));
  }
  return {};
}

std::expected<void, Refusal> set_nodes(QueueOptions& options, std::string_view list) {
  auto names = expand_hostlist(list);
  if (!names) return refuse(fmt::format("'{}' invalid entry for --nodelist", list));
  options.filter.nodes.clear();
  for (const std::string& name : *names) {
    char host[256] = "";
    bool here = name == "localhost" && gethostname(host, sizeof host - 1) == 0;
    options.filter.nodes.emplace_back(here ? std::string(host) : name);
  }
  return {};
}

std::expected<void, Refusal> set_format(QueueOptions& options, int option, const char* value) {
  if (option == 'o' && !options.long_format.empty())
    return refuse("-o (--format) is incompatible with -O (--Format)");
  if (option == 'O' && !options.format.empty())
    return refuse("-O (--Format) is incompatible with -o (--format)");
  (option == 'o' ? options.format : options.long_format) = value;
  return {};
}

// The values of environment variables; `set` is called for those that are there.
template <class Set>
void from_variable(const char* name, Set set) {
  if (std::string value = env_text(name); !value.empty()) set(value);
}

void apply_environment(QueueOptions& options) {
  wire::JobFilter& filter = options.filter;
  from_variable("SQUEUE_ACCOUNT", [&](const std::string& v) { filter.accounts = texts(v); });
  from_variable("SQUEUE_ALL", [&](const std::string&) { options.all = true; });
  from_variable("SQUEUE_ARRAY", [&](const std::string&) { options.array = true; });
  from_variable("SQUEUE_LICENSES", [&](const std::string& v) { filter.licenses = texts(v); });
  from_variable("SQUEUE_NAMES", [&](const std::string& v) { filter.names = texts(v); });
  from_variable("SQUEUE_PARTITION", [&](const std::string& v) { filter.partitions = texts(v); });
  from_variable("SQUEUE_QOS", [&](const std::string& v) { filter.qos = texts(v); });
  from_variable("SQUEUE_SORT", [&](const std::string& v) { options.sort = v; });
  from_variable("SQUEUE_STATES", [&](const std::string& v) { options.states = split_list(v); });
  from_variable("SQUEUE_USERS", [&](const std::string& v) { set_users(options, v); });
  from_variable("SLURM_CLUSTERS", [&](const std::string& v) { options.clusters = v; });
}

// Formats of the environment yield to either format of the command line.
void apply_format_environment(QueueOptions& options) {
  if (!options.format.empty() || !options.long_format.empty()) return;
  from_variable("SQUEUE_FORMAT", [&](const std::string& v) { options.format = v; });
  if (options.format.empty())
    from_variable("SQUEUE_FORMAT2", [&](const std::string& v) { options.long_format = v; });
}

std::expected<void, Refusal> apply_option(QueueOptions& options, int option, const char* value) {
  wire::JobFilter& filter = options.filter;
  switch (option) {
    case 'A':
      filter.accounts = texts(value);
      return {};
    case 'a':
      options.all = true;
      return {};
    case 'h':
      options.header = false;
      return {};
    case 'i': {
      auto seconds = parse_number<int>(value);
      if (!seconds || *seconds <= 0) return refuse(fmt::format("--iterate={}", value));
      options.iterate_s = *seconds;
      return {};
    }
    case 'j':
      return value ? set_jobs(options, value) : std::expected<void, Refusal>{};
    case 'L':
      filter.licenses = texts(value);
      return {};
    case 'l':
      options.long_form = true;
      return {};
    case 'M':
      options.clusters = value;
      return {};
    case 'n':
      filter.names = texts(value);
      return {};
    case 'O':
    case 'o':
      return set_format(options, option, value);
    case 'p':
      filter.partitions = texts(value);
      return {};
    case 'q':
      filter.qos = texts(value);
      return {};
    case 'R':
      filter.reservations = texts(value);
      return {};
    case 'r':
      options.array = true;
      return {};
    case 'S':
      options.sort = value;
      return {};
    case 's':
      options.steps = true;
      return value ? set_jobs(options, value) : std::expected<void, Refusal>{};
    case 't':
      options.states = split_list(value);
      return {};
    case 'u':
      set_users(options, value);
      return {};
    case 'v':
      ++options.verbose;
      return {};
    case 'w':
      return set_nodes(options, value);
    case kHide:
      options.all = false;
      return {};
    case kJson:
      options.json = true;
      return {};
    case kMe:
      filter.uids = {own_uid()};
      return {};
    case kNoConvert:
      options.no_convert = true;
      return {};
    case kStart:
      options.start = true;
      return {};
    case kHelp:
      return std::unexpected(Refusal{std::string(kHelpText), 0});
    case kUsage:
      return std::unexpected(Refusal{std::string(kUsageText), 0});
    case 'V':
      return std::unexpected(Refusal{version_text(), 0});
    case kYaml:
      return refuse("--yaml is not supported, use --json");
    case '?':
      return std::unexpected(Refusal{"Try \"squeue --help\" for more information\n"});
    default:
      return {};  // -P, --federation, --local, --sibling, --array-unique: nothing differs here
  }
}

}  // namespace

std::expected<QueueOptions, Refusal> parse_squeue(int argc, char** argv) {
  QueueOptions options;
  apply_environment(options);
  optind = 0;
  for (int c; (c = getopt_long(argc, argv, "A:ahi:j::lL:n:M:O:o:p:Pq:R:rs::S:t:u:U:vVw:", kOptions,
                               nullptr)) != -1;) {
    const char* value = optarg;
    // "-j 12" is written as often as "-j12".
    bool takes_next = (c == 'j' || c == 's') && !value && optind < argc && argv[optind][0] != '-';
    if (takes_next && (c == 'j' || std::isdigit(static_cast<unsigned char>(argv[optind][0]))))
      value = argv[optind++];
    if (auto done = apply_option(options, c == 'U' ? 'u' : c, value); !done)
      return std::unexpected(done.error());
  }
  if (optind < argc)
    return std::unexpected(
        Refusal{error_lines("squeue", fmt::format("Unrecognized option: {}", argv[optind])) +
                std::string(kUsageText)});
  apply_format_environment(options);
  if (options.start && options.states.empty()) options.states = {"PENDING"};
  return options;
}

}  // namespace muster::cli
