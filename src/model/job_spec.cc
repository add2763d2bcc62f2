#include "model/job_spec.h"

#include <type_traits>

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

}  // namespace muster
