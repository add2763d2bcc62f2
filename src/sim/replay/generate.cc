// Makes up a trace: see swf.h. A simple form of what workload models of parallel machines agree on:
// a quarter of the jobs is serial, sizes are spread evenly over the orders of magnitude, run times
// are log-normal in two classes, short and long.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "sim/replay/swf.h"

namespace muster::sim {

namespace {

constexpr double kDay = 86400;

// Distributions of the standard differ between libraries; these do not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double even() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }  // [0, 1)
  double exponential() { return -std::log(1 - even()); }
  double normal() {
    const double distance = std::sqrt(2 * exponential());
    return distance * std::cos(2 * std::numbers::pi * even());
  }

 private:
  std::mt19937_64 engine_;
};

std::uint32_t size_of(Dice& dice, std::uint32_t most) {
  if (dice.even() < 0.24) return 1;
  const double exponent = dice.even() * std::log2(static_cast<double>(most));
  const auto power = static_cast<std::uint32_t>(std::lround(std::exp2(std::round(exponent))));
  if (dice.even() < 0.75) return std::clamp(power, 1u, most);
  return std::clamp(static_cast<std::uint32_t>(std::lround(std::exp2(exponent))), 1u, most);
}

std::int64_t run_time_of(Dice& dice) {
  const bool is_short = dice.even() < 0.5;
  const double seconds = std::exp((is_short ? 4.5 : 8.5) + 1.3 * dice.normal());
  return std::clamp<std::int64_t>(std::llround(seconds), 1, 2 * 86400);
}

// Users ask for more than they need, in round numbers.
std::int64_t limit_of(Dice& dice, std::int64_t runs) {
  constexpr std::array kMinutes{5, 10, 15, 30, 60, 120, 240, 480, 720, 1440, 2880, 5760};
  const double wanted = static_cast<double>(runs) * (1 + 3 * dice.even()) / 60;
  auto at = std::ranges::find_if(kMinutes, [&](int minutes) { return minutes >= wanted; });
  return 60 * std::int64_t{at == kMinutes.end() ? kMinutes.back() : *at};
}

// How many jobs arrive at this time of day, relative to the maximum.
double activity(double seconds) {
  const double hour = std::fmod(seconds, kDay) / 3600;
  return 0.55 + 0.45 * std::sin((hour - 8) / 12 * std::numbers::pi);
}

}  // namespace

std::string generate_swf(const TraceOptions& options) {
  Dice dice(options.seed);
  std::vector<TraceJob> jobs(options.jobs);
  double work = 0;
  for (TraceJob& job : jobs) {
    job.cpus = size_of(dice, options.cpus);
    job.runs = Seconds{run_time_of(dice)};
    job.limit = Seconds{limit_of(dice, job.runs.count())};
    job.user = 1 + static_cast<std::uint32_t>(dice.even() * dice.even() * 50);
    work += static_cast<double>(job.cpus) * static_cast<double>(job.runs.count());
  }
  // The mean activity of a day is 0.55.
  const double span = work / options.load / options.cpus;
  const double gap = 0.55 * span / std::max(1u, options.jobs);
  double at = 0;
  std::string text = fmt::format(
      "; Version: 2.2\n; Computer: none, made up by muster sim\n; MaxJobs: {}\n; MaxProcs: {}\n"
      "; Note: seed {}, load {}\n",
      options.jobs, options.cpus, options.seed, options.load);
  for (std::uint32_t i = 0; i < options.jobs; ++i) {
    at += gap * dice.exponential() / std::max(0.1, activity(at));
    const TraceJob& job = jobs[i];
    text += fmt::format("{} {} -1 {} {} -1 -1 {} {} -1 1 {} -1 -1 -1 -1 -1 -1\n", i + 1,
                        std::llround(at), job.runs.count(), job.cpus, job.cpus, job.limit.count(),
                        job.user);
  }
  return text;
}

}  // namespace muster::sim
