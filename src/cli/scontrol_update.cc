// scontrol update, create and delete. The controller knows what values mean; this side knows which
// keys there are, so that a slip is refused before anything has changed.
#include "cli/scontrol_update.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/duration.h"
#include "base/strings.h"
#include "cli/scontrol_reservation.h"

namespace muster::cli {

namespace {

using Kind = wire::UpdateRequest::Kind;

struct Key {
  std::string_view name;
  std::size_t shortest;  // letters that an abbreviation needs
};

constexpr std::array kJobKeys{
    Key{"Account", 2},
    Key{"AdminComment", 3},
    Key{"ArrayTaskThrottle", 10},
    Key{"BurstBuffer", 1},
    Key{"ClusterFeatures", 8},
    Key{"Clusters", 8},
    Key{"Comment", 3},
    Key{"Contiguous", 3},
    Key{"CoreSpec", 4},
    Key{"CPUsPerTask", 9},
    Key{"Deadline", 3},
    Key{"DelayBoot", 5},
    Key{"Dependency", 1},
    Key{"DerivedExitCode", 12},
    Key{"EligibleTime", 2},
    Key{"EndTime", 2},
    Key{"ExcNodeList", 3},
    Key{"Extra", 5},
    Key{"Features", 1},
    Key{"Gres", 2},
    Key{"JobName", 4},
    Key{"Licenses", 1},
    Key{"MailType", 5},
    Key{"MailUser", 5},
    Key{"MinCPUsNode", 4},
    Key{"MinMemoryCPU", 10},
    Key{"MinMemoryNode", 10},
    Key{"MinTmpDiskNode", 5},
    Key{"Name", 2},
    Key{"Nice", 2},
    Key{"NodeList", 8},
    Key{"NumCPUs", 6},
    Key{"NumNodes", 8},
    Key{"NumTasks", 8},
    Key{"OverSubscribe", 2},
    Key{"Partition", 2},
    Key{"Prefer", 3},
    Key{"Priority", 2},
    Key{"QOS", 1},
    Key{"Reboot", 3},
    Key{"ReqCores", 5},
    Key{"ReqNodeList", 8},
    Key{"ReqNodes", 8},
    Key{"ReqProcs", 4},
    Key{"ReqSockets", 4},
    Key{"ReqThreads", 4},
    Key{"Requeue", 4},
    Key{"ReservationName", 3},
    Key{"ResetAccrueTime", 4},
    Key{"Shared", 2},
    Key{"SiteFactor", 6},
    Key{"StartTime", 2},
    Key{"StdOut", 6},
    Key{"Switches", 2},
    Key{"TasksPerNode", 9},
    Key{"ThreadSpec", 4},
    Key{"TimeLimit", 5},
    Key{"TimeMin", 5},
    Key{"TresPerNode", 7},
    Key{"UserID", 3},
    Key{"WCKey", 1},
    Key{"WorkDir", 2},
    Key{"Wait-for-switch", 5},
};
constexpr std::array kNodeKeys{
    Key{"ActiveFeatures", 3}, Key{"AvailableFeatures", 3},
    Key{"Comment", 3},        Key{"CpuBind", 7},
    Key{"Extra", 1},          Key{"Features", 1},
    Key{"Gres", 1},           Key{"NodeAddr", 5},
    Key{"NodeHostName", 5},   Key{"Reason", 1},
    Key{"State", 1},          Key{"Weight", 1},
};
constexpr std::array kPartitionKeys{
    Key{"AllocNodes", 4},
    Key{"AllowAccounts", 6},
    Key{"AllowGroups", 6},
    Key{"AllowQOS", 6},
    Key{"Alternate", 3},
    Key{"CpuBind", 7},
    Key{"Default", 7},
    Key{"DefaultTime", 8},
    Key{"DefMemPerCPU", 10},
    Key{"DefMemPerNode", 10},
    Key{"DenyAccounts", 5},
    Key{"DenyQOS", 5},
    Key{"DisableRootJobs", 1},
    Key{"ExclusiveUser", 1},
    Key{"GraceTime", 5},
    Key{"Hidden", 1},
    Key{"JobDefaults", 1},
    Key{"LLN", 3},
    Key{"MaxCPUsPerNode", 4},
    Key{"MaxMemPerCPU", 10},
    Key{"MaxMemPerNode", 10},
    Key{"MaxNodes", 4},
    Key{"MaxTime", 4},
    Key{"MinNodes", 2},
    Key{"Nodes", 5},
    Key{"OverSubscribe", 5},
    Key{"OverTimeLimit", 5},
    Key{"PreemptMode", 3},
    Key{"Priority", 3},
    Key{"PriorityJobFactor", 9},
    Key{"PriorityTier", 9},
    Key{"QOS", 3},
    Key{"ReqResv", 3},
    Key{"RootOnly", 3},
    Key{"Shared", 2},
    Key{"State", 2},
    Key{"TRESBillingWeights", 1},
};
constexpr std::array kStepKeys{Key{"TimeLimit", 5}};

std::span<const Key> keys_of(Kind kind) {
  switch (kind) {
    case Kind::job:
      return kJobKeys;
    case Kind::node:
      return kNodeKeys;
    case Kind::partition:
      return kPartitionKeys;
    case Kind::step:
      return kStepKeys;
    case Kind::reservation:
      break;
  }
  return {};
}

struct EntityKey {
  std::string_view name;
  std::size_t shortest;
  Kind kind;
};
constexpr std::array kEntityKeys{
    EntityKey{"JobId", 3, Kind::job},
    EntityKey{"StepId", 4, Kind::step},
    EntityKey{"NodeName", 3, Kind::node},
    EntityKey{"PartitionName", 3, Kind::partition},
};

bool abbreviates(std::string_view word, std::string_view name, std::size_t shortest) {
  return iequals(word, name) || (word.size() >= shortest && istarts_with(name, word));
}

std::optional<std::string> find_key(Kind kind, std::string_view word) {
  for (const Key& key : keys_of(kind))
    if (iequals(word, key.name)) return std::string(key.name);
  for (const Key& key : keys_of(kind))
    if (abbreviates(word, key.name, key.shortest)) return std::string(key.name);
  return std::nullopt;
}

struct Setting {
  std::string key, value;
  std::string word;  // as written
  char sign = 0;     // of += and -=
};

// "key=value"; the two words "jobid 12" count as one setting too.
std::vector<Setting> read_settings(Words words) {
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto equals = word.find('=');
    if (equals == word.npos) {
      Setting setting{word, "", word};
      if (i + 1 < words.size() && words[i + 1].find('=') == std::string::npos)
        setting.value = words[++i];
      settings.push_back(std::move(setting));
      continue;
    }
    Setting setting{word.substr(0, equals), word.substr(equals + 1), word};
    if (!setting.key.empty() && (setting.key.back() == '+' || setting.key.back() == '-')) {
      setting.sign = setting.key.back();
      setting.key.pop_back();
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

UpdateRefusal unknown_key(Kind kind, const Setting& setting) {
  std::string_view prefix = kind == Kind::partition ? "scontrol: error: " : "";
  std::string_view gap = kind == Kind::partition ? "\n" : "";
  return fmt::format("{}Update of this parameter is not supported: {}\n{}{}Request aborted", prefix,
                     setting.word, gap, prefix);
}

constexpr std::string_view kNoEntity =
    "No valid entity in update command\n"
    "Input line must include \"NodeName\", \"PartitionName\", \"Reservation\", \"JobId\", or "
    "\"SlurmctldDebug\"";

std::optional<UpdateRefusal> check_job_value(const Setting& setting, std::string_view key) {
  if (key == "TimeLimit") {
    std::string_view limit = setting.value;
    if (limit.starts_with('+') || limit.starts_with('-'))
      limit.remove_prefix(limit == "-1" ? 0 : 1);
    if (!parse_time_limit(limit)) return "scontrol: error: Invalid TimeLimit value";
  }
  if (key == "Priority" && !parse_number<std::uint32_t>(setting.value) && setting.value != "-1" &&
      !iequals(setting.value, "INFINITE"))
    return fmt::format("scontrol: error: Invalid Priority value: {}", setting.value);
  return std::nullopt;
}

std::optional<UpdateRefusal> check_node_state(const Setting& setting, bool has_reason) {
  // The last ones are known, and refused by the controller.
  static constexpr std::array<std::string_view, 16> kStates{
      "NoResp",           "DRAIN",     "FAIL",  "FUTURE", "RESUME",        "POWER_DOWN",
      "POWER_UP",         "UNDRAIN",   "DOWN",  "IDLE",   "CANCEL_REBOOT", "POWER_DOWN_ASAP",
      "POWER_DOWN_FORCE", "ALLOCATED", "MIXED", "UNKNOWN"};
  std::string_view state = setting.value;
  bool known = std::ranges::any_of(kStates, [&](std::string_view name) {
    return iequals(state, name) || (state.size() >= 3 && istarts_with(name, state));
  });
  if (!known)
    return fmt::format(
        "Invalid input: {}\nRequest aborted\n"
        "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
        "Not all states are valid given a node's prior state",
        setting.word);
  bool takes_out =
      state.size() >= 2 &&
      (istarts_with("DOWN", state) || istarts_with("DRAIN", state) || istarts_with("FAIL", state));
  if (takes_out && !has_reason)
    return "You must specify a reason when DOWNING or DRAINING a node. Request denied";
  return std::nullopt;
}

std::optional<UpdateRefusal> check_weight(std::string_view weight) {
  const auto number = parse_number<std::int64_t>(weight);
  if (number && *number >= 0) return std::nullopt;
  return fmt::format("scontrol: error: Weight value ({}) is {}\nNo changes specified", weight,
                     number ? "less than zero" : "not a valid number");
}

// += and -= are only for what can grow and shrink.
bool takes_sign(Kind kind, std::string_view key) { return kind == Kind::job && key == "TimeLimit"; }

std::optional<UpdateRefusal> add_setting(wire::UpdateRequest& request, const Setting& setting,
                                         bool has_reason) {
  auto key = find_key(request.kind, setting.key);
  bool bare = setting.word.find('=') == std::string::npos;
  if (!key || (bare && *key != "Nice")) return unknown_key(request.kind, setting);
  if (setting.sign != 0 && !takes_sign(request.kind, *key))
    return fmt::format("scontrol: error: Option {} does not accept [+|-]= syntax", setting.word);
  std::optional<UpdateRefusal> wrong;
  if (request.kind == Kind::job) wrong = check_job_value(setting, *key);
  if (request.kind == Kind::node && *key == "State") wrong = check_node_state(setting, has_reason);
  if (request.kind == Kind::node && *key == "Weight") wrong = check_weight(setting.value);
  if (wrong) return wrong;
  std::string value =
      setting.sign != 0 ? std::string(1, setting.sign) + setting.value : setting.value;
  request.settings.emplace_back(*key, std::move(value));
  return std::nullopt;
}

// Where the entity stands among the settings and what kind it makes them.
struct Named {
  std::size_t index;
  Kind kind;
  std::string key;
};
std::optional<Named> find_entity(const std::vector<Setting>& settings) {
  // Jobs and steps first: "Partition=" and "NodeList=" are also keys of a job.
  for (const EntityKey& entity : kEntityKeys)
    for (std::size_t i = 0; i < settings.size(); ++i)
      if (abbreviates(settings[i].key, entity.name, entity.shortest))
        return Named{i, entity.kind, std::string(entity.name)};
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (abbreviates(settings[i].key, "JobName", 4) || iequals(settings[i].key, "Name"))
      return Named{i, Kind::job, "JobName"};
  return std::nullopt;
}

void send_job_update(ScontrolSession& session, wire::UpdateRequest request, const std::string& id) {
  auto ref = wire::parse_job_ref(id);
  if (!ref) return session.error("Invalid job id specified for job {}", id);
  request.settings.front() = {"JobId", id};
  auto answer = session.ask(request);
  if (!answer) return session.error("{}", job_error_line(*ref, answer.error()));
  if (const auto* reply = std::get_if<wire::CancelReply>(&*answer))
    for (const auto& [where, error] : reply->errors)
      session.error("{}", job_error_line(where, error));
}

void update_jobs_by_name(ScontrolSession& session, const wire::UpdateRequest& request) {
  wire::JobsRequest query;
  query.filter.names = {request.settings.front().second};
  query.filter.all_states = true;
  auto reply = session.ask_for<wire::JobsReply>(query);
  if (!reply) return session.error("slurm_load_jobs error: {}", reply.error().text());
  bool any = false;
  for (const wire::JobView& view : reply->jobs) {
    if (is_ended(view.job->state)) continue;
    any = true;
    const Job& job = *view.job;
    bool one_task = job.task_id != kNoTask && !job.is_array_record();
    send_job_update(session, request, one_task ? job_name(job) : std::to_string(job.id.value));
  }
  if (!any) session.error("No job found with name {}", request.settings.front().second);
}

void send_update(ScontrolSession& session, const wire::UpdateRequest& request) {
  const auto& [key, value] = request.settings.front();
  if (key == "JobName") return update_jobs_by_name(session, request);
  if (request.kind == Kind::job) {
    for (const std::string& id : split_job_list(value)) send_job_update(session, request, id);
    return;
  }
  auto answer = session.ask(request);
  if (!answer) session.error("slurm_update error: {}", answer.error().text());
}

// The keys are those of a NodeName line: the controller knows them.
void create_nodes(ScontrolSession& session, const std::vector<Setting>& settings) {
  wire::UpdateRequest request;
  request.kind = Kind::node;
  request.create = true;
  for (const Setting& setting : settings) request.settings.emplace_back(setting.key, setting.value);
  if (auto answer = session.ask(request); !answer)
    session.error("Error creating the node(s): {}", answer.error().text());
}

void delete_nodes(ScontrolSession& session, const Setting& names) {
  wire::UpdateRequest request;
  request.kind = Kind::node;
  request.remove = true;
  request.settings.emplace_back("NodeName", names.value);
  if (auto answer = session.ask(request); !answer)
    session.error("delete_node {}: {}", names.word, answer.error().text());
}

}  // namespace

std::expected<wire::UpdateRequest, UpdateRefusal> parse_update(Words words) {
  auto settings = read_settings(words);
  auto entity = find_entity(settings);
  if (!entity) return std::unexpected(std::string(kNoEntity));
  wire::UpdateRequest request;
  request.kind = entity->kind;
  request.settings.emplace_back(entity->key, settings[entity->index].value);
  bool has_reason = std::ranges::any_of(
      settings, [](const Setting& s) { return s.key.size() > 2 && istarts_with("Reason", s.key); });
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (i == entity->index) continue;
    if (auto wrong = add_setting(request, settings[i], has_reason)) return std::unexpected(*wrong);
  }
  if (request.settings.size() == 1) return std::unexpected("No changes specified");
  return request;
}

void scontrol_update(ScontrolSession& session, Words words) {
  if (words.empty()) return session.error("too few arguments for update keyword");
  if (auto settings = reservation_settings(words))
    return update_reservation(session, std::move(*settings));
  auto request = parse_update(words);
  if (!request) return session.error("{}", request.error());
  send_update(session, *request);
}

void scontrol_create(ScontrolSession& session, Words words) {
  if (auto settings = reservation_settings(words))
    return create_reservation(session, std::move(*settings));
  auto settings = read_settings(words);
  if (abbreviates(settings[0].key, "NodeName", 3)) return create_nodes(session, settings);
  if (!abbreviates(settings[0].key, "PartitionName", 3))
    return session.error("scontrol: error: Invalid creation entity: {}", words[0]);
  if (settings[0].value.empty())
    return session.error("scontrol: error: PartitionName must be given.");
  wire::UpdateRequest request;
  request.kind = Kind::partition;
  request.create = true;
  request.settings.emplace_back("PartitionName", settings[0].value);
  for (std::size_t i = 1; i < settings.size(); ++i)
    if (auto wrong = add_setting(request, settings[i], false)) return session.error("{}", *wrong);
  auto answer = session.ask(request);
  if (!answer) session.error("Error creating the partition: {}", answer.error().text());
}

void scontrol_delete(ScontrolSession& session, Words words) {
  if (auto settings = reservation_settings(words))
    return delete_reservation(session, std::move(*settings), words[0]);
  auto settings = read_settings(words);
  if (abbreviates(settings[0].key, "NodeName", 3)) return delete_nodes(session, settings[0]);
  if (!abbreviates(settings[0].key, "PartitionName", 3))
    return session.error("Invalid deletion entity: {}", words[0]);
  wire::UpdateRequest request;
  request.kind = Kind::partition;
  request.remove = true;
  request.settings.emplace_back("PartitionName", settings[0].value);
  auto answer = session.ask(request);
  if (!answer) session.error("delete_partition {}: {}", words[0], answer.error().text());
}

}  // namespace muster::cli
