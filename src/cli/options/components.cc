// Splits a command line into the components of a heterogeneous job or step.
#include "cli/options/components.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::cli {

namespace {

constexpr std::string_view kSeparator = ":";

// Options that apply only to the component that they are given for.
constexpr std::array<std::string_view, 33> kOfOneComponent{"constraint",
                                                           "contiguous",
                                                           "core-spec",
                                                           "cores-per-socket",
                                                           "cpus-per-gpu",
                                                           "cpus-per-task",
                                                           "exclusive",
                                                           "extra-node-info",
                                                           "gpus",
                                                           "gpus-per-node",
                                                           "gpus-per-socket",
                                                           "gpus-per-task",
                                                           "gres",
                                                           "het-group",
                                                           "hint",
                                                           "licenses",
                                                           "mem-per-cpu",
                                                           "mem-per-gpu",
                                                           "mincpus",
                                                           "nodefile",
                                                           "nodelist",
                                                           "nodes",
                                                           "ntasks",
                                                           "ntasks-per-core",
                                                           "ntasks-per-gpu",
                                                           "ntasks-per-node",
                                                           "ntasks-per-socket",
                                                           "oversubscribe",
                                                           "pack-group",
                                                           "partition",
                                                           "sockets-per-node",
                                                           "threads-per-core",
                                                           "tmp"};

bool is_of_one_component(std::string_view name) {
  return std::ranges::find(kOfOneComponent, name) != kOfOneComponent.end();
}

}  // namespace

std::expected<std::vector<ParsedWords>, Refusal> parse_components(
    Client client, std::span<const std::string> words) {
  std::vector<ParsedWords> components;
  while (true) {
    auto end = client == Client::srun ? std::ranges::find(words, kSeparator) : words.end();
    auto parsed = parse_words(client, words.first(static_cast<std::size_t>(end - words.begin())));
    if (!parsed) return std::unexpected(parsed.error());
    bool more = end != words.end();
    if (more) {
      words = words.subspan(static_cast<std::size_t>(end - words.begin()) + 1);
    } else if (!parsed->rest.empty() && parsed->rest.front() == kSeparator) {
      more = true;
      words = words.last(parsed->rest.size() - 1);
      parsed->rest.clear();
    }
    components.push_back(std::move(*parsed));
    if (!more) return components;
  }
}

Outcome inherit(JobOptions& options, const JobOptions& previous) {
  // Variables are read anew for each component.
  for (Source source : {Source::script, Source::command_line}) {
    ParsedWords taken_over;
    for (const auto& [name, use] : previous.given)
      if (use.source == source && !is_of_one_component(name))
        taken_over.options.emplace_back(name, use.value);
    if (auto done = apply(options, taken_over, source); !done) return done;
  }
  return {};
}

void set_group_variable(JobEnvironment& environment, std::string_view name, std::size_t component,
                        std::string_view value) {
  for (std::string_view word : {"HET", "PACK"})
    environment.set(fmt::format("{}_{}_GROUP_{}", name, word, component), value);
}

void add_group_variables(JobEnvironment& environment, const std::vector<JobOptions>& components) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    JobEnvironment own;
    add_option_variables(own, components[i]);
    for (const std::string& entry : own.entries()) {
      auto equals = entry.find('=');
      set_group_variable(environment, std::string_view(entry).substr(0, equals), i,
                         std::string_view(entry).substr(equals + 1));
    }
  }
}

}  // namespace muster::cli
