// scontrol update, create and delete. This side knows the keys, so that a mistake is refused before
// anything has changed; the controller interprets the values.
#include "cli/scontrol/update.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/strings.h"
#include "cli/lib/name_service.h"
#include "cli/lib/notices.h"
#include "cli/scontrol/reservation.h"
#include "cli/scontrol/update_values.h"

namespace muster::cli {

namespace {

using wire::abbreviates;
using Kind = wire::UpdateRequest::Kind;

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

// Words about a job that take no "=".
bool stands_alone(std::string_view word) {
  return abbreviates(word, "Nice", 2) || abbreviates(word, "ResetAccrueTime", 4);
}

// "key=value"; the two words "jobid 12" count as one setting too.
std::vector<UpdateSetting> read_settings(Words words) {
  std::vector<UpdateSetting> settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto equals = word.find('=');
    if (equals == word.npos) {
      UpdateSetting setting{word, "", word};
      if (!stands_alone(word) && i + 1 < words.size() &&
          words[i + 1].find('=') == std::string::npos)
        setting.value = words[++i];
      settings.push_back(std::move(setting));
      continue;
    }
    UpdateSetting setting{word.substr(0, equals), word.substr(equals + 1), word};
    if (!setting.key.empty() && (setting.key.back() == '+' || setting.key.back() == '-')) {
      setting.sign = setting.key.back();
      setting.key.pop_back();
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

UpdateRefusal unknown_key(Kind kind, const UpdateSetting& setting) {
  std::string_view prefix = kind == Kind::partition ? "scontrol: error: " : "";
  std::string_view gap = kind == Kind::partition ? "\n" : "";
  return fmt::format("{}Update of this parameter is not supported: {}\n{}{}Request aborted", prefix,
                     setting.word, gap, prefix);
}

constexpr std::string_view kNoEntity =
    "No valid entity in update command\n"
    "Input line must include \"NodeName\", \"PartitionName\", \"Reservation\", \"JobId\", or "
    "\"SlurmctldDebug\"";

// += and -= are only for lists and numbers that support them.
bool takes_sign(Kind kind, const wire::UpdateKey& key) {
  return kind == Kind::job && key.value == wire::UpdateValue::time_limit_change;
}

// Removes a pair of quotes, or a single one.
std::string without_quotes(std::string_view text) {
  auto is_quote = [](char c) { return c == '"' || c == '\''; };
  if (!text.empty() && is_quote(text.front())) text.remove_prefix(1);
  if (!text.empty() && is_quote(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::optional<UpdateRefusal> add_setting(wire::UpdateRequest& request, const UpdateSetting& setting,
                                         bool has_reason) {
  const wire::UpdateKey* key = wire::find_abbreviated_key(request.kind, setting.key);
  bool bare = setting.word.find('=') == std::string::npos;
  const bool lacks_value = bare && setting.value.empty() && !stands_alone(setting.key);
  if (request.kind == Kind::job && bare && (!key || lacks_value))
    return fmt::format("Invalid input: {}\nRequest aborted", setting.word);
  const bool resets = key && key->name == "ResetAccrueTime";
  if (!key || (bare && request.kind != Kind::job) || (resets && !bare))
    return unknown_key(request.kind, setting);
  if (setting.sign != 0 && request.kind == Kind::partition)
    return unknown_key(request.kind, setting);
  if (setting.sign != 0 && !takes_sign(request.kind, *key))
    return fmt::format("scontrol: error: Option {} does not accept [+|-]= syntax", setting.word);
  if (auto wrong = check_update_value(request.kind, setting, *key, has_reason)) return wrong;
  std::string value =
      setting.sign != 0 ? std::string(1, setting.sign) + setting.value : setting.value;
  if (key->value == wire::UpdateValue::time_limit_change && setting.sign == 0 && value == "-1")
    value = "UNLIMITED";  // not one minute less
  if (request.kind == Kind::node && key->name == "Reason") value = without_quotes(value);
  request.settings.emplace_back(std::string(key->name), std::move(value));
  return std::nullopt;
}

// Which setting names the record, and the kind of record.
struct Named {
  std::size_t index;
  Kind kind;
  std::string key;
};
std::optional<Named> find_entity(const std::vector<UpdateSetting>& settings) {
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

bool asks_for_nodes(const wire::UpdateRequest& request) {
  return std::ranges::any_of(request.settings, [](const auto& setting) {
    return setting.first == "NumNodes" || setting.first == "ReqNodes";
  });
}

void send_job_update(ScontrolSession& session, wire::UpdateRequest request, const std::string& id) {
  auto ref = wire::parse_job_ref(id);
  if (!ref) return session.error("Invalid job id specified for job {}", id);
  request.settings.front() = {"JobId", id};
  auto answer = session.ask(request);
  for (const std::string& line : take_notices())
    if (!session.quiet) fmt::print(stderr, "scontrol: {}\n", line);
  if (!answer) return session.error("{}", job_error_line(*ref, answer.error()));
  if (const auto* reply = std::get_if<wire::CancelReply>(&*answer))
    for (const auto& [where, error] : reply->errors)
      session.error("{}", job_error_line(where, error));
  if (session.exit_code == 0 && asks_for_nodes(request)) write_new_size(session, *ref);
}

std::string uid_text(const std::string& user) {
  const auto known = user_named(user);
  return known ? std::to_string(known->uid.value) : user;
}

void update_jobs_by_name(ScontrolSession& session, const wire::UpdateRequest& request) {
  wire::JobsRequest query;
  query.filter.names = {request.settings.front().second};
  query.filter.all_states = true;
  for (const auto& [key, user] : request.settings) {  // UserID= selects among jobs of the same name
    if (key != "UserID") continue;
    if (auto uid = parse_number<std::uint32_t>(user))
      query.filter.uids = {Uid{*uid}};
    else
      query.filter.users = {Text(user)};
  }
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
  if (any) return;
  std::string whose;
  for (const auto& [key, user] : request.settings)
    if (key == "UserID") whose = fmt::format("user ID {} and ", uid_text(user));
  session.error("scontrol: error: No jobs with {}name '{}'", whose,
                request.settings.front().second);
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

// The keys are those of a NodeName line; the controller checks them.
void create_nodes(ScontrolSession& session, const std::vector<UpdateSetting>& settings) {
  wire::UpdateRequest request;
  request.kind = Kind::node;
  request.create = true;
  for (const UpdateSetting& setting : settings)
    request.settings.emplace_back(setting.key, setting.value);
  if (auto answer = session.ask(request); !answer)
    session.error("Error creating the node(s): {}", answer.error().text());
}

void delete_nodes(ScontrolSession& session, const UpdateSetting& names) {
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
  bool has_reason = std::ranges::any_of(settings, [](const UpdateSetting& s) {
    return s.key.size() > 2 && istarts_with("Reason", s.key);
  });
  const UpdateSetting& named = settings[entity->index];
  if (request.kind == Kind::step && !wire::parse_job_ref(named.value))
    return std::unexpected(
        fmt::format("Invalid StepID parameter: {}\nRequest aborted", named.word));
  const bool of_partition = request.kind == Kind::partition;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (i == entity->index) continue;
    if (auto wrong = add_setting(request, settings[i], has_reason))
      return std::unexpected(*wrong + (of_partition ? "\nslurm_update error: No error" : ""));
  }
  if (request.settings.size() == 1)
    return std::unexpected(of_partition ? "scontrol: error: No changes specified"
                                        : "No changes specified");
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
  if (iequals(settings[0].value, "DEFAULT"))
    return session.error("scontrol: error: PartitionName cannot be \"DEFAULT\".");
  wire::UpdateRequest request;
  request.kind = Kind::partition;
  request.create = true;
  request.settings.emplace_back("PartitionName", settings[0].value);
  for (std::size_t i = 1; i < settings.size(); ++i)
    if (auto wrong = add_setting(request, settings[i], false)) return session.error("{}", *wrong);
  auto answer = session.ask(request);
  if (!answer) session.error("Error creating the partition: {}", answer.error().text());
}

void scontrol_delete(ScontrolSession& session, Words given) {
  // "reservation name" is "reservation=name".
  std::vector<std::string> words(given.begin(), given.end());
  if (words.size() == 2 && !words[0].contains('=')) words = {words[0] + "=" + words[1]};
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
