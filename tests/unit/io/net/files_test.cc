// Whole files, atomic writes, hashes.
#include <sys/stat.h>

#include "io/net_fixture.h"

namespace muster::io {
namespace {

using namespace std::string_view_literals;

TEST(Files, AnAtomicWriteReplacesTheWholeFileAndSetsItsMode) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomic(folder / "f", "a longer first text", 0600));
  ASSERT_TRUE(write_file_atomic(folder / "f", std::string("s\0d", 3), 0640));
  EXPECT_EQ(read_file(folder / "f").value(), std::string("s\0d", 3));
  struct stat status{};
  ASSERT_EQ(::stat((folder / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_EQ(list_directory(folder / "").value(), std::vector<std::string>{"f"})
      << "a temporary file is left";
}

TEST(Files, FailuresNameThePath) {
  TemporaryFolder folder;
  auto missing = read_file(folder / "missing");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().detail.find("missing: No such file"), std::string::npos);
  EXPECT_FALSE(write_file_atomic(folder / "no/such/folder", "", 0600));
}

TEST(Files, DirectoriesAreMadeWithTheirParents) {
  TemporaryFolder folder;
  ASSERT_TRUE(make_directories(folder / "a/b/c/", 0750));
  ASSERT_TRUE(make_directories(folder / "a/b/c", 0700));
  struct stat status{};
  ASSERT_EQ(::stat((folder / "a/b/c").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0750u);
  ASSERT_TRUE(write_file_atomic(folder / "a/file", "", 0600));
  EXPECT_FALSE(make_directories(folder / "a/file", 0700));
  EXPECT_FALSE(make_directories(folder / "a/file/below", 0700));
}

TEST(Files, RemovingAMissingFileIsNotAnError) {
  TemporaryFolder folder;
  EXPECT_TRUE(remove_file(folder / "none"));
  EXPECT_TRUE(remove_tree(folder / "none"));
  ASSERT_TRUE(make_directories(folder / "x/y", 0700));
  EXPECT_TRUE(remove_tree(folder / "x"));
  EXPECT_FALSE(exists(folder / "x"));
}

TEST(Files, TheHashIsSha256) {
  const std::string_view digest =
      "\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
      "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad"sv;
  EXPECT_EQ(content_hash("abc"), digest);
}

TEST(Files, RandomBytesDiffer) {
  EXPECT_EQ(random_bytes(32).size(), 32u);
  EXPECT_NE(random_bytes(32), random_bytes(32));
}

TEST(Files, ALocalFolderIsNotNfs) {
  TemporaryFolder folder;
  EXPECT_FALSE(is_nfs(folder / "not/made/yet"));
}

}  // namespace
}  // namespace muster::io
