// muster-replay: the program behind `muster sim`. Replays a trace under several policies, or makes
// up a trace.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "sim/replay/policies.h"

namespace muster::sim {

namespace {

constexpr std::string_view kUsage =
    "Usage: muster sim TRACE.swf [--nodes=N] [--cpus=M] [--policy=NAME[,NAME...]]\n"
    "       muster sim --generate=JOBS [--seed=S] [--nodes=N] [--cpus=M] [--load=PART]\n";
constexpr std::string_view kHelp =
    "\nReplays a trace in Standard Workload Format (- = standard input) on virtual time, on N "
    "nodes\n"
    "(default 32) of M CPUs (default 32), or writes one that is made up.\n\n"
    "  --policy=LIST    muster (the scheduler of slurmctld), backfill (the documented rules of\n"
    "                   sched/backfill with its defaults), easy, fifo; default: muster,backfill\n"
    "  --generate=JOBS  write a trace of so many jobs to standard output\n"
    "  --seed=S         of the generator (default 1): the same one gives the same trace\n"
    "  --load=PART      of the CPUs that the jobs would keep busy (default 0.9)\n"
    "  --nodes, --cpus  the machine; jobs that are larger are left out\n";

struct Options {
  std::string trace;
  Machine machine{32, 32};
  std::vector<std::string> policies{"muster", "backfill"};
  TraceOptions generate{.jobs = 0};
};

int complain(const std::string& text) {
  std::fputs(("muster sim: error: " + text + "\n").c_str(), stderr);
  return 1;
}

template <class T>
bool set_number(T& target, std::string_view value, T least) {
  auto number = parse_number<T>(value);
  if (!number || *number < least) return false;
  target = *number;
  return true;
}

bool set_load(double& load, const std::string& value) {
  char* end = nullptr;
  load = std::strtod(value.c_str(), &end);
  return end && *end == '\0' && !value.empty() && load > 0 && load <= 10;
}

Result<void> set(Options& options, std::string_view name, const std::string& value) {
  bool good = false;
  if (name == "--nodes") {
    good = set_number(options.machine.nodes, value, 1u);
  } else if (name == "--cpus") {
    good = set_number(options.machine.cpus, value, 1u);
  } else if (name == "--generate") {
    good = set_number(options.generate.jobs, value, 1u);
  } else if (name == "--seed") {
    good = set_number(options.generate.seed, value, std::uint64_t{0});
  } else if (name == "--load") {
    good = set_load(options.generate.load, value);
  } else if (name == "--policy") {
    options.policies.clear();
    for (std::string_view policy : split(value, ',')) {
      if (std::ranges::find(kPolicies, policy) == std::end(kPolicies))
        return fail(
            fmt::format("unknown policy {}; there are muster, backfill, easy and fifo", policy));
      options.policies.emplace_back(policy);
    }
    good = true;
  } else {
    return fail("unknown option " + std::string(name));
  }
  if (!good) return fail(fmt::format("{} cannot be '{}'", name, value));
  return {};
}

// "--nodes 4" and "--nodes=4".
Result<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (!word.starts_with("--")) {
      if (!options.trace.empty()) return fail("more than one trace");
      options.trace = word;
      continue;
    }
    auto equals = word.find('=');
    std::string value;
    if (equals != word.npos)
      value = word.substr(equals + 1);
    else if (i + 1 < words.size())
      value = words[++i];
    else
      return fail(fmt::format("{} needs a value", word));
    if (auto ok = set(options, word.substr(0, equals), value); !ok)
      return std::unexpected(ok.error());
  }
  options.generate.cpus = static_cast<std::uint32_t>(options.machine.all_cpus());
  return options;
}

Result<std::string> read_all(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "re");
  if (!file) return fail(path + ": cannot be opened");
  std::string text;
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  if (failed) return fail(path + ": cannot be read");
  return text;
}

void print_row(std::string_view policy, const Report& r) {
  fmt::print("{:<10}{:>11.0f}{:>11.0f}{:>11.0f}{:>11.1f}{:>10.1f}%{:>13.0f}\n", policy, r.mean_wait,
             r.median_wait, r.p95_wait, r.mean_slowdown, 100 * r.utilisation, r.makespan);
}

int replay_trace(const Options& options) {
  auto text = read_all(options.trace);
  if (!text) return complain(text.error().text());
  auto trace = parse_swf(*text);
  if (!trace) return complain(options.trace + ": " + trace.error().text());
  std::size_t too_large = 0;
  const std::vector<TraceJob> jobs = fitting(std::move(*trace), options.machine, too_large);
  if (jobs.empty()) return complain(options.trace + ": no job that fits the machine");
  fmt::print("{} jobs on {} nodes of {} CPUs{}\n", jobs.size(), options.machine.nodes,
             options.machine.cpus,
             too_large ? fmt::format("; {} larger ones left out", too_large) : "");
  fmt::print("{:<10}{:>11}{:>11}{:>11}{:>11}{:>11}{:>13}\n", "policy", "mean wait", "median", "p95",
             "slowdown", "used", "makespan");
  for (const std::string& name : options.policies) {
    auto policy = make_policy(name, jobs, options.machine);
    print_row(name, report_on(jobs, replay(jobs, options.machine, *policy), options.machine));
    std::fflush(stdout);
  }
  std::puts("(waits and makespan in seconds; slowdown: mean, bounded at ten seconds)");
  return 0;
}

int run(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word == "--help" || word == "-h" || word == "--usage") {
      std::fputs((std::string(kUsage) + (word == "--usage" ? "" : std::string(kHelp))).c_str(),
                 stdout);
      return 0;
    }
  auto options = parse(words);
  if (!options) return complain(options.error().text());
  if (options->generate.jobs > 0) {
    std::fputs(generate_swf(options->generate).c_str(), stdout);
    return 0;
  }
  if (options->trace.empty()) return complain("name a trace to replay, or use --generate=JOBS");
  return replay_trace(*options);
}

}  // namespace

}  // namespace muster::sim

int main(int argc, char** argv) {
  return muster::sim::run(std::vector<std::string>(argv + 1, argv + argc));
}
