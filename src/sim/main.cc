// muster-sim: runs the simulator over many seeds; the first broken promise ends it with its seed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/strings.h"
#include "sim/world.h"

int main(int argc, char** argv) {
  std::uint64_t seeds = 200, first = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    auto value = i + 1 < argc ? muster::parse_number<std::uint64_t>(argv[i + 1]) : std::nullopt;
    if (option == "--seeds" && value) {
      seeds = *value, ++i;
    } else if (option == "--first" && value) {
      first = *value, ++i;
    } else {
      std::puts(
          "Usage: muster-sim [--seeds N] [--first SEED]\n"
          "Simulates clusters whose machines, network, disk and controller fail, one per seed.");
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
  }
  std::printf(
      "%llu seeds: %u jobs, %u starts, %u controller crashes, %u nodes lost, %u connections "
      "broken\n",
      static_cast<unsigned long long>(seeds), sum.jobs_acknowledged, sum.starts, sum.crashes,
      sum.node_losses, sum.broken_connections);
}
