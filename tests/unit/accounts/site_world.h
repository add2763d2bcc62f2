// A site with its service for tests: commands as sacctmgr sends them, a store in memory, and
// clusters on which jobs are said to run.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accounts/service.h"
#include "base/codec/codec.h"
#include "base/text/strings.h"
#include "wire/client_messages.h"

namespace muster::accounts::test {

using wire::AccountsVerb;
using wire::Entity;

inline constexpr Time kNow = from_unix_seconds(1'700'000'000);

class MemoryStore final : public AccountsStore {
 public:
  Result<Content> load() override {
    Content content{.version = version, .rows = {}};
    for (const auto& [key, bytes] : rows) content.rows.push_back(decode<SiteRowEntry>(bytes)->row);
    return content;
  }
  Result<void> commit(const Change& change) override {
    if (fails) return fail("the disk is gone");
    version = change.version;
    for (const SiteRow& row : change.rows) rows[key_of(row)] = encode(SiteRowEntry{row});
    for (TransactionRow row : change.transactions) {
      row.id = log.size() + 1;
      log.push_back(std::move(row));
    }
    return {};
  }
  Result<void> transactions(Time start, Time end,
                            const std::function<bool(TransactionRow)>& visit) override {
    for (const TransactionRow& row : log)
      if ((!is_set(start) || row.at >= start) && (!is_set(end) || row.at <= end) && !visit(row))
        break;
    return {};
  }

  std::uint64_t version = 0;
  std::map<std::string, std::string> rows;
  std::vector<TransactionRow> log;
  bool fails = false;
};

class FakeClusters final : public Surroundings {
 public:
  std::vector<JobId> jobs_in(const Text&, const std::set<AssociationKey>& asked) override {
    std::vector<JobId> found;
    for (const auto& [key, job] : jobs)
      if (asked.contains(key)) found.push_back(job);
    return found;
  }
  std::string needs_cluster(const Text& cluster) override {
    return cluster == "main" ? "its controller asks here" : "";
  }
  std::map<AssociationKey, JobId> jobs;
};

// One command in the making: Ask(add, account).on("Name", "a,b").set("Parent", "c").
struct Ask {
  wire::AccountsRequest request;

  Ask(AccountsVerb verb, Entity entity) {
    request.verb = verb;
    request.entity = entity;
  }
  Ask& on(Text key, std::string_view values) {
    wire::Condition condition{.key = std::move(key), .values = {}};
    for (std::string_view value : split(values, ',')) condition.values.emplace_back(value);
    request.where.push_back(std::move(condition));
    return *this;
  }
  Ask& set(Text key, std::string value, wire::SetHow how = wire::SetHow::set) {
    request.settings.push_back({std::move(key), how, std::move(value)});
    return *this;
  }
};
inline Ask add(Entity entity, std::string_view names) {
  return Ask(AccountsVerb::add, entity).on("Name", names);
}
inline Ask modify(Entity entity, std::string_view names) {
  return Ask(AccountsVerb::modify, entity).on("Name", names);
}
inline Ask remove(Entity entity, std::string_view names) {
  return Ask(AccountsVerb::remove, entity).on("Name", names);
}
inline Ask show(Entity entity) { return {AccountsVerb::show, entity}; }
inline Ask add_user(std::string_view names, std::string_view accounts) {
  return add(Entity::user, names).on("Account", accounts);
}

struct SiteWorld {
  MemoryStore store;
  FakeClusters clusters;
  PrivateData hidden;
  Service service{store, clusters};
  AccountsNews last_news;

  SiteWorld() {
    EXPECT_TRUE(service.load());
    EXPECT_TRUE(service.enter({.cluster = {.name = "main"}, .qos = {}, .tres = {}}, kNow));
  }

  const Site& site() const { return service.site(); }
  wire::AccountsReply ask(const wire::AccountsRequest& request, const Text& user = "root") {
    Answer answer = service.answer(actor_of(site(), user, user == "root"), hidden, request, kNow);
    last_news = answer.news;
    EXPECT_EQ(contradictions(site()), std::vector<std::string>());
    return answer.reply;
  }
  wire::AccountsReply ask(const Ask& command, const Text& user = "root") {
    return ask(command.request, user);
  }
  // What has to work.
  void must(const Ask& command, const Text& user = "root") {
    const auto reply = ask(command, user);
    EXPECT_TRUE(reply.committed) << problem(reply);
  }
  Problem refusal(const Ask& command, const Text& user = "root") {
    const auto reply = ask(command, user);
    return reply.refusal ? reply.refusal->problem : Problem::none;
  }
  static std::string problem(const wire::AccountsReply& reply) {
    std::string text = reply.refusal ? "refused " : "";
    if (reply.refusal)
      text += std::to_string(static_cast<int>(reply.refusal->problem)) + " " +
              reply.refusal->name.str() + " " + reply.refusal->detail;
    for (const wire::AccountsNote& note : reply.notes)
      text += " note " + std::to_string(static_cast<int>(note.problem)) + " " + note.name.str();
    return text;
  }
  const Association* association(Text account, Text user = {}, Text partition = {},
                                 Text cluster = "main") const {
    const AssociationRow* row = find_association(
        site(), cluster, {std::move(account), std::move(user), std::move(partition)});
    return row ? &row->association : nullptr;
  }
  Text default_account(const Text& user) const {
    for (const auto& [key, row] : associations_of(site(), "main"))
      if (key.user == user && row.association.is_default && !row.times.deleted) return key.account;
    return {};
  }
};

template <class Row>
std::vector<Row> rows_of(const wire::AccountsReply& reply) {
  std::vector<Row> rows;
  for (const wire::AccountsRow& row : reply.rows)
    if (auto* one = std::get_if<Row>(&row)) rows.push_back(*one);
  return rows;
}

}  // namespace muster::accounts::test
