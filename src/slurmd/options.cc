// Reads slurmd's command line.
#include "slurmd/options.h"

#include <getopt.h>

#include "base/text/strings.h"

namespace muster {

const char* const kSlurmdHelp =
    "Usage: slurmd [OPTIONS]\n"
    "  -b             report that the node was rebooted\n"
    "  -c             forget the ended steps of earlier starts\n"
    "  -C             print this machine's hardware as a slurm.conf line\n"
    "  -d PROGRAM     the slurmstepd to start\n"
    "  -D             stay in the foreground and log to stderr\n"
    "  -f FILE        read this slurm.conf\n"
    "  -F[FEATURE]    become a node in state FUTURE like this machine, with this feature\n"
    "  -h             print this help\n"
    "  -L FILE        log to this file\n"
    "  -M             accepted and ignored\n"
    "  -n NUMBER      run with this nice value\n"
    "  -N NAME        act as the node of this name\n"
    "  -s             accepted and ignored\n"
    "  -v             log more; may be repeated\n"
    "  -V             print the version\n"
    "  -Z             become a node that slurm.conf does not name, called like this host or -N\n"
    "  --conf LINE    with -Z: keys of a NodeName line, instead of the detected hardware\n";

Result<SlurmdOptions> parse_slurmd_options(int argc, char** argv) {
  constexpr int kConf = 256;
  static const option kLong[] = {{"help", no_argument, nullptr, 'h'},
                                 {"usage", no_argument, nullptr, 'h'},
                                 {"version", no_argument, nullptr, 'V'},
                                 {"conf", required_argument, nullptr, kConf},
                                 {nullptr, 0, nullptr, 0}};
  SlurmdOptions options;
  int letter;
  while ((letter = getopt_long(argc, argv, "bcCd:Df:F::hiL:Mn:N:svVZ", kLong, nullptr)) != -1) {
    switch (letter) {
      case 'b':
        options.report_reboot = true;
        break;
      case 'c':
        options.cleanup = true;
        break;
      case 'C':
        options.print_hardware = true;
        break;
      case 'd':
        options.stepd_path = optarg;
        break;
      case 'D':
        options.foreground = true;
        break;
      case 'f':
        options.config_file = optarg;
        break;
      case 'F':
        options.future = true;
        if (optarg) options.future_feature = optarg;
        break;
      case 'h':
        options.print_help = true;
        break;
      case 'i':
      case 'M':
      case 's':
        break;
      case 'L':
        options.log_file = optarg;
        break;
      case 'n': {
        auto nice = parse_number<int>(optarg);
        if (!nice) return fail("-n: expected a number");
        options.nice = *nice;
        break;
      }
      case 'N':
        options.node_name = optarg;
        break;
      case 'v':
        ++options.verbosity;
        break;
      case 'V':
        options.print_version = true;
        break;
      case 'Z':
        options.dynamic = true;
        break;
      case kConf:
        options.dynamic_conf = optarg;
        break;
      default:
        return fail("try slurmd -h");
    }
  }
  if (!options.dynamic_conf.empty() && !options.dynamic) return fail("--conf needs -Z");
  if (options.future && (options.dynamic || !options.node_name.empty()))
    return fail("-F takes neither -N nor -Z");
  if (optind < argc) return fail(std::string("unexpected argument ") + argv[optind]);
  return options;
}

}  // namespace muster
