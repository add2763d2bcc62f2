// muster-sim: runs the simulator with many seeds; the first violation ends it and prints the seed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/text/strings.h"
#include "sim/wide_step.h"
#include "sim/world.h"

namespace {

int print_wide_step(std::uint32_t nodes) {
  const auto report = muster::sim::run_wide_step({.nodes = nodes});
  std::printf(
      "a step of %u tasks on %u nodes: launched in %.1f ms with %zu messages of %zu KiB, ended in "
      "%.1f ms with %zu reports, %zu commits\n",
      report.tasks, nodes, static_cast<double>(report.launch_took.count()) / 1000,
      report.order_messages, report.order_bytes / 1024,
      static_cast<double>(report.end_took.count()) / 1000, report.report_messages, report.commits);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seeds = 200, first = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    auto value = i + 1 < argc ? muster::parse_number<std::uint64_t>(argv[i + 1]) : std::nullopt;
    if (option == "--seeds" && value) {
      seeds = *value, ++i;
    } else if (option == "--first" && value) {
      first = *value, ++i;
    } else if (option == "--wide-step" && value) {
      return print_wide_step(static_cast<std::uint32_t>(*value));
    } else {
      std::puts(
          "Usage: muster-sim [--seeds N] [--first SEED] [--wide-step NODES]\n"
          "Simulates clusters whose machines, network, disk and controller fail, one per seed.\n"
          "--wide-step: one step of ten tasks a node, its messages counted and its time taken.");
      return option == "--help" || option == "-h" ? 0 : 1;
    }
  }
  muster::sim::Verdict sum;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    auto verdict = muster::sim::simulate({.seed = seed});
    if (!verdict.broken.empty()) {
      std::printf("seed %llu:\n", static_cast<unsigned long long>(seed));
      for (const std::string& what : verdict.broken) std::printf("  %s\n", what.c_str());
      return 1;
    }
    sum.jobs_acknowledged += verdict.jobs_acknowledged;
    sum.starts += verdict.starts;
    sum.crashes += verdict.crashes;
    sum.node_losses += verdict.node_losses;
    sum.broken_connections += verdict.broken_connections;
    sum.fingerprint = sum.fingerprint * 31 + verdict.fingerprint;
  }
  std::printf(
      "%llu seeds: %u jobs, %u starts, %u controller crashes, %u nodes lost, %u connections "
      "broken, fingerprint %016llx\n",
      static_cast<unsigned long long>(seeds), sum.jobs_acknowledged, sum.starts, sum.crashes,
      sum.node_losses, sum.broken_connections, static_cast<unsigned long long>(sum.fingerprint));
}
