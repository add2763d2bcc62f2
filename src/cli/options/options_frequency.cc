// Options about the frequency of CPUs and GPUs: checked, and written as Slurm shows them. They are
// kept with the job and passed to its tasks.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/options/options_values.h"

namespace muster::cli {

namespace {

// From slow to fast; each word is above any number of kHz.
constexpr std::array<std::string_view, 4> kSpeeds{"Low", "Medium", "Highm1", "High"};
constexpr std::array<std::string_view, 6> kGovernors{"Conservative", "OnDemand",  "Performance",
                                                     "PowerSave",    "SchedUtil", "UserSpace"};
// The governors that the default of CpuFreqGovernors allows.
constexpr std::array<std::string_view, 3> kAllowedGovernors{"OnDemand", "Performance", "UserSpace"};

struct Speed {
  std::uint64_t order = 0;
  std::string text;
};

std::optional<Speed> parse_speed(std::string_view text) {
  constexpr std::uint64_t kAboveNumbers = std::uint64_t{1} << 32;
  for (std::size_t i = 0; i < kSpeeds.size(); ++i)
    if (iequals(text, kSpeeds[i])) return Speed{kAboveNumbers + i, std::string(kSpeeds[i])};
  auto khz = parse_number<std::uint32_t>(text);
  if (!khz || *khz == 0) return std::nullopt;
  return Speed{*khz, std::to_string(*khz)};
}

std::optional<std::string_view> parse_governor(std::string_view text) {
  for (std::string_view known : kGovernors)
    if (iequals(text, known)) return known;
  return std::nullopt;
}

std::unexpected<Refusal> bad_cpu_freq(const JobOptions& o, std::string_view why) {
  return refused(o, fmt::format("{}\nInvalid --cpu-freq argument", why), kExitBadOption);
}

std::unexpected<Refusal> unrecognized_speed(const JobOptions& o, std::string_view text) {
  return bad_cpu_freq(o, fmt::format("unrecognized --cpu-freq argument \"{}\"", text));
}

bool is_gpu_speed(std::string_view text) {
  if (iequals(text, "verbose")) return true;
  auto equals = text.find('=');
  if (equals != text.npos) {
    if (!iequals(text.substr(0, equals), "memory")) return false;
    text.remove_prefix(equals + 1);
  }
  return parse_speed(text).has_value();
}

}  // namespace

// "speed", "governor" or "least-most[:governor]"
Outcome cpu_freq(JobOptions& o, const OptionRow&, std::string_view value) {
  auto colon = value.find(':');
  std::string_view speeds = value.substr(0, colon);
  std::optional<std::string_view> governor;
  if (colon != value.npos) {
    std::string_view name = value.substr(colon + 1);
    if (speeds.find('-') == speeds.npos && parse_speed(speeds))
      return bad_cpu_freq(o, fmt::format("gov on cpu-frec ({}) illegal without max", name));
    governor = parse_governor(name);
    if (!governor) return unrecognized_speed(o, name);
  } else if ((governor = parse_governor(value))) {
    speeds = {};
  }
  if (governor && std::ranges::find(kAllowedGovernors, *governor) == kAllowedGovernors.end())
    return bad_cpu_freq(
        o, fmt::format("governor of {} is not allowed in slurm.conf", lower(*governor)));

  std::string text;
  std::optional<Speed> before;
  for (std::string_view part :
       speeds.empty() ? std::vector<std::string_view>{} : split(speeds, '-')) {
    auto speed = parse_speed(part);
    if (!speed || (before && text.find('-') != text.npos)) return unrecognized_speed(o, part);
    if (before && before->order > speed->order)
      return bad_cpu_freq(o, fmt::format("min cpu-frec ({}) must be < max cpu-freq ({})",
                                         speeds.substr(0, speeds.find('-')), part));
    text += before ? "-" + speed->text : speed->text;
    before = std::move(speed);
  }
  if (governor) text += fmt::format("{}{}", text.empty() ? "" : ":", *governor);
  o.spec.cpu_freq = text;
  return {};
}

Outcome gpu_freq(JobOptions& o, const OptionRow& row, std::string_view value) {
  for (std::string_view part : split(value, ','))
    if (!is_gpu_speed(part))
      return refused(o, fmt::format("Invalid --{} argument: gpu:{}", row.name, value),
                     kExitBadOption);
  o.spec.gpu_freq = Text(value);
  return {};
}

Outcome power(JobOptions& o, const OptionRow&, std::string_view value) {
  for (std::string_view part : split(value, ',')) {
    if (iequals(part, "level"))
      o.spec.power = "LEVEL";
    else
      print_error(client_name(o.client),
                  fmt::format("Ignoring unrecognized power option ({})", part));
  }
  return {};
}

}  // namespace muster::cli
