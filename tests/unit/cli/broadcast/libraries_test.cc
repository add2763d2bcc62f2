// --send-libs: which libraries are sent together with a program.
#include "cli/broadcast/libraries.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

constexpr std::string_view kTold =
    "\tlinux-vdso.so.1 (0x00007fff)\n"
    "\tlibtinfo.so.6 => /lib/x86_64-linux-gnu/libtinfo.so.6 (0x00007f01)\n"
    "\tlibmine.so => /opt/my libs/libmine.so (0x00007f02)\n"
    "\tlibgone.so => not found\n"
    "\tlibother.so => /library/libother.so (0x00007f03)\n"
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f04)\n";
using Files = std::vector<std::string>;

TEST(Libraries, AreThoseThatWereFoundOutsideOfExcludedDirectories) {
  EXPECT_EQ(libraries_in(kTold, "/lib,/usr/lib,/lib64"),
            (Files{"/opt/my libs/libmine.so", "/library/libother.so"}));
  EXPECT_EQ(libraries_in(kTold, "/opt/,/library,/lib"), Files{"/lib64/ld-linux-x86-64.so.2"});
}

TEST(Libraries, AreAllOfThemWhereNothingIsExcluded) {
  EXPECT_EQ(libraries_in(kTold, "none").size(), 4u);
}

TEST(Libraries, AreAskedForByYesAndNo) {
  EXPECT_EQ(parse_send_libs(""), true);
  EXPECT_EQ(parse_send_libs("No"), false);
  EXPECT_EQ(parse_send_libs("maybe"), std::nullopt);
}

}  // namespace
}  // namespace muster::cli
