// slurmdbd.conf: what it says, and how mistakes are told.
#include "config/files/slurmdbd_conf.h"

#include <gtest/gtest.h>

namespace muster::config {
namespace {

Result<DbdConf> load(std::string text) {
  return load_dbd_conf([text](const std::string&) -> Result<std::string> { return text; },
                       "/etc/slurm/slurmdbd.conf");
}
std::string problem(const std::string& text) {
  auto conf = load(text);
  return conf ? "" : conf.error().detail;
}

TEST(DbdConf, ReadsWhereTheDatabaseIsAndWhatIsKept) {
  auto conf = load(
      "DbdPort=7000\nStorageType=accounting_storage/postgresql\nstorageuser=slurm\n"
      "StoragePass=\"a b\"\nStorageLoc=acct\nPurgeJobAfter=12months\nPurgeStepAfter=10days\n"
      "ArchiveJobs=yes\nPrivateData=jobs,users\nAuthInfo=socket=/x/"
      "munge,ttl=3\nDebugLevel=debug\n");
  ASSERT_TRUE(conf) << conf.error().text();
  EXPECT_EQ(conf->port, 7000);
  EXPECT_EQ(conf->storage, StorageType::postgresql);
  EXPECT_EQ(conf->storage_pass, "a b");
  EXPECT_EQ(conf->storage_place, "acct");
  EXPECT_EQ(conf->jobs.keep, Seconds{360 * 86400});
  EXPECT_TRUE(conf->jobs.archive);
  EXPECT_EQ(conf->steps.keep, Seconds{10 * 86400});
  EXPECT_FALSE(conf->steps.archive);
  EXPECT_EQ(conf->transactions.keep, Seconds{0});
  EXPECT_TRUE(conf->private_data.jobs && conf->private_data.users);
  EXPECT_FALSE(conf->private_data.accounts);
  EXPECT_EQ(conf->munge_socket, "/x/munge");
}

TEST(DbdConf, HasTheUsualPortAndPlace) {
  auto conf = load("SlurmUser=slurm\n");
  ASSERT_TRUE(conf);
  EXPECT_EQ(conf->port, 6819);
  EXPECT_EQ(conf->storage, StorageType::mariadb);
  EXPECT_EQ(conf->storage_place, "slurm_acct_db");
}

TEST(DbdConf, NamesFileAndLineOfAMistake) {
  EXPECT_EQ(problem("\nNonsense=1\n"),
            "/etc/slurm/slurmdbd.conf:2: Nonsense: not a key of slurmdbd.conf");
  EXPECT_TRUE(problem("DbdPort=x\n").starts_with("/etc/slurm/slurmdbd.conf:1: DbdPort=x: "));
  EXPECT_TRUE(problem("PrivateData=secrets\n").starts_with("/etc/slurm/slurmdbd.conf:1: "));
  EXPECT_NE(problem("StorageType=accounting_storage/oracle\n"), "");
  EXPECT_NE(problem("StorageType=accounting_storage/sqlite\nStorageLoc=relative\n"), "");
}

TEST(DbdConf, ListsKeysWithoutEffectOnce) {
  auto conf = load("TrackWCKey=yes\nCommitDelay=1\nTrackWCKey=no\n");
  ASSERT_TRUE(conf);
  EXPECT_EQ(conf->ignored_keys, (std::vector<std::string>{"TrackWCKey", "CommitDelay"}));
}

TEST(DbdConf, ReadsTimesToKeep) {
  EXPECT_EQ(parse_retention("2"), Seconds{60 * 86400});
  EXPECT_EQ(parse_retention("1month"), Seconds{30 * 86400});
  EXPECT_EQ(parse_retention("6hours"), Seconds{6 * 3600});
  for (const char* bad : {"", "soon", "5weeks", "-1", "999999999999"})
    EXPECT_FALSE(parse_retention(bad)) << bad;
}

}  // namespace
}  // namespace muster::config
