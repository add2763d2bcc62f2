// job_container.conf.
#include "config/files/job_container_conf.h"

#include <gtest/gtest.h>

#include "config/files.h"
#include "config/slurm_conf.h"

namespace muster::config {
namespace {

Result<JobContainerConf> load(const std::string& text, const std::string& node = "n1") {
  return load_job_container_conf(files({{"job_container.conf", text}}), "job_container.conf", node);
}
using Paths = std::vector<std::string>;

TEST(JobContainerConf, NamesABaseAndDirectories) {
  auto conf = load("AutoBasePath=true\nBasePath=/var/private\n");
  ASSERT_TRUE(conf) << conf.error().text();
  EXPECT_TRUE(conf->auto_base_path);
  EXPECT_EQ(conf->base_path, "/var/private");
  EXPECT_EQ(conf->directories, (Paths{"/tmp", "/dev/shm"}));
  EXPECT_EQ(load("BasePath=/a Dirs=/tmp,/var/tmp")->directories,
            (Paths{"/tmp", "/var/tmp", "/dev/shm"}));
}

TEST(JobContainerConf, HasLinesForSomeNodes) {
  const std::string text = "BasePath=/all\nNodeName=n[2-3] BasePath=/some\n";
  EXPECT_EQ(load(text, "n1")->base_path, "/all");
  EXPECT_EQ(load(text, "n3")->base_path, "/some");
}

TEST(JobContainerConf, NamesAProgramThatComesFirst) {
  auto conf = load("BasePath=/a InitScript=/b");
  ASSERT_TRUE(conf);
  EXPECT_EQ(conf->init_script, "/b");
}

TEST(JobContainerConf, RefusesWhatItCannotDo) {
  EXPECT_FALSE(load("AutoBasePath=true"));
  EXPECT_FALSE(load("BasePath=relative"));
  EXPECT_FALSE(load("BasePath=/a InitScript=b"));
  EXPECT_FALSE(load("BasePath=/a Nonsense=1"));
}

TEST(JobContainerConf, NeedsTheExternStep) {
  auto conf = [](const std::string& text) {
    return load_slurm_conf(files({{"slurm.conf", kHead + text}}), "slurm.conf");
  };
  const std::string type = "JobContainerType=job_container/tmpfs\n";
  EXPECT_FALSE(conf(type));
  EXPECT_TRUE(conf(type + "PrologFlags=Contain\n"));
  EXPECT_TRUE(conf(type + "PrologFlags=RunInJob\n"));
  EXPECT_FALSE(conf("JobContainerType=job_container/other\nPrologFlags=Contain\n"));
}

}  // namespace
}  // namespace muster::config
