#include "model/job_spec.h"

#include <algorithm>
#include <type_traits>

#include "model/resources.h"

namespace muster {

namespace {

struct TextCollector {
  std::vector<Text*> texts;
  template <class T>
  void operator()(std::uint32_t, T& field) {
    if constexpr (std::is_same_v<T, Text>) texts.push_back(&field);
  }
};

}  // namespace

Cow<JobSpec> shared_with(Cow<JobSpec> spec, const Cow<JobSpec>& other) {
  if (!spec || !other) return spec;
  if (*spec == *other) return other;
  TextCollector mine, theirs;
  spec.edit().fields(mine);
  const_cast<JobSpec&>(*other).fields(theirs);  // only read
  for (std::size_t i = 0; i < mine.texts.size(); ++i)
    if (*mine.texts[i] == *theirs.texts[i]) *mine.texts[i] = *theirs.texts[i];
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
