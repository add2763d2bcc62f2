// Finds equal parts by hash.
#include "model/job/shared_parts.h"

#include <functional>
#include <string_view>

#include "base/codec/codec_kinds.h"

namespace muster {

namespace {

constexpr std::size_t kLongestText = 256;  // longer texts would hold memory for too long

// Hashes a struct's fields in order.
class Hash {
 public:
  template <class T>
  void operator()(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if constexpr (String<T>) {
      if (const std::string_view text(value); !text.empty())
        add(number, std::hash<std::string_view>{}(text));
    } else if constexpr (is<T, std::optional>) {
      if (value) (*this)(number, *value);
    } else if constexpr (Struct<T>) {
      value.fields(*this);
    } else if constexpr (StrongId<T>) {
      add(number, value.value);
    } else if constexpr (TimePoint<T>) {
      add(number, static_cast<std::uint64_t>(value.time_since_epoch().count()));
    } else if constexpr (is<T, std::chrono::duration>) {
      add(number, static_cast<std::uint64_t>(value.count()));
    } else {
      add(number, static_cast<std::uint64_t>(value));
    }
  }
  std::size_t value() const { return value_ ^ (value_ >> 32); }

 private:
  void add(std::uint32_t number, std::uint64_t value) {
    value_ = (value_ ^ (value + number)) * 0x9e3779b97f4a7c15u;
  }
  std::uint64_t value_ = 0;
};

std::size_t hash_of(const JobSpec& spec) {
  Hash hash;
  const_cast<JobSpec&>(spec).fields(hash);  // which only reads
  return hash.value();
}

// Replaces a text by the known equal one.
template <class T, std::size_t Slots>
void share(T& text, std::array<T, Slots>& recent) {
  const std::string_view view = text.view();
  if (view.empty() || view.size() > kLongestText) return;
  T& known = recent[std::hash<std::string_view>{}(view) % Slots];
  if (known.view() != view) known = text;
  text = known;
}

}  // namespace

Cow<JobSpec> SharedParts::shared(const Cow<JobSpec>& spec) {
  Cow<JobSpec>& known = specs_[hash_of(*spec) % specs_.size()];
  if (!known || !(*known == *spec)) known = spec;
  return known;
}

void SharedParts::share(Job& job) {
  job.spec = shared(job.spec);
  JobOwn& own = job.own;
  for (Text* text : {&own.name, &own.comment, &own.array, &own.command, &own.submit_line,
                     &own.work_dir, &own.std_in, &own.std_out, &own.std_err, &own.script_blob,
                     &own.environment_blob, &job.account, &job.qos})
    muster::share(*text, texts_);
  muster::share(job.partitions, partitions_);
  muster::share(own.dependency, dependencies_);
}

}  // namespace muster
