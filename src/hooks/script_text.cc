// The JSON of JobSubmitScript, both ways.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/strings.h"
#include "hooks/script_program.h"
#include "hooks/talk.h"

namespace muster::hooks {

namespace {

using Json = nlohmann::ordered_json;

Json value_of(const wire::HookField& field) {
  if (field.text) return *field.text;
  if (field.number) return *field.number;
  return nullptr;
}

Json record(const wire::HookFields& fields) {
  Json object = Json::object();
  for (const wire::HookField& field : fields) object[field.name] = value_of(field);
  return object;
}

Result<void> set_from(const std::string& name, const Json& value, JobValues& values) {
  const wire::HookFieldRow* row = wire::find_hook_field(name);
  if (!row) return fail(fmt::format("changes: unrecognized field: {}", name));
  wire::HookField field{name, {}, {}};
  if (row->is_number) {
    if (value.is_null())
      field.number = wire::kNoVal64;
    else if (value.is_boolean())
      field.number = value.get<bool>() ? 1 : 0;
    else if (value.is_number_unsigned())
      field.number = value.get<std::uint64_t>();
    else
      return fail(fmt::format("changes: {} is a number, from 0 on", name));
  } else {
    if (!value.is_null() && !value.is_string())
      return fail(fmt::format("changes: {} is a text", name));
    field.text = value.is_null() ? "" : value.get<std::string>();
  }
  return values.set(std::move(field));
}

Result<void> set_variables(const Json& variables, JobValues& values) {
  if (!variables.is_object()) return fail("environment is an object");
  if (!values.has_environment()) return fail("environment is only there for batch jobs");
  for (const auto& [name, value] : variables.items()) {
    if (!value.is_null() && !value.is_string())
      return fail(fmt::format("environment: {} is a text or null", name));
    values.set_variable(name,
                        value.is_null() ? std::optional<std::string>() : value.get<std::string>());
  }
  return {};
}

Result<void> take(const std::string& key, const Json& value, JobValues& values, ProgramEnd& end) {
  if (key == "changes") {
    if (!value.is_object()) return fail("changes is an object");
    for (const auto& [name, changed] : value.items())
      if (auto set = set_from(name, changed, values); !set) return set;
    return {};
  }
  if (key == "environment") return set_variables(value, values);
  if (key == "messages") {
    if (!value.is_array()) return fail("messages is a list of texts");
    for (const Json& line : value) {
      if (!line.is_string()) return fail("messages is a list of texts");
      say(wire::HookLevel::user, line.get<std::string>());
    }
    return {};
  }
  if (key == "refuse") {
    if (value.is_boolean()) {
      if (value.get<bool>() && end.code == 0) end.code = -1;
      return {};
    }
    if (!value.is_string()) return fail("refuse is a text, true or false");
    if (end.code == 0) end.code = -1;
    end.refusal = value.get<std::string>().substr(0, wire::kMostHookLineBytes);
    return {};
  }
  if (key == "code") {
    if (!value.is_number_integer()) return fail("code is a number");
    end.code = value.get<std::int32_t>();
    return {};
  }
  return fail(fmt::format("unknown key \"{}\"", key));
}

}  // namespace

std::string request_text(const JobValues& values, const wire::HookPart* job,
                         const std::vector<wire::HookPart>& partitions, std::uint32_t uid) {
  Json request = Json::object();
  request["action"] = job ? "modify" : "submit";
  request["uid"] = uid;
  Json& wanted = request["job"] = Json::object();
  for (const std::string& name : values.given()) wanted[name] = value_of(*values.read(name));
  if (!values.argv().empty()) wanted["argv"] = values.argv();
  if (values.has_environment()) wanted["environment"] = values.environment();
  if (job) request["record"] = record(job->given);
  Json& list = request["partitions"] = Json::object();
  for (const wire::HookPart& partition : partitions) {
    Json object = record(partition.given);
    const std::string name = object.value("name", "");
    list[name] = std::move(object);
  }
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ProgramEnd> take_reply(const std::string& text, JobValues& values) {
  ProgramEnd end;
  if (trim(text).empty()) return end;
  const Json reply = Json::parse(text, nullptr, false);
  if (!reply.is_object()) return fail("what it printed is no JSON object");
  for (const auto& [key, value] : reply.items())
    if (auto taken = take(key, value, values, end); !taken) return std::unexpected(taken.error());
  return end;
}

}  // namespace muster::hooks
