#include "model/job_spec.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "model/resources.h"

namespace muster {

namespace {

struct TextCollector {
  std::array<Text*, 96> texts;
  std::size_t count = 0;
  template <class T>
  void operator()(std::uint32_t, T& field) {
    if constexpr (std::is_same_v<T, Text>) texts.at(count++) = &field;
  }
};

// The text fields, in an order that is always the same. Only the owner may change them.
TextCollector texts_of(const JobSpec& spec) {
  TextCollector collector;
  const_cast<JobSpec&>(spec).fields(collector);
  return collector;
}

}  // namespace

Cow<JobSpec> shared_with(Cow<JobSpec> spec, const Cow<JobSpec>& other) {
  if (!spec || !other) return spec;
  if (*spec == *other) return other;
  const TextCollector theirs = texts_of(*other);
  auto is_a_copy = [&](const TextCollector& mine, std::size_t i) {
    return !mine.texts[i]->shares_with(*theirs.texts[i]) && *mine.texts[i] == *theirs.texts[i];
  };
  const TextCollector read = texts_of(*spec);
  std::size_t i = 0;
  while (i < read.count && !is_a_copy(read, i)) ++i;
  if (i == read.count) return spec;  // nothing to be had for a copy of the whole
  const TextCollector mine = texts_of(spec.edit());
  for (; i < mine.count; ++i)
    if (is_a_copy(mine, i)) *mine.texts[i] = *theirs.texts[i];
  return spec;
}

std::string gres_of_each_node(const JobSpec& spec) {
  std::string all = as_gres(spec.gpus_per_node);
  if (!all.empty() && !spec.gres.empty()) all += ',';
  return all += spec.gres.view();
}

std::uint32_t least_cpus_per_node(const JobSpec& spec) {
  const bool several = spec.num_tasks != 1u && !spec.overcommit;
  const std::uint32_t tasks = several ? std::max(1u, spec.ntasks_per_node.value_or(1)) : 1;
  return std::max(spec.min_cpus_per_node.value_or(1), tasks * spec.cpus_per_task.value_or(1));
}

}  // namespace muster
