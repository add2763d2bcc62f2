// Measures the parts of a request, and compares them with the limits.
#include "controller/submit/request_check.h"

#include <fmt/format.h>

#include <vector>

#include "base/codec/codec_kinds.h"
#include "base/text/duration.h"
#include "sched/gate/dependency.h"

namespace muster::controller {

namespace {

using Limit = std::uint32_t RequestLimits::*;

// A member with a limit of its own, or with a name in messages.
struct Special {
  const void* member;
  std::string_view what;
  Limit limit = &RequestLimits::text;
};

std::size_t length(std::string_view text) { return text.size(); }

bool counts_bytes(Limit limit) {
  return limit != &RequestLimits::dependencies && limit != &RequestLimits::components &&
         limit != &RequestLimits::waiting_steps && limit != &RequestLimits::list_items &&
         limit != &RequestLimits::tasks_per_node;
}

// Visits all fields of a struct, so that new fields are checked as well.
class SizeCheck {
 public:
  SizeCheck(const RequestLimits& limits, std::vector<Special> specials)
      : limits_(limits), specials_(std::move(specials)) {}

  template <class T>
  void operator()(std::uint32_t, T& value) {
    using namespace codec_detail;
    if constexpr (String<T>)
      note(value, length(value), "text", &RequestLimits::text);
    else if constexpr (std::is_same_v<T, std::vector<Text>> ||
                       std::is_same_v<T, std::vector<std::string>>)
      texts(value);
    else if constexpr (is<T, std::map>)
      each_of_map(value);
    else if constexpr (is<T, std::pair>)
      visit(value.first, value.second);
    else if constexpr (is<T, std::vector>)
      list(value);
    else if constexpr (is<T, std::optional>)
      optional(value);
    else if constexpr (Struct<T>)
      value.fields(*this);
  }

  std::uint64_t bytes() const { return bytes_; }
  Result<void> result() const {
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  template <class... T>
  void visit(T&... values) {
    ((*this)(0, values), ...);
  }
  // One limit for the whole list if there is one, otherwise for each element.
  template <class List>
  void texts(List& value) {
    const Special* special = find(&value);
    if (!special) return list(value);
    std::uint64_t sum = 0;
    for (const auto& text : value) sum += length(text) + sizeof(char*);
    note(value, sum, special->what, special->limit);
  }
  template <class Map>
  void each_of_map(Map& value) {
    std::uint64_t sum = 0;
    for (const auto& [key, words] : value)
      for (const std::string& word : words) sum += word.size() + sizeof(char*);
    note(value, sum, "arguments", &RequestLimits::arguments);
  }
  template <class List>
  void list(List& value) {
    if (find(&value)) return;  // it has been checked by itself
    note(value, value.size(), "items in a list", &RequestLimits::list_items);
    if constexpr (!std::is_same_v<typename List::value_type, bool>)
      for (auto& item : value) visit(item);
  }
  template <class Optional>
  void optional(Optional& value) {
    if (value) visit(*value);
  }

  void note(const auto& member, std::uint64_t size, std::string_view what, Limit limit) {
    if (const Special* special = find(&member)) what = special->what, limit = special->limit;
    if (counts_bytes(limit)) bytes_ += size;
    if (size > limits_.*limit && !error_) error_ = beyond_limit(what, size, limits_, limit);
  }
  const Special* find(const void* member) const {
    for (const Special& special : specials_)
      if (special.member == member) return &special;
    return nullptr;
  }

  const RequestLimits& limits_;
  std::vector<Special> specials_;
  std::uint64_t bytes_ = 0;
  std::optional<Error> error_;
};

// The number of bytes of all its texts.
template <class T>
Result<std::uint64_t> check_fields(const RequestLimits& limits, const T& object,
                                   std::vector<Special> specials) {
  SizeCheck check(limits, std::move(specials));
  const_cast<T&>(object).fields(check);  // the check only reads
  if (auto ok = check.result(); !ok) return std::unexpected(ok.error());
  return check.bytes();
}

Result<std::uint64_t> check_texts(const RequestLimits& limits, const JobRequest& spec) {
  return check_fields(limits, spec,
                      {{&spec.name, "job name", &RequestLimits::name},
                       {&spec.comment, "comment"},
                       {&spec.features, "constraint", &RequestLimits::constraint},
                       {&spec.prefer, "constraint", &RequestLimits::constraint},
                       {&spec.batch_features, "constraint", &RequestLimits::constraint},
                       {&spec.required_nodes, "node list", &RequestLimits::node_list},
                       {&spec.excluded_nodes, "node list", &RequestLimits::node_list},
                       {&spec.script_args, "arguments", &RequestLimits::arguments},
                       // Is shortened; see submissions.cc.
                       {&spec.submit_line, "command line", &RequestLimits::launch}});
}

Result<void> check_count(std::string_view what, std::uint64_t count, const RequestLimits& limits,
                         Limit limit) {
  if (count <= limits.*limit) return {};
  return std::unexpected(beyond_limit(what, count, limits, limit));
}

Result<std::uint64_t> check_step(const RequestLimits& limits, const wire::StepRequest& step) {
  if (auto ok = check_count("commands of a step", step.parts.size() + 1, limits,
                            &RequestLimits::components);
      !ok)
    return std::unexpected(ok.error());
  auto bytes = check_fields(limits, step,
                            {{&step.name, "step name", &RequestLimits::name},
                             {&step.features, "constraint", &RequestLimits::constraint},
                             {&step.node_list, "node list", &RequestLimits::node_list},
                             {&step.excluded_nodes, "node list", &RequestLimits::node_list},
                             {&step.task.argv, "arguments", &RequestLimits::arguments},
                             {&step.environment, "environment", &RequestLimits::environment},
                             {&step.submit_line, "command line", &RequestLimits::launch},
                             {&step.parts, "commands of a step", &RequestLimits::components}});
  for (const wire::StepRequest& part : step.parts) {
    if (!bytes) return bytes;
    if (!part.parts.empty()) return fail("a part of a step cannot have parts");
    auto more = check_step(limits, part);
    if (!more) return more;
    *bytes += *more;
  }
  if (!bytes) return bytes;
  if (auto ok = check_count("step", *bytes, limits, &RequestLimits::launch); !ok)
    return std::unexpected(ok.error());
  return bytes;
}

Result<void> check(const RequestLimits& limits, const wire::SubmitRequest& request) {
  for (auto [what, size, limit] :
       {std::tuple{"script", request.script.size(), &RequestLimits::script},
        std::tuple{"environment", request.environment.size(), &RequestLimits::environment},
        std::tuple{"components", request.components.size() + 1, &RequestLimits::components}})
    if (auto ok = check_count(what, size, limits, limit); !ok) return ok;
  if (request.first_step.size() > 1) return fail("a job is submitted with one step at most");
  std::uint64_t bytes = request.script.size() + request.environment.size();
  auto add = [&](const Cow<JobRequest>& spec) -> Result<void> {
    if (!spec) return {};  // refused elsewhere
    if (auto ok = check_spec(limits, *spec); !ok) return ok;
    bytes += *check_texts(limits, *spec);
    return {};
  };
  if (auto ok = add(request.spec); !ok) return ok;
  for (const Cow<JobRequest>& component : request.components)
    if (auto ok = add(component); !ok) return ok;
  for (const wire::StepRequest& step : request.first_step)
    if (auto ok = check_step(limits, step); !ok) return std::unexpected(ok.error());
  return check_count("job", bytes, limits, &RequestLimits::launch);
}

Result<void> check(const RequestLimits& limits, const wire::StepRequest& request) {
  auto bytes = check_step(limits, request);
  if (!bytes) return std::unexpected(bytes.error());
  return {};
}

// A value may be a list of nodes or jobs; the field that it sets has its own limit.
Result<void> check(const RequestLimits& limits, const wire::UpdateRequest& request) {
  if (auto ok = check_count("keys", request.settings.size(), limits, &RequestLimits::list_items);
      !ok)
    return ok;
  for (const auto& [key, value] : request.settings)
    if (auto ok =
            check_count("value", key.size() + value.size(), limits, &RequestLimits::node_list);
        !ok)
      return ok;
  return {};
}

Result<void> check(const RequestLimits& limits, const auto& request) {
  auto bytes = check_fields(limits, request, {});
  if (!bytes) return std::unexpected(bytes.error());
  return {};
}

// Longer than anybody plans, and far from an overflow when counted in milliseconds.
constexpr Minutes kLongest{4'000'000'000'000};
constexpr Time kLatest{Seconds{253'402'300'799}};  // the end of the year 9999

Result<void> bound_time(std::optional<Minutes>& limit) {
  if (limit && *limit < Minutes{0}) return fail(ErrorCode::invalid_time_limit);
  if (limit && *limit > kLongest) limit = kUnlimited;
  return {};
}

}  // namespace

Error beyond_limit(std::string_view what, std::uint64_t size, const RequestLimits& limits,
                   Limit limit) {
  const std::string_view too_long = "Pathname of a file, directory or other parameter too long";
  return {ErrorCode::failure, counts_bytes(limit)
                                  ? fmt::format("{}: {} of {} bytes, at most {} are allowed ({})",
                                                too_long, what, size, limits.*limit, name_of(limit))
                                  : fmt::format("{} {}: at most {} are allowed ({})", size, what,
                                                limits.*limit, name_of(limit))};
}

Result<void> check_spec(const RequestLimits& limits, const JobRequest& spec) {
  if (auto bytes = check_texts(limits, spec); !bytes) return std::unexpected(bytes.error());
  if (const auto& parsed = spec.dependency.parsed())
    if (auto ok = check_count("dependencies", parsed->conditions.size(), limits,
                              &RequestLimits::dependencies);
        !ok)
      return ok;
  constexpr std::uint64_t kMostMib = std::uint64_t{1} << 40;
  for (const auto& mib : {spec.memory_per_node_mib, spec.memory_per_cpu_mib,
                          spec.memory_per_gpu_mib, spec.tmp_disk_mib})
    if (mib > kMostMib)
      return fail(ErrorCode::failure, "Memory specification can not be satisfied");
  return {};
}

Result<void> check_request(const RequestLimits& limits, const wire::Request& request) {
  return std::visit([&](const auto& r) { return check(limits, r); }, request);
}

void shorten(Text& text, std::size_t most) {
  if (text.view().size() > most) text = Text(text.view().substr(0, most));
}

Result<void> bound_times(JobRequest& spec) {
  for (auto* limit : {&spec.time_limit, &spec.time_min})
    if (auto ok = bound_time(*limit); !ok) return ok;
  spec.begin = std::clamp(spec.begin, Time{}, kLatest);
  spec.deadline = std::clamp(spec.deadline, Time{}, kLatest);
  if (spec.switches_wait)
    spec.switches_wait = std::clamp(*spec.switches_wait, Seconds{0}, Seconds{kLongest});
  return {};
}

Result<void> bound_times(wire::StepRequest& request) {
  for (wire::StepRequest& part : request.parts)
    if (auto ok = bound_time(part.time_limit); !ok) return ok;
  return bound_time(request.time_limit);
}

}  // namespace muster::controller
