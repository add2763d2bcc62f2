// SqliteAccounts: what was committed is there after a restart, and a newer file stays as it is.
#include "io/store/sqlite_accounts.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"
#include "io/power_cut_vfs.h"
#include "io/store_fixture.h"

namespace muster::io {

namespace {

constexpr Time kFirst = from_unix_seconds(1000), kSecond = from_unix_seconds(2000);

std::unique_ptr<SqliteAccounts> open_accounts(const TempDir& dir) {
  auto store = SqliteAccounts::open(dir.path() + "/accounts.db");
  EXPECT_TRUE(store) << store.error().text();
  return store ? *std::move(store) : nullptr;
}

AccountsStore::Change change(std::uint64_t version, Text account, Text description, Time at) {
  return {.version = version,
          .rows = {AccountRow{.name = account, .description = std::move(description)}},
          .transactions = {{.at = at, .actor = "root", .action = "Add Accounts"}}};
}

std::vector<std::uint64_t> transactions_of(AccountsStore& store, Time start, Time end) {
  std::vector<std::uint64_t> ids;
  EXPECT_TRUE(store.transactions(start, end, [&](const TransactionRow& row) {
    ids.push_back(row.id);
    return true;
  }));
  return ids;
}

}  // namespace

TEST(SqliteAccounts, HasEachRowOnceAfterARestart) {
  TempDir dir;
  {
    auto store = open_accounts(dir);
    ASSERT_TRUE(store->commit(change(1, "a", "first", kFirst)));
    ASSERT_TRUE(store->commit(change(2, "b", "other", kFirst)));
    ASSERT_TRUE(store->commit(change(3, "a", "second", kSecond)));
  }
  auto store = open_accounts(dir);
  auto content = store->load();
  ASSERT_TRUE(content);
  EXPECT_EQ(content->version, 3u);
  ASSERT_EQ(content->rows.size(), 2u);
  EXPECT_EQ(std::get<AccountRow>(content->rows[0]).description, "second");
  EXPECT_EQ(transactions_of(*store, {}, {}), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(transactions_of(*store, kSecond, {}), std::vector<std::uint64_t>{3});
  EXPECT_EQ(transactions_of(*store, {}, kFirst), (std::vector<std::uint64_t>{1, 2}));
}

TEST(SqliteAccounts, ANewerFormatIsLeftAlone) {
  TempDir dir;
  open_accounts(dir);
  {
    auto database = Database::open(dir.path() + "/accounts.db", {});
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute("UPDATE meta SET format = 99"));
  }
  auto store = SqliteAccounts::open(dir.path() + "/accounts.db");
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().text().find("newer version"), std::string::npos);
}

}  // namespace muster::io
