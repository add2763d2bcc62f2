// Users and groups from /etc/passwd and from getent.
#include "cli/lib/name_service.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster::cli {
namespace {

TEST(NameService, ReadsTheFilesOfTheSystem) {
  auto root = user_named("root");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->uid, Uid{0});
  EXPECT_EQ(root->home, "/root");
  EXPECT_FALSE(root->shell.empty());
  EXPECT_EQ(user_with(Uid{0})->name, "root");
  EXPECT_EQ(group_with(Gid{0})->name, "root");
  EXPECT_EQ(group_named("root")->gid, Gid{0});
}

// A directory service, as getent would report it.
class Directory : public testing::Test {
 protected:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream(folder_ + "/getent")
        << "#!/bin/sh\n"
           "[ \"$1\" = -- ] && shift\n"
           "case $1:$2 in\n"
           "passwd:ada|passwd:70001) echo 'ada:*:70001:70001:Ada:/net/ada:/bin/zsh' ;;\n"
           "group:poets|group:70002) echo 'poets:*:70002:ada' ;;\n"
           "*) exit 2 ;;\n"
           "esac\n";
    std::filesystem::permissions(folder_ + "/getent", std::filesystem::perms::owner_all);
    path_ = ::getenv("PATH");
    ::setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
  }
  ~Directory() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::string folder_, path_;
};

TEST_F(Directory, IsAskedForWhatTheFilesDoNotHold) {
  auto ada = user_named("ada");
  ASSERT_TRUE(ada);
  EXPECT_EQ(ada->uid, Uid{70001});
  EXPECT_EQ(ada->home, "/net/ada");
  EXPECT_EQ(ada->shell, "/bin/zsh");
  EXPECT_EQ(user_with(Uid{70001})->name, "ada");
  EXPECT_EQ(group_named("poets")->gid, Gid{70002});
  EXPECT_EQ(group_with(Gid{70002})->name, "poets");
}

TEST_F(Directory, SaysWhenItKnowsNobody) {
  EXPECT_FALSE(user_named("nobody-of-that-name"));
  EXPECT_FALSE(user_with(Uid{70009}));
  EXPECT_FALSE(user_named(""));
  EXPECT_FALSE(group_named("--help"));
}

}  // namespace
}  // namespace muster::cli
