// slurmctld-hooks: runs the site's submit scripts for slurmctld, as SlurmUser, one call at a time.
// slurmctld starts it, and kills it when a call takes too long.
#include <fcntl.h>
#include <getopt.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "base/version.h"
#include "hooks/lua_script.h"
#include "hooks/script_program.h"
#include "hooks/talk.h"
#include "io/process/helper.h"

namespace muster::hooks {

namespace {

constexpr rlim_t kMostMemory = rlim_t{2} << 30;  // a script that takes more fails

struct Options {
  LuaScript::Site site;
  std::string script;
  std::vector<std::string> plugins;
  pid_t parent = 0;
};

class Host {
 public:
  explicit Host(Options options) : options_(std::move(options)) {}

  wire::HookAnswer answer(const wire::HookLoad& load) {
    auto loaded = LuaScript::load(options_.site, load.source);
    if (!loaded) return {.failure = loaded.error().text()};
    lua_ = std::move(*loaded);
    return {};
  }

  // Each component passes all plug-ins, in the order of JobSubmitPlugins.
  wire::HookAnswer answer(const wire::HookCall& call) {
    wire::HookAnswer answer;
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      const wire::HookPart* job = call.modifies && i < call.jobs.size() ? &call.jobs[i] : nullptr;
      JobValues values(call.parts[i], call.modifies);
      speak_of(call.parts.size() > 1 ? std::optional(i) : std::nullopt);
      for (const std::string& plugin : options_.plugins) {
        run(plugin, values, job, call, answer);
        if (answer.code != 0 || answer.failure) return answer;
      }
      answer.parts.push_back(values.changes());
    }
    return answer;
  }

 private:
  void run(const std::string& plugin, JobValues& values, const wire::HookPart* job,
           const wire::HookCall& call, wire::HookAnswer& answer) {
    if (plugin == "script") {
      auto end = run_script(options_.script, values, job, call.partitions, call.uid);
      if (!end) {
        answer.failure = end.error().text();
        return;
      }
      answer.code = end->code;
      answer.refusal = std::move(end->refusal);
    } else if (!lua_) {
      answer.failure = "job_submit.lua is not loaded";
    } else {
      LuaEnd end = lua_->call(values, job, call.partitions, call.uid);
      answer.code = end.code;
      answer.failure = std::move(end.failure);
    }
  }

  const Options options_;
  std::unique_ptr<LuaScript> lua_;
};

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  const option kLong[] = {{"directory", required_argument, nullptr, 'd'},
                          {"cluster", required_argument, nullptr, 'c'},
                          {"parent", required_argument, nullptr, 'p'},
                          {"script", required_argument, nullptr, 's'},
                          {"plugin", required_argument, nullptr, 'P'},
                          {"version", no_argument, nullptr, 'V'},
                          {nullptr, 0, nullptr, 0}};
  for (int c; (c = getopt_long(argc, argv, "V", kLong, nullptr)) != -1;) switch (c) {
      case 'd':
        options.site.directory = optarg;
        break;
      case 'c':
        options.site.cluster = optarg;
        break;
      case 'p':
        options.parent = parse_number<pid_t>(optarg).value_or(0);
        break;
      case 's':
        options.script = optarg;
        break;
      case 'P':
        options.plugins.emplace_back(optarg);
        break;
      case 'V':
        std::puts(kVersionLine.data());
        std::exit(0);
      default:
        return std::nullopt;
    }
  if (options.parent == 0 || options.plugins.empty()) return std::nullopt;
  return options;
}

int serve(const Options& options) {
  // What scripts start does not get our socket.
  fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != options.parent) return 1;
  const rlimit memory{kMostMemory, kMostMemory}, no_core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  Host host(options);
  std::string frame;
  while (io::receive_frame(kSocket, frame, wire::kMostHookBytes)) {
    auto request = decode<wire::HookRequest>(frame);
    if (!request) return 1;
    wire::HookAnswer answer =
        std::visit([&](const auto& asked) { return host.answer(asked); }, request->request);
    std::string bytes = encode(wire::HookReply{std::move(answer)});
    if (bytes.size() > wire::kMostHookBytes)
      bytes = encode(wire::HookReply{wire::HookAnswer{
          .failure = fmt::format("an answer of {} bytes is too large", bytes.size())}});
    if (!io::send_frame(kSocket, bytes)) return 1;
  }
  return 0;
}

}  // namespace

}  // namespace muster::hooks

int main(int argc, char** argv) {
  auto options = muster::hooks::parse_options(argc, argv);
  if (!options) {
    std::fputs("slurmctld-hooks is started by slurmctld, to run the site's submit scripts\n",
               stderr);
    return 1;
  }
  return muster::hooks::serve(*options);
}
