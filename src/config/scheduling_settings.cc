#include "config/scheduling_settings.h"

#include <algorithm>
#include <charconv>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "config/limit_words.h"

namespace muster::config {

namespace {

PreemptSettings preempt_of(const SlurmConf& slurm) {
  PreemptSettings p;
  std::string type = lower(slurm.value("PreemptType"));
  if (type == "preempt/partition_prio") p.type = PreemptType::partition_priority;
  if (type == "preempt/qos") p.type = PreemptType::qos;
  p.mode = parse_preempt_mode(slurm.value("PreemptMode")).value_or(PreemptMode::off);
  p.gang = has_gang(slurm.value("PreemptMode"));
  p.within = has_within(slurm.value("PreemptMode"));
  p.exempt_time = parse_duration(slurm.value("PreemptExemptTime")).value_or(Seconds{0});
  if (p.exempt_time == Seconds::max()) p.exempt_time = Seconds{0};  // -1: no such time
  p.youngest_first = slurm.option("PreemptParameters", "youngest_first").has_value() ||
                     slurm.option("SchedulerParameters", "preempt_youngest_first").has_value();
  p.strict_order = slurm.option("PreemptParameters", "strict_order").has_value() ||
                   slurm.option("SchedulerParameters", "preempt_strict_order").has_value();
  if (auto text = slurm.option("PreemptParameters", "min_exempt_priority"))
    p.min_exempt_priority = parse_number<std::uint32_t>(*text);
  p.reclaim_licenses = slurm.option("PreemptParameters", "reclaim_licenses").has_value();
  p.send_user_signal = slurm.option("PreemptParameters", "send_user_signal").has_value() ||
                       slurm.option("SchedulerParameters", "preempt_send_user_signal") ||
                       slurm.option("SlurmctldParameters", "preempt_send_user_signal");
  return p;
}

std::uint32_t scheduler_number(const SlurmConf& slurm, std::string_view name,
                               std::uint32_t otherwise) {
  auto text = slurm.option("SchedulerParameters", name);
  return text ? parse_number<std::uint32_t>(*text).value_or(otherwise) : otherwise;
}

bool is_tres(std::string_view name) {
  constexpr std::string_view kNames[] = {"cpu",     "mem",  "energy", "node",
                                         "billing", "vmem", "pages"};
  constexpr std::string_view kKinds[] = {"fs/", "gres/", "license/", "bb/", "ic/"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kKinds, [&](std::string_view kind) {
           return name.starts_with(kind) && name.size() > kind.size();
         });
}

}  // namespace

std::optional<std::vector<std::pair<Text, double>>> parse_tres_weights(std::string_view text) {
  std::vector<std::pair<Text, double>> list;
  if (text.empty()) return list;
  for (std::string_view item : split(text, ',')) {
    const auto equals = item.find('=');
    if (equals == item.npos) return std::nullopt;
    const std::string name = lower(trim(item.substr(0, equals)));
    const std::string_view number = trim(item.substr(equals + 1));
    double weight = 0;
    auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), weight);
    if (error != std::errc{} || rest != number.data() + number.size() || weight < 0 ||
        !is_tres(name))
      return std::nullopt;
    list.emplace_back(name, weight);
  }
  return list;
}

void set_scheduling(const SlurmConf& slurm, Settings& s) {
  auto has = [&](std::string_view word) {
    return slurm.option("SchedulerParameters", word).has_value();
  };
  s.preempt = preempt_of(slurm);
  s.serial_at_end = has("pack_serial_at_end");
  s.kill_on_invalid_dependency =
      slurm.option("DependencyParameters", "kill_invalid_depend").has_value() ||
      has("kill_invalid_depend");
  s.max_switch_wait = Seconds{scheduler_number(slurm, "max_switch_wait", 300)};
  s.max_batch_requeue = scheduler_number(slurm, "max_batch_requeue", 5);
  if (has("max_preempt_requeue"))
    s.max_preempt_requeue = scheduler_number(slurm, "max_preempt_requeue", 0);
  s.max_array_tasks = scheduler_number(slurm, "max_array_tasks", 0);
  s.request_limits = request_limits_of(slurm);
  s.user_top = has("enable_user_top");
  s.users_shrink = !has("disable_job_shrink");
  s.limits_stop = has("assoc_limit_stop");
  s.whole_het_jobs = has("whole_hetjob") || has("whole_pack");
  s.settles_by_partition = has("reduce_completing_frag");
  s.allow_zero_licenses = has("allow_zero_lic");
  s.min_priority_reserve = scheduler_number(slurm, "bf_min_prio_reserve", 0);
  s.min_age_reserve = Seconds{scheduler_number(slurm, "bf_min_age_reserve", 0)};
}

}  // namespace muster::config
