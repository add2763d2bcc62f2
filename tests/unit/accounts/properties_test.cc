// Properties that hold whatever is asked, with commands drawn at random from few names, so that
// they meet.
#include <random>

#include "accounts/site_world.h"
#include "accounts/words.h"

namespace muster::accounts::test {
namespace {

class Commands {
 public:
  explicit Commands(unsigned seed) : random_(seed) {}

  wire::AccountsRequest next() {
    constexpr Entity kEntities[] = {Entity::account,     Entity::account, Entity::user,
                                    Entity::user,        Entity::user,    Entity::cluster,
                                    Entity::coordinator, Entity::qos,     Entity::resource};
    constexpr AccountsVerb kVerbs[] = {AccountsVerb::add, AccountsVerb::add, AccountsVerb::modify,
                                       AccountsVerb::remove};
    Ask ask(pick(kVerbs), pick(kEntities));
    for (std::string_view key : conditions_of(ask.request.entity))
      if (key == "Name" ? draw(10) > 0 : draw(key == "Account" ? 2 : 12) == 0)
        ask.on(key, names_for(key));
    for (std::string_view key : settings_of(ask.request.entity))
      if (draw(12) == 0) ask.set(key, value_for(key), pick(kHow));
    constexpr std::string_view kLimits[] = {"QOS", "DefaultQOS", "GrpTRES", "MaxJobs", "Fairshare"};
    if (draw(3) == 0)
      if (const auto key = pick(kLimits); true) ask.set(key, value_for(key), pick(kHow));
    ask.request.dry_run = draw(8) == 0;
    return std::move(ask.request);
  }
  Text user() {
    constexpr std::string_view kUsers[] = {"root", "root", "root", "u1", "u2", ""};
    return pick(kUsers);
  }
  std::uint32_t draw(std::uint32_t below) { return random_() % below; }

 private:
  static constexpr wire::SetHow kHow[] = {wire::SetHow::set, wire::SetHow::set, wire::SetHow::set,
                                          wire::SetHow::add, wire::SetHow::remove};
  template <class T, std::size_t N>
  T pick(const T (&from)[N]) {
    return from[draw(N)];
  }
  std::string names_for(std::string_view key) {
    constexpr std::string_view kClusters[] = {"main", "west", "main,west"};
    constexpr std::string_view kNames[] = {"a1", "a2", "a3", "a1,a2", "u1", "u2", "u1,u3", "root"};
    return std::string(key == "Cluster" ? pick(kClusters) : pick(kNames));
  }
  std::string value_for(std::string_view key) {
    constexpr std::string_view kQos[] = {"normal", "a1", "a1,a2", ""};
    constexpr std::string_view kNumbers[] = {"1", "5", "7", "-1", "", "x"};
    constexpr std::string_view kTres[] = {"cpu=4", "cpu=-1,mem=4G", "node=2", "", "bad"};
    constexpr std::string_view kLevels[] = {"None", "Operator", "Administrator", "King"};
    constexpr std::string_view kAccounts[] = {"a1", "a2", "a3", "root", ""};
    if (key == "QOS" || key == "DefaultQOS" || key == "Preempt") return std::string(pick(kQos));
    if (key == "AdminLevel") return std::string(pick(kLevels));
    if (key == "Parent" || key == "DefaultAccount") return std::string(pick(kAccounts));
    if (key.find("TRES") != key.npos) return std::string(pick(kTres));
    return std::string(pick(kNumbers));
  }

  std::mt19937 random_;
};

bool shows_deleted(SiteWorld& w) {
  for (Entity entity : {Entity::cluster, Entity::account, Entity::user, Entity::association,
                        Entity::qos, Entity::wckey, Entity::resource})
    for (const wire::AccountsRow& row : w.ask(show(entity)).rows) {
      const bool deleted = std::visit(
          []<class Row>(const Row& r) {
            if constexpr (requires { r.row.times; })
              return r.row.times.deleted;
            else if constexpr (requires { r.times; })
              return r.times.deleted;
            else
              return false;
          },
          row);
      if (deleted) return true;
    }
  return false;
}

// SiteWorld::ask looks for contradictions after each command.
TEST(Properties, WhateverIsAskedTheTreeIsWholeAndWhatIsRefusedChangesNothing) {
  int committed = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SiteWorld w;
    Commands commands(seed);
    for (int i = 0; i < 150; ++i) {
      const Site before = w.site();
      const auto request = commands.next();
      const auto reply = w.ask(request, commands.user());
      committed += reply.committed ? 1 : 0;
      if (reply.committed)
        EXPECT_EQ(w.site().version, before.version + 1);
      else
        EXPECT_EQ(w.site(), before) << "seed " << seed << " command " << i;
      if (reply.refusal) EXPECT_TRUE(reply.changes.empty());
    }
    EXPECT_FALSE(shows_deleted(w)) << "seed " << seed;
  }
  EXPECT_GT(committed, 300);
}

TEST(Properties, TheStoreAlwaysHoldsTheSite) {
  for (unsigned seed = 100; seed <= 120; ++seed) {
    SiteWorld w;
    Commands commands(seed);
    for (int i = 0; i < 100; ++i) {
      w.store.fails = commands.draw(10) == 0;
      w.ask(commands.next(), commands.user());
    }
    w.store.fails = false;
    Service again(w.store, w.clusters);
    ASSERT_TRUE(again.load());
    Site loaded = again.site();
    // Numbers that nobody has got yet are given again.
    loaded.numbers = w.site().numbers;
    EXPECT_EQ(loaded, w.site()) << "seed " << seed;
  }
}

TEST(Properties, CommandsMeanTheSameAfterTheyHaveTravelled) {
  SiteWorld direct, travelled;
  Commands commands(7);
  for (int i = 0; i < 300; ++i) {
    const auto request = commands.next();
    const Text user = commands.user();
    auto frame = decode<wire::RequestFrame>(encode(wire::RequestFrame{.id = 1, .request = request}),
                                            Origin::foreign);
    ASSERT_TRUE(frame);
    const auto& arrived = std::get<wire::AccountsRequest>(frame->request);
    const auto here = direct.ask(request, user), there = travelled.ask(arrived, user);
    EXPECT_EQ(encode(wire::ReplyFrame{.id = 1, .answer = here}),
              encode(wire::ReplyFrame{.id = 1, .answer = there}));
  }
  EXPECT_EQ(direct.site(), travelled.site());
}

TEST(Properties, NewsTellAllThatASubscriberNeeds) {
  SiteWorld w;
  Site follower = w.site();
  Commands commands(11);
  for (int i = 0; i < 300; ++i) {
    w.ask(commands.next(), commands.user());
    for (const SiteRow& row : w.last_news.rows) follower.put(row);
    follower.version = std::max(follower.version, w.last_news.version);
  }
  Site whole;
  whole.version = w.site().version;
  for (const SiteRow& row : w.service.all_news("main").rows) whole.put(row);
  for (auto& [cluster, all] : whole.associations)
    std::erase_if(all, [](const auto& entry) { return entry.second.times.deleted; });
  for (auto& [cluster, all] : follower.associations)
    std::erase_if(all, [](const auto& entry) { return entry.second.times.deleted; });
  follower.numbers = whole.numbers;
  EXPECT_EQ(follower, whole);
}

}  // namespace
}  // namespace muster::accounts::test
