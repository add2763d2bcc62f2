// Answers PMI requests: process groups, keys and values, barriers.
#include "step/logic/pmi_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec/codec.h"

namespace muster {
namespace {

// Limits that clients ask for and keep to.
constexpr std::string_view kLongestName = "256", kLongestKey = "64", kLongestValue = "1024";

// slurmstepd's memory does not count as the job's, so tasks must not be able to use it up.
constexpr std::size_t kMostPutBytes = 16u << 20;
constexpr std::size_t kMostWaits = 100'000;  // of tasks for attributes of the node

struct PmiValues {  // one node's contribution to a fence
  std::map<std::string, std::string> values;
  template <class V>
  void fields(V& v) {
    v(1, values);
  }
};

using Words = std::vector<std::pair<std::string, std::string>>;

Words done() { return {{"rc", "0"}}; }
Words done(std::string name, std::string value) {
  return {{"rc", "0"}, {std::move(name), std::move(value)}};
}
Words failed(std::string why) { return {{"rc", "1"}, {"errmsg", std::move(why)}}; }

// PMI-2's answer for a value that may be missing.
Words found(const std::string* value) {
  if (!value) return done("found", "FALSE");
  return {{"rc", "0"}, {"found", "TRUE"}, {"value", *value}};
}

template <class Map>
const std::string* lookup(const Map& map, std::string_view key) {
  auto entry = map.find(key);
  return entry == map.end() ? nullptr : &entry->second;
}

}  // namespace

PmiServer::PmiServer(PmiJob job) : job_(std::move(job)), tasks_(job_.ranks.size()) {
  values_["PMI_process_mapping"] = job_.mapping;
}

void PmiServer::reply(std::size_t task, std::string command, Words words, PmiTurn& turn) const {
  turn.replies.push_back(
      {task, pmi_text({std::move(command), std::move(words)}, tasks_[task].version)});
}

PmiTurn PmiServer::on_bytes(std::size_t task, std::string_view bytes) {
  PmiTurn turn;
  Task& from = tasks_.at(task);
  if (from.broken) return turn;
  from.received += bytes;
  while (true) {
    auto message = take_pmi_message(from.received, from.version);
    if (!message) {
      from.broken = true;
      turn.complaints.push_back(
          fmt::format("PMI: task {} sent {}", job_.ranks[task], message.error().text()));
      return turn;
    }
    if (!*message) return turn;
    answer_message(task, **message, turn);
  }
}

void PmiServer::answer_message(std::size_t task, const PmiMessage& message, PmiTurn& turn) {
  if (message.command == "init") return init(task, message, turn);
  if (message.command == "abort") {
    const std::string_view text = message.value("msg");
    turn.abort =
        fmt::format("task {} called abort{}{}", job_.ranks[task], text.empty() ? "" : ": ", text);
    return;
  }
  const bool known = tasks_[task].version == PmiVersion::one
                         ? answer_version_1(task, message, turn)
                         : answer_version_2(task, message, turn);
  if (!known)
    turn.complaints.push_back(
        fmt::format("PMI: the request '{}' is not supported", message.command));
}

void PmiServer::init(std::size_t task, const PmiMessage& message, PmiTurn& turn) {
  const std::string version(message.value("pmi_version"));
  const bool known = version == "1" || version == "2";
  reply(task, "response_to_init",
        {{"rc", known ? "0" : "-1"},
         {"pmi_version", known ? version : "2"},
         {"pmi_subversion", version == "1" ? "1" : "0"}},
        turn);
  // This answer itself is still in PMI-1.
  if (version == "2") tasks_[task].version = PmiVersion::two;
}

bool PmiServer::answer_version_1(std::size_t task, const PmiMessage& message, PmiTurn& turn) {
  const std::string& command = message.command;
  auto answer = [&](std::string name, Words words) {
    reply(task, std::move(name), std::move(words), turn);
  };
  if (command == "get_maxes") {
    answer("maxes", {{"rc", "0"},
                     {"kvsname_max", std::string(kLongestName)},
                     {"keylen_max", std::string(kLongestKey)},
                     {"vallen_max", std::string(kLongestValue)}});
  } else if (command == "get_appnum") {
    answer("appnum", done("appnum", "-1"));
  } else if (command == "get_my_kvsname") {
    answer("my_kvsname", done("kvsname", job_.name));
  } else if (command == "get_universe_size") {
    answer("universe_size", done("size", std::to_string(job_.size)));
  } else if (command == "put") {
    answer("put_result", put(message) ? done() : failed("no_room"));
  } else if (command == "get") {
    const std::string* value = lookup(values_, message.value("key"));
    answer("get_result", value ? done("value", *value) : failed("key_not_found"));
  } else if (command == "barrier_in") {
    wait_for_all(task, turn);
  } else if (command == "finalize") {
    answer("finalize_ack", done());
  } else if (command == "publish_name" || command == "unpublish_name" || command == "lookup_name") {
    answer(command == "lookup_name" ? "lookup_result"
                                    : command.substr(0, command.find('_')) + "_result",
           failed("name_service_not_supported"));
  } else if (command == "spawn") {
    answer("spawn_result", failed("spawn_not_supported"));
    turn.complaints.emplace_back("PMI: spawning processes is not supported");
  } else {
    return false;
  }
  return true;
}

bool PmiServer::answer_version_2(std::size_t task, const PmiMessage& message, PmiTurn& turn) {
  const std::string& command = message.command;
  auto answer = [&](Words words) { reply(task, command + "-response", std::move(words), turn); };
  if (command == "fullinit") {
    answer({{"rc", "0"},
            {"pmi-version", "2"},
            {"pmi-subversion", "0"},
            {"rank", std::to_string(job_.ranks[task])},
            {"size", std::to_string(job_.size)},
            {"appnum", "-1"},
            {"debugged", "FALSE"},
            {"pmiverbose", "FALSE"}});
  } else if (command == "job-getid") {
    answer(done("jobid", job_.name));
  } else if (command == "info-getjobattr") {
    get_job_attribute(task, message, turn);
  } else if (command == "info-putnodeattr") {
    put_node_attribute(task, message, turn);
  } else if (command == "info-getnodeattr") {
    get_node_attribute(task, message, turn);
  } else if (command == "kvs-put") {
    answer(put(message) ? done() : failed("no room"));
  } else if (command == "kvs-get") {
    answer(found(lookup(values_, message.value("key"))));
  } else if (command == "kvs-fence") {
    wait_for_all(task, turn);
  } else if (command == "finalize") {
    answer(done());
  } else if (command == "name-publish" || command == "name-unpublish" || command == "name-lookup" ||
             command == "job-connect" || command == "job-disconnect") {
    answer(failed("not supported"));
  } else if (command == "spawn") {
    answer(failed("spawning processes is not supported"));
    turn.complaints.emplace_back("PMI: spawning processes is not supported");
  } else {
    return false;
  }
  return true;
}

bool PmiServer::put(const PmiMessage& message) {
  const std::string_view key = message.value("key"), value = message.value("value");
  put_bytes_ += key.size() + value.size();
  if (put_bytes_ > kMostPutBytes) return false;
  fresh_[std::string(key)] = value;
  return true;
}

void PmiServer::wait_for_all(std::size_t task, PmiTurn& turn) {
  tasks_[task].waits = true;
  if (!std::ranges::all_of(tasks_, &Task::waits)) return;
  turn.contribution = encode(PmiValues{std::exchange(fresh_, {})});
}

PmiTurn PmiServer::on_gathered(const std::vector<std::string>& parts) {
  PmiTurn turn;
  for (const std::string& part : parts)
    if (auto contributed = decode<PmiValues>(part))
      for (auto& [key, value] : contributed->values) values_[key] = std::move(value);
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    if (!std::exchange(tasks_[task].waits, false)) continue;
    const bool one = tasks_[task].version == PmiVersion::one;
    reply(task, one ? "barrier_out" : "kvs-fence-response", done(), turn);
  }
  return turn;
}

void PmiServer::get_job_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn) {
  const std::string_view key = message.value("key");
  const std::string size = std::to_string(job_.size);
  const std::string* value = key == "PMI_process_mapping" ? &job_.mapping
                             : key == "universeSize"      ? &size
                                                          : nullptr;
  reply(task, "info-getjobattr-response", found(value), turn);
}

void PmiServer::put_node_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn) {
  const std::string key(message.value("key"));
  const std::string value(message.value("value"));
  put_bytes_ += key.size() + value.size();
  if (put_bytes_ > kMostPutBytes)
    return reply(task, "info-putnodeattr-response", failed("no room"), turn);
  node_attributes_[key] = value;
  reply(task, "info-putnodeattr-response", done(), turn);
  std::erase_if(attribute_waits_, [&](const AttributeWait& wait) {
    if (wait.key != key) return false;
    reply(wait.task, "info-getnodeattr-response", found(&value), turn);
    return true;
  });
}

void PmiServer::get_node_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn) {
  const std::string_view key = message.value("key");
  const std::string* value = lookup(node_attributes_, key);
  if (!value && message.value("wait") == "TRUE") {
    waited_bytes_ += key.size();
    if (attribute_waits_.size() >= kMostWaits || waited_bytes_ > kMostPutBytes)
      return reply(task, "info-getnodeattr-response", failed("too many waits"), turn);
    return attribute_waits_.push_back({task, std::string(key)});
  }
  reply(task, "info-getnodeattr-response", found(value), turn);
}

}  // namespace muster
