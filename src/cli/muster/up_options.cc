// Reads the options of `muster up`.
#include "cli/muster/up_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/size.h"
#include "base/text/strings.h"

namespace muster::cli {

namespace {

constexpr std::uint32_t kMostGpus = 64, kMostCpus = 4096;
constexpr std::uint64_t kMostMib = std::uint64_t{1} << 30;

Result<std::uint32_t> number(std::string_view option, std::string_view value, std::uint32_t least,
                             std::uint32_t most) {
  auto parsed = parse_number<std::uint32_t>(value);
  if (parsed && *parsed >= least && *parsed <= most) return *parsed;
  return fail(fmt::format("{}={}: a number from {} to {} is expected", option, value, least, most));
}

// Names are written to slurm.conf, where blanks, commas and # have a meaning.
bool is_name(std::string_view text) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !text.empty() && text.find_first_not_of(kLetters) == text.npos;
}

Result<void> add_names(std::string_view option, std::string_view value,
                       std::vector<std::string>& names) {
  for (std::string_view name : split(value, ',')) {
    if (!is_name(name))
      return fail(fmt::format("{}={}: names of letters, digits, '_', '-' and '.' are expected",
                              option, value));
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return {};
}

template <class T>
Result<void> keep(std::optional<T>& to, const Result<T>& value) {
  if (!value) return std::unexpected(value.error());
  to = *value;
  return {};
}

Result<void> set_nodes(UpOptions& o, std::string_view value) {
  return keep(o.nodes, number("--nodes", value, 1, kMaxPretendNodes));
}

Result<void> set_gpus(UpOptions& o, std::string_view value) {
  const auto colon = value.rfind(':');
  GpuCount gpus;
  if (colon != value.npos) gpus.type = value.substr(0, colon);
  auto count =
      number("--gpus", colon == value.npos ? value : value.substr(colon + 1), 0, kMostGpus);
  if (!count) return std::unexpected(count.error());
  if (colon != value.npos && !is_name(gpus.type))
    return fail(fmt::format("--gpus={}: expected a number, or type:number such as v100:8", value));
  gpus.count = *count;
  o.gpus = std::move(gpus);
  return {};
}

Result<void> set_cpus(UpOptions& o, std::string_view value) {
  return keep(o.cpus, number("--cpus", value, 1, kMostCpus));
}

Result<void> set_memory(UpOptions& o, std::string_view value) {
  auto mib = parse_mib(value);
  if (!mib || *mib < 1 || *mib > kMostMib)
    return fail(fmt::format("--memory={}: a size such as 64G is expected", value));
  o.memory_mib = *mib;
  return {};
}

Result<void> add_features(UpOptions& o, std::string_view value) {
  return add_names("--feature", value, o.features);
}

Result<void> add_partitions(UpOptions& o, std::string_view value) {
  return add_names("--partition", value, o.partitions);
}

struct Option {
  std::string_view name;
  Result<void> (*set)(UpOptions& options, std::string_view value);
};
constexpr std::array kOptions{
    Option{"--nodes", set_nodes},      Option{"--gpus", set_gpus},
    Option{"--cpus", set_cpus},        Option{"--memory", set_memory},
    Option{"--feature", add_features}, Option{"--partition", add_partitions}};

std::string option_names() {
  std::string names;
  for (const Option& option : kOptions) names += fmt::format("{}, ", option.name);
  return names + "--edit";
}

}  // namespace

std::string UpOptions::text() const {
  std::vector<std::string> words;
  auto add = [&](std::string_view name, const auto& value) {
    words.push_back(fmt::format("{}={}", name, value));
  };
  if (nodes) add("--nodes", *nodes);
  if (gpus && gpus->type.empty()) add("--gpus", gpus->count);
  if (gpus && !gpus->type.empty()) add("--gpus", fmt::format("{}:{}", gpus->type, gpus->count));
  if (cpus) add("--cpus", *cpus);
  if (memory_mib) add("--memory", *memory_mib);
  if (!features.empty()) add("--feature", join(features, ","));
  if (!partitions.empty()) add("--partition", join(partitions, ","));
  return join(words, " ");
}

Result<UpOptions> parse_up_options(std::span<const std::string_view> args) {
  UpOptions options;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--edit") {
      options.edit = true;
      continue;
    }
    const auto equals = args[i].find('=');
    const std::string_view name = args[i].substr(0, equals);
    auto option = std::ranges::find(kOptions, name, &Option::name);
    if (option == kOptions.end())
      return fail(fmt::format("up: unknown argument '{}'; there are {}", args[i], option_names()));
    if (equals == args[i].npos && i + 1 == args.size())
      return fail(fmt::format("{} needs a value", name));
    const std::string_view value = equals == args[i].npos ? args[++i] : args[i].substr(equals + 1);
    if (auto done = option->set(options, value); !done) return std::unexpected(done.error());
  }
  return options;
}

}  // namespace muster::cli
