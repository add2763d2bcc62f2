// sinfo's command line and its SINFO_* variables.
#include <getopt.h>

#include <fmt/format.h>

#include "base/hostlist.h"
#include "cli/lib/usage.h"
#include "cli/sinfo_list.h"

namespace muster::cli {

namespace {

enum LongOnly : int { kFederation = 256, kHelp, kHide, kJson, kLocal, kNoConvert, kUsage, kYaml };
constexpr option kOptions[] = {
    {"all", no_argument, nullptr, 'a'},           {"clusters", required_argument, nullptr, 'M'},
    {"cluster", required_argument, nullptr, 'M'}, {"dead", no_argument, nullptr, 'd'},
    {"exact", no_argument, nullptr, 'e'},         {"federation", no_argument, nullptr, kFederation},
    {"Format", required_argument, nullptr, 'O'},  {"format", required_argument, nullptr, 'o'},
    {"help", no_argument, nullptr, kHelp},        {"hide", no_argument, nullptr, kHide},
    {"iterate", required_argument, nullptr, 'i'}, {"json", no_argument, nullptr, kJson},
    {"list-reasons", no_argument, nullptr, 'R'},  {"local", no_argument, nullptr, kLocal},
    {"long", no_argument, nullptr, 'l'},          {"noconvert", no_argument, nullptr, kNoConvert},
    {"Node", no_argument, nullptr, 'N'},          {"nodes", required_argument, nullptr, 'n'},
    {"noheader", no_argument, nullptr, 'h'},      {"partition", required_argument, nullptr, 'p'},
    {"reservation", no_argument, nullptr, 'T'},   {"responding", no_argument, nullptr, 'r'},
    {"sort", required_argument, nullptr, 'S'},    {"states", required_argument, nullptr, 't'},
    {"summarize", no_argument, nullptr, 's'},     {"usage", no_argument, nullptr, kUsage},
    {"verbose", no_argument, nullptr, 'v'},       {"version", no_argument, nullptr, 'V'},
    {"yaml", no_argument, nullptr, kYaml},        {nullptr, 0, nullptr, 0},
};

constexpr std::string_view kUsageText =
    "Usage: sinfo [-adehlNRrsTvV] [-i seconds] [-t states] [-p partitions] [-n nodes] [-S fields]\n"
    "             [-o format] [-O format] [-M cluster] [--json]\n";

constexpr std::string_view kHelpText =
    "Usage: sinfo [OPTIONS]\n"
    "Lists partitions and nodes.\n"
    "\n"
    "Which nodes:\n"
    "  -a, --all               of hidden partitions too\n"
    "      --hide              not of hidden partitions (the default)\n"
    "  -d, --dead              that do not answer\n"
    "  -M, --clusters=list     of these clusters\n"
    "  -n, --nodes=nodes       these\n"
    "  -p, --partition=list    of these partitions\n"
    "  -r, --responding        that answer\n"
    "  -t, --states=list       in one of these states; a&b: in both\n"
    "\n"
    "How they are printed:\n"
    "  -e, --exact             only nodes with equal values share a line\n"
    "  -h, --noheader          no header line\n"
    "  -i, --iterate=seconds   again and again at this interval\n"
    "      --json              as JSON\n"
    "  -l, --long              with more columns\n"
    "  -N, --Node              a line for each node and partition\n"
    "      --noconvert         amounts in the units they are kept in\n"
    "  -o, --format=format     columns by letter: \"%9P %.5a %N\"\n"
    "  -O, --Format=list       columns by name: NodeList:20,CPUs:.5\n"
    "  -R, --list-reasons      why nodes are out of service\n"
    "  -s, --summarize         a line for each partition\n"
    "  -S, --sort=list         order, letters of --format: #P,-t\n"
    "  -T, --reservation       reservations instead of nodes\n"
    "\n"
    "  -v, --verbose           say what is done\n"
    "  -V, --version           print the version\n"
    "      --help, --usage     this text, or a shorter one\n";

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines("sinfo", text)});
}

using Done = std::expected<void, Refusal>;

Done set_nodes(InfoOptions& options, const char* value) {
  auto names = expand_hostlist(value);
  if (!names) return refuse(fmt::format("'{}' invalid entry for --nodes", value));
  options.nodes = {names->begin(), names->end()};
  options.nodes_given = true;
  return {};
}

Done set_iteration(InfoOptions& options, const char* value) {
  auto seconds = parse_number<int>(value);
  if (!seconds || *seconds <= 0)
    return refuse(fmt::format("Error: invalid entry for --iterate={}", value));
  options.iterate_s = *seconds;
  return {};
}

Done set_states(InfoOptions& options, const char* value) {
  auto states = parse_node_states(value);
  if (!states) return std::unexpected(states.error());
  options.states = std::move(*states);
  return {};
}

Done apply_option(InfoOptions& options, int option, const char* value) {
  switch (option) {
    case 'a':
      options.all = true;
      return {};
    case 'd':
      options.dead = true;
      return {};
    case 'e':
      options.exact = true;
      return {};
    case 'h':
      options.header = false;
      return {};
    case 'i':
      return set_iteration(options, value);
    case 'l':
      options.long_form = true;
      return {};
    case 'M':
      options.clusters = value;
      return {};
    case 'N':
      options.node_form = true;
      return {};
    case 'n':
      return set_nodes(options, value);
    case 'O':
      options.long_format = value;
      return {};
    case 'o':
      options.format = value;
      return {};
    case 'p':
      options.partitions = split_list(value);
      return {};
    case 'R':
      options.reasons = true;
      return {};
    case 'r':
      options.responding = true;
      return {};
    case 'S':
      options.sort = value;
      return {};
    case 's':
      options.summarize = true;
      return {};
    case 'T':
      options.reservations = true;
      return {};
    case 't':
      return set_states(options, value);
    case 'v':
      ++options.verbose;
      return {};
    case kHide:
      options.all = false;
      return {};
    case kJson:
      options.json = true;
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
      return std::unexpected(Refusal{"Try \"sinfo --help\" for more information\n"});
    default:
      return {};  // --federation, --local, --noconvert: nothing differs here
  }
}

}  // namespace

std::expected<InfoOptions, Refusal> parse_sinfo(int argc, char** argv) {
  InfoOptions options;
  bool all_asked = false, partitions_asked = false;
  options.all = !env_text("SINFO_ALL").empty();
  options.clusters = env_text("SLURM_CLUSTERS");
  optind = 0;
  for (int c;
       (c = getopt_long(argc, argv, "adehi:lM:Nn:O:o:p:RrS:sTt:vV", kOptions, nullptr)) != -1;) {
    if (auto done = apply_option(options, c, optarg); !done) return std::unexpected(done.error());
    all_asked |= c == 'a';
    partitions_asked |= c == 'p';
  }
  if (all_asked && partitions_asked)
    return refuse("Conflicting options, -a and -p, specified. Please choose one or the other.");
  if (!partitions_asked && !all_asked) options.partitions = split_list(env_text("SINFO_PARTITION"));
  if (options.sort.empty()) options.sort = env_text("SINFO_SORT");
  if (options.format.empty() && options.long_format.empty())
    options.format = env_text("SINFO_FORMAT");
  return options;
}

}  // namespace muster::cli
