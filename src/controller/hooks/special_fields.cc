// Translates between Slurm's forms and the request's members.
#include "controller/hooks/special_fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "controller/hooks/job_fields.h"
#include "model/node/resources.h"

namespace muster::controller {

namespace {

using wire::HookField;
using wire::says_unset;

// Bits of bitflags.
constexpr std::uint64_t kKillInvalidDependency = 1, kNoKillInvalidDependency = 2, kEnforceBind = 16,
                        kSpreadJob = 256, kUseMinNodes = 512, kDisableBind = 524288;

// "gres:gpu:2" and "gres/gpu:2" -> "gpu:2"
std::string_view without_prefix(std::string_view text) {
  text = trim(text);
  for (std::string_view prefix : {"gres:", "gres/"})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

}  // namespace

std::string shown_gres(std::string_view gres) {
  std::string shown;
  for (std::string_view part : split(gres, ',')) {
    if (trim(part).empty()) continue;
    if (!shown.empty()) shown += ',';
    shown.append("gres:").append(without_prefix(part));
  }
  return shown;
}

Result<std::string> stripped_gres(std::string_view text) {
  std::string stripped;
  for (std::string_view part : split(text, ',')) {
    if (trim(part).empty()) continue;
    if (!stripped.empty()) stripped += ',';
    stripped += without_prefix(part);
  }
  if (!parse_gres(stripped)) return fail(fmt::format("\"{}\" names no devices", text));
  return stripped;
}

Result<std::string> gpus_of(std::string_view text) {
  std::string gpus;
  for (std::string_view part : split(text, ',')) {
    part = without_prefix(part);
    if (part.empty()) continue;
    if (part == "gpu")
      part = "1";
    else if (part.starts_with("gpu:"))
      part.remove_prefix(4);
    else
      return fail(fmt::format("\"{}\" names no GPUs", text));
    if (!gpus.empty()) gpus += ',';
    gpus += part;
  }
  if (!parse_gpus(gpus)) return fail(fmt::format("\"{}\" names no GPUs", text));
  return gpus;
}

void get_begin(const JobRequest& r, HookField& f) {
  if (is_set(r.begin))
    f.number = static_cast<std::uint64_t>(r.begin.time_since_epoch().count()) / 1000;
}
Result<void> set_begin(JobRequest& r, const HookField& f) {
  if (*f.number > 253402300799) return too_large(f);  // the year 9999
  r.begin = Time{Seconds{static_cast<std::int64_t>(*f.number)}};
  return {};
}

void get_bitflags(const JobRequest& r, HookField& f) {
  std::uint64_t bits = 0;
  if (r.kill_on_invalid_dependency)
    bits |= *r.kill_on_invalid_dependency ? kKillInvalidDependency : kNoKillInvalidDependency;
  if (r.enforce_binding) bits |= kEnforceBind;
  if (r.disable_binding) bits |= kDisableBind;
  if (r.spread_job) bits |= kSpreadJob;
  if (r.use_min_nodes) bits |= kUseMinNodes;
  f.number = bits;
}
Result<void> set_bitflags(JobRequest& r, const HookField& f) {
  auto has = [&](std::uint64_t bit) { return (*f.number & bit) != 0; };
  r.kill_on_invalid_dependency.reset();
  if (has(kKillInvalidDependency)) r.kill_on_invalid_dependency = true;
  if (has(kNoKillInvalidDependency)) r.kill_on_invalid_dependency = false;
  r.enforce_binding = has(kEnforceBind);
  r.disable_binding = has(kDisableBind);
  r.spread_job = has(kSpreadJob);
  r.use_min_nodes = has(kUseMinNodes);
  return {};
}

void get_contiguous(const JobRequest& r, HookField& f) {
  if (r.contiguous) f.number = 1;
}
Result<void> set_contiguous(JobRequest& r, const HookField& f) {
  r.contiguous = *f.number != 0 && !says_unset(f);
  return {};
}

void get_cpus_per_gpu(const JobRequest& r, HookField& f) {
  if (r.cpus_per_gpu) f.text = fmt::format("gres:gpu:{}", *r.cpus_per_gpu);
}
Result<void> set_cpus_per_gpu(JobRequest& r, const HookField& f) {
  auto text = gpus_of(f.text.value_or(""));
  if (!text) return std::unexpected(text.error());
  r.cpus_per_gpu = parse_number<std::uint32_t>(*text);
  if (!text->empty() && !r.cpus_per_gpu)
    return fail(fmt::format("cpus_per_tres=\"{}\": expected \"gres:gpu:N\"", *f.text));
  return {};
}

void get_memory_per_gpu(const JobRequest& r, HookField& f) {
  if (r.memory_per_gpu_mib) f.text = fmt::format("gres:gpu:{}", *r.memory_per_gpu_mib);
}
Result<void> set_memory_per_gpu(JobRequest& r, const HookField& f) {
  auto text = gpus_of(f.text.value_or(""));
  if (!text) return std::unexpected(text.error());
  r.memory_per_gpu_mib = parse_number<std::uint64_t>(*text);
  if (!text->empty() && !r.memory_per_gpu_mib)
    return fail(fmt::format("mem_per_tres=\"{}\": expected \"gres:gpu:MEGABYTES\"", *f.text));
  return {};
}

void get_gres(const JobRequest& r, HookField& f) {
  if (std::string all = gres_of_each_node(r); !all.empty()) f.text = shown_gres(all);
}
Result<void> set_gres(JobRequest& r, const HookField& f) {
  auto gres = stripped_gres(f.text.value_or(""));
  if (!gres) return std::unexpected(gres.error());
  r.gres = *gres;
  r.gpus_per_node = {};  // said in the same field
  return {};
}

}  // namespace muster::controller
