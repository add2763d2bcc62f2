// Checks words of lists and combinations of keys.
#include "config/slurm_conf_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/idset.h"
#include "base/text/strings.h"
#include "config/limit_words.h"
#include "model/node/resources.h"

namespace muster::config {

namespace {

bool is_rank(std::string_view text) {
  return iequals(text, "min") || iequals(text, "avg") || iequals(text, "max");
}

// A description of the text that must follow the word, if the text is something else.
std::string expected(const Word& word, std::string_view text) {
  const Takes& takes = word.takes;
  switch (takes.what) {
    case Takes::What::nothing:
    case Takes::What::text:
      return {};
    case Takes::What::rank:
      return is_rank(text) ? "" : fmt::format("{}=min, avg or max", word.name);
    case Takes::What::duration:
      return parse_duration(text) ? "" : fmt::format("{}=minutes", word.name);
    case Takes::What::ports:
      return IdSet::parse(text, 65535) ? "" : fmt::format("{}=first-last", word.name);
    case Takes::What::number:
      break;
  }
  auto number = parse_number<std::uint64_t>(text);
  if (number && *number >= takes.least && *number <= takes.most) return {};
  return fmt::format("{}=a number from {} to {}", word.name, takes.least, takes.most);
}

const Word* find_word(const Key& key, std::string_view name) {
  auto words = known_words();
  auto found = std::ranges::find_if(
      words, [&](const Word& each) { return each.key == key.name && iequals(each.name, name); });
  return found == words.end() ? nullptr : &*found;
}

// Checks one word of a list. All words of SchedulerParameters are known: a misspelt one would
// change the schedule.
Result<void> check_word(const Key& key, const Location& at, const Setting& setting,
                        std::vector<std::string>& ignored) {
  const std::string_view part = setting.value;
  const auto equals = std::min(part.find('='), part.size());
  const std::string_view name = trim(part.substr(0, equals));
  const Word* word = find_word(key, name);
  if (!word && key.name == "SchedulerParameters")
    return invalid(at, fmt::format("{}={}: unknown word", setting.key, part));
  if (!word) return {};
  if (word->use.how == Use::How::refused)
    return invalid(at, fmt::format("{}={}: {}", key.name, word->name, word->use.remedy));
  if (word->use.how == Use::How::ignored)
    ignored.push_back(
        fmt::format("{}={}", key.name, word->takes.what == Takes::What::text ? part : name));
  const std::string_view text = equals < part.size() ? trim(part.substr(equals + 1)) : "";
  if (std::string wanted = expected(*word, text); !wanted.empty())
    return bad_value(at, setting, wanted);
  return {};
}

bool has_words(const Key& key) {
  return std::ranges::any_of(known_words(), [&](const Word& w) { return w.key == key.name; });
}

Result<void> check_gres_types(const SlurmConf& conf) {
  for (const ConfiguredNode& entry : conf.nodes) {
    auto requests = parse_gres(entry.node.gres_text);
    if (!requests) return fail(requests.error(), entry.node.gres_text.str());
    for (const GresRequest& request : *requests) {
      bool known =
          std::ranges::any_of(conf.gres_types, [&](auto& type) { return request.name == type; });
      if (!known)
        return invalid(entry.at, fmt::format("Gres={}: {} is not in GresTypes",
                                             entry.node.gres_text.view(), request.name.view()));
    }
  }
  return {};
}

// The extern step tells a node when a job is over and its directories may be removed.
Result<void> check_job_container(const SlurmConf& conf) {
  const bool tmpfs = iequals(conf.value("JobContainerType"), "job_container/tmpfs");
  if (!tmpfs || conf.option("PrologFlags", "Contain") || conf.option("PrologFlags", "RunInJob"))
    return {};
  return invalid(conf.place_of("JobContainerType"),
                 "JobContainerType=job_container/tmpfs needs PrologFlags=Contain");
}

Result<void> check_preemption(const SlurmConf& conf) {
  const std::string type = lower(conf.value("PreemptType")), text = conf.value("PreemptMode");
  const Location at =
      conf.place_of(conf.places.contains("PreemptMode") ? "PreemptMode" : "PreemptType");
  const bool off = type == "preempt/none";
  const auto mode = parse_preempt_mode(text);
  if (!mode) return invalid(at, fmt::format("PreemptMode={}: expected one mode", text));
  if (mode == PreemptMode::suspend && !has_gang(text))
    return invalid(at, "PreemptMode=SUSPEND requires GANG too");
  if (off != (mode == PreemptMode::off) || (off && has_within(text)))
    return invalid(at,
                   fmt::format("PreemptType={} and PreemptMode={} cannot be combined", type, text));
  return {};
}

std::string_view short_name(std::string_view host) { return host.substr(0, host.find('.')); }

// A name without a domain matches any domain.
bool is_same_host(std::string_view configured, std::string_view own) {
  if (iequals(configured, "localhost") || iequals(configured, own)) return true;
  const bool both_full = configured.find('.') != configured.npos && own.find('.') != own.npos;
  return !both_full && iequals(short_name(configured), short_name(own));
}

}  // namespace

Result<void> check_words(const Key& key, const Location& at, const Setting& setting,
                         std::vector<std::string>& ignored) {
  if (key.use.how == Use::How::refused && !is_default(key, setting.value))
    return invalid(at, fmt::format("{}={}: {}", key.name, setting.value, key.use.remedy));
  if (has_words(key))
    for (std::string_view part : split(setting.value, ','))
      if (!trim(part).empty())
        if (auto done = check_word(key, at, {setting.key, std::string(trim(part))}, ignored); !done)
          return done;
  if (key.name == "SlurmctldParameters" || key.name == "MaxTasksPerNode")
    return check_limit_words(at, setting);
  // Asking for what happens anyway is not worth a message.
  if (key.use.how == Use::How::ignored && !iequals(setting.value, key.fallback))
    ignored.emplace_back(key.name);
  return {};
}

Result<void> check_together(const SlurmConf& conf) {
  if (auto done = check_preemption(conf); !done) return done;
  if (auto done = check_gres_types(conf); !done) return done;
  return check_job_container(conf);
}

namespace {

Result<void> check_accounting(const SlurmConf& conf) {
  if (!conf.wants_slurmdbd) return {};
  if (!conf.use_munge)
    return invalid(conf.place_of("AccountingStorageType"), "slurmdbd needs AuthType=auth/munge");
  if (!conf.qos_places.empty())
    return invalid(conf.qos_places.front(),
                   "lines of QoS are for accounting without slurmdbd: use sacctmgr add qos");
  return {};
}

}  // namespace

Result<void> check_controller(const SlurmConf& conf, std::string_view host_name) {
  const bool old_keys = !conf.places.contains("SlurmctldHost");
  const std::string_view key = old_keys ? "ControlMachine" : "SlurmctldHost";
  if (conf.controllers.size() > 1)
    return invalid(conf.place_of(old_keys ? "BackupController" : key),
                   fmt::format("{}={}: there is no backup controller yet; name one host",
                               old_keys ? "BackupController" : key, conf.controllers[1].name));
  if (auto ok = check_accounting(conf); !ok) return ok;
  const std::string& name = conf.controllers.front().name;
  if (is_same_host(name, host_name)) return {};
  return invalid(conf.place_of(key),
                 fmt::format("{}={}: this host is {}; start slurmctld on {} or name this host", key,
                             name, host_name, name));
}

std::vector<NeededRestart> needing_restart(const SlurmConf& at_start, const SlurmConf& before,
                                           const SlurmConf& after) {
  std::vector<NeededRestart> changed;
  for (const Key& key : known_keys()) {
    if (key.use.how != Use::How::acts_at_start) continue;
    const SlurmConf& in_force = key.use.remedy.starts_with("slurmctld") ? at_start : before;
    if (in_force.view(key) != after.view(key)) changed.push_back({key.name, key.use.remedy});
  }
  return changed;
}

}  // namespace muster::config
