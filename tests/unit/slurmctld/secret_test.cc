// The secret that the keys of steps are made from.
#include "slurmctld/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "io/files.h"
#include "io/net_fixture.h"

namespace muster::daemon {
namespace {

TEST(Secret, IsMadeOnceAndKept) {
  io::TemporaryFolder folder;
  auto made = load_secret(folder / "");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->size(), 32u);
  EXPECT_EQ(load_secret(folder / "").value_or(""), *made);
  struct stat status{};
  ASSERT_EQ(stat(secret_path(folder / "").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(Secret, IsAnotherOneAfterItWasForgotten) {
  io::TemporaryFolder folder;
  auto old = load_secret(folder / "");
  ASSERT_TRUE(old && forget_secret(folder / ""));
  EXPECT_NE(load_secret(folder / "").value_or(*old), *old);
}

TEST(Secret, IsNotUsedIfOthersMayHaveReadIt) {
  io::TemporaryFolder folder;
  ASSERT_TRUE(load_secret(folder / ""));
  ASSERT_EQ(chmod(secret_path(folder / "").c_str(), 0640), 0);
  auto secret = load_secret(folder / "");
  ASSERT_FALSE(secret);
  EXPECT_NE(secret.error().text().find("others may have read or changed it"), std::string::npos);
}

TEST(Secret, IsNotUsedIfItIsNotWhole) {
  io::TemporaryFolder folder;
  for (const std::size_t size : {31u, 33u}) {
    ASSERT_TRUE(io::write_file_atomic(secret_path(folder / ""), std::string(size, 'x'), 0600));
    auto secret = load_secret(folder / "");
    ASSERT_FALSE(secret);
    EXPECT_NE(secret.error().text().find("it does not hold the 32 bytes"), std::string::npos);
  }
}

TEST(Secret, IsNoLinkToAFileOfAnother) {
  io::TemporaryFolder folder;
  ASSERT_TRUE(io::write_file_atomic(folder / "other", std::string(32, 'x'), 0600));
  ASSERT_EQ(symlink((folder / "other").c_str(), secret_path(folder / "").c_str()), 0);
  EXPECT_FALSE(load_secret(folder / ""));
}

}  // namespace
}  // namespace muster::daemon
