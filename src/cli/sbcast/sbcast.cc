// sbcast: copies a file to the nodes of a job, as the caller.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/broadcast/broadcast.h"
#include "cli/broadcast/libraries.h"
#include "cli/lib/command.h"
#include "cli/lib/own_job.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/srun/files.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "sbcast";
constexpr int kExitNoTransfer = 255;
constexpr std::size_t kLargestBlock = 8u << 20;

struct CopyOptions {
  BroadcastOptions broadcast;
  LibraryOptions libraries;
  std::string job;
  bool force = false, preserve = false;
  int verbose = 0;
};
using O = CopyOptions;

std::unexpected<Refusal> refused(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kProgram, text), kExitFailure});
}

Outcome set_compression(O& options, Value library) {
  options.broadcast.compress = library.empty() || iequals(library, "lz4");
  if (!options.broadcast.compress && !iequals(library, "none"))
    print_error(
        kProgram,
        fmt::format("Compression type '{}' unknown, disabling compression support.", library));
  return {};
}

Outcome set_block_size(O& options, Value text) {
  auto bytes = parse_count(text);
  if (!bytes)
    std::fputs("size specification is invalid, ignored\n", stderr);
  else if (*bytes > 0)
    options.broadcast.block_bytes = std::min<std::size_t>(*bytes, kLargestBlock);
  return {};
}

Outcome set_fanout(O& options, Value text) {
  auto number = parse_number<std::uint32_t>(text);
  if (!number) return refused(fmt::format("Invalid --fanout: {}", text));
  options.broadcast.fanout = *number;
  return {};
}

Outcome set_timeout(O& options, Value text) {
  auto seconds = parse_number<std::uint32_t>(text);
  if (!seconds) return refused(fmt::format("Invalid --timeout: {}", text));
  options.broadcast.timeout = Seconds{*seconds};
  return {};
}

Outcome set_libraries(O& options, Value value) {
  if (auto send = parse_send_libs(value))
    options.libraries.send = *send;
  else
    print_error(kProgram, fmt::format("Ignoring unrecognized --send-libs value '{}'", value));
  return {};
}

Outcome set_exclude(O& options, Value paths) {
  options.libraries.exclude = paths;
  return {};
}

// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"compress", 'C', Argument::optional}, "lib", "compress the file while it is sent: lz4 or none", "SBCAST_COMPRESS"}, set_compression},
    {{{"exclude", 0, required}, "paths", "directories whose libraries --send-libs leaves out, or NONE", "SBCAST_EXCLUDE"}, set_exclude},
    {{{"fanout", 'F', required}, "num", "width of the tree in which nodes pass the file on", "SBCAST_FANOUT"}, set_fanout},
    {{{"force", 'f', none}, "", "replace an existing file", "SBCAST_FORCE"}, flag<&O::force>},
    {{{"help", 0, none}, "", "show this list"}},
    {{{"jobid", 'j', required}, "job[.step]", "the job whose nodes get the file; default: the present job"}, keep<&O::job>},
    {{{"preserve", 'p', none}, "", "also keep the times of the file", "SBCAST_PRESERVE"}, flag<&O::preserve>},
    {{{"send-libs", 0, Argument::optional}, "yes|no", "also copy the libraries of a program", "SBCAST_SEND_LIBS"}, set_libraries},
    {{{"size", 's', required}, "bytes", "size of the blocks: 512k, 8m", "SBCAST_SIZE"}, set_block_size},
    {{{"timeout", 't', required}, "seconds", "give up a node without progress after this time", "SBCAST_TIMEOUT"}, set_timeout},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"verbose", 'v', none}, "", "print more messages"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
});
// clang-format on
constexpr CommandText kCommand{
    .program = kProgram, .purpose = "", .operands = "SOURCE DEST", .short_usage = true};

int fail_with(std::string_view text, int code) {
  print_error(kProgram, text);
  return code;
}

void describe(const O& options, const std::string& source, const SourceFile& file) {
  const BroadcastOptions& how = options.broadcast;
  auto yes = [](bool on) { return on ? "true" : "false"; };
  for (const std::string& line :
       {fmt::format("block_size = {}", how.block_bytes),
        fmt::format("compress   = {}", how.compress ? 1 : 0),
        fmt::format("exclude    = {}", options.libraries.exclude),
        fmt::format("force      = {}", yes(options.force)),
        fmt::format("fanout     = {}", how.fanout),
        fmt::format("preserve   = {}", yes(options.preserve)),
        fmt::format("send_libs  = {}", yes(options.libraries.send)),
        fmt::format("timeout    = {}", how.timeout.count()), fmt::format("source     = {}", source),
        fmt::format("dest       = {}", file.offer.path.view()),
        fmt::format("modes      = {:o}", file.offer.mode)})
    print_info(kProgram, line);
}

int copy(const O& options, const wire::JobRef& job, const std::string& source,
         const SourceFile& file) {
  auto controller = Controller::connect();
  if (!controller) return fail_with(controller.error().text(), kExitNoTransfer);
  auto nodes = controller->ask_for<wire::BroadcastReply>(wire::BroadcastRequest{job.job, job.step});
  if (!nodes)
    return fail_with(
        fmt::format("Slurm job {} lookup error: {}", wire::job_ref_text(job), nodes.error().text()),
        kExitNoTransfer);
  if (options.verbose > 0) {
    describe(options, source, file);
    std::vector<std::string> names;
    for (const wire::StepPlace& place : nodes->places) names.push_back(place.node.str());
    print_info(kProgram, fmt::format("jobid      = {}", job.job.value));
    print_info(kProgram, fmt::format("node_list  = {}", compress_hostlist(names)));
  }
  struct stat status{};
  if (fstat(file.fd, &status) == 0 && status.st_size == 0)
    print_error(kProgram, fmt::format("Warning: file `{}` is empty.", source));
  int error = broadcast(kProgram, controller->config(), *nodes, file, options.broadcast);
  if (error == 0 && options.libraries.send)
    error = broadcast_libraries(kProgram, controller->config(), *nodes, source,
                                file.offer.path.str(), options.libraries, options.broadcast);
  return error;
}

}  // namespace

std::vector<OptionText> sbcast_options() { return {kRows.begin(), kRows.end()}; }

int sbcast_main(int argc, char** argv) {
  O options;
  auto rest =
      read_options<O>(kCommand, kRows, std::vector<std::string>(argv + 1, argv + argc), options);
  if (!rest) return print(rest.error());
  if (rest->size() != 2) {
    std::fprintf(stderr, "Need two file names, have %zu names\n", rest->size());
    std::fputs("Try \"sbcast --help\" for more information\n", stderr);
    return kExitFailure;
  }
  const std::string &source = rest->front(), &destination = rest->back();
  if (options.job.empty()) options.job = own_job_text();
  if (options.job.empty())
    return fail_with(
        "Need a job id to run this command.  Run from within a Slurm job or use the "
        "--jobid option.",
        kExitFailure);
  auto job = wire::parse_job_ref(options.job);
  if (!job || !job->tasks.empty())
    return fail_with(fmt::format("Invalid job id specified: {}", options.job), kExitFailure);
  if (destination.ends_with('/'))
    return fail_with("Target filename cannot be a directory.", kExitFailure);
  auto file = open_source(source, absolute_path(destination), options.force, options.preserve);
  if (!file)
    return fail_with(fmt::format("Can't open `{}`: {}", source, std::strerror(file.error())),
                     kExitNoTransfer);
  const int code = copy(options, *job, source, *file);
  close(file->fd);
  return code;
}

}  // namespace muster::cli
