// The environment of jobs: --export, --export-file and variables of options.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/options/environment.h"

namespace muster::cli {
namespace {

const JobEnvironment kOwn({"FOO=foo", "BAR=bar", "PATH=/bin", "SLURM_CONF=/etc/s"});

std::string exported_text(std::string_view list) {
  auto entries = exported(kOwn, list).entries();
  std::sort(entries.begin(), entries.end());
  std::string out;
  for (const std::string& entry : entries) out += entry + ";";
  return out;
}

TEST(Export, PassesEverythingByDefault) {
  EXPECT_EQ(exported_text(""), "BAR=bar;FOO=foo;PATH=/bin;SLURM_CONF=/etc/s;");
  EXPECT_EQ(exported_text("ALL"), exported_text(""));
}

TEST(Export, PassesOnlySlurmVariablesWithNone) {
  EXPECT_EQ(exported_text("NONE"), "SLURM_CONF=/etc/s;");
  EXPECT_EQ(exported_text("NIL"), "SLURM_CONF=/etc/s;");
}

TEST(Export, TakesNamesAndValuesFromAList) {
  EXPECT_EQ(exported_text("NEW=1,FOO,MISSING"), "FOO=foo;NEW=1;SLURM_CONF=/etc/s;");
  EXPECT_EQ(exported_text("ALL,NEW=2"), "BAR=bar;FOO=foo;NEW=2;PATH=/bin;SLURM_CONF=/etc/s;");
  EXPECT_EQ(exported_text(",A=1,,B="), "A=1;B=;SLURM_CONF=/etc/s;");
}

TEST(ExportFile, SeparatesEntriesByNulOrNewline) {
  using Entries = std::vector<std::string>;
  EXPECT_EQ(parse_export_file(std::string_view("A=1\0B=2 3\nx\0", 12)),
            (Entries{"A=1", "B=2 3\nx"}));
  EXPECT_EQ(parse_export_file("A=1\nB=2\n"), (Entries{"A=1", "B=2"}));
}

class BatchEnvironmentTest : public testing::Test {
 protected:
  void apply_words(std::vector<std::string> words) {
    ASSERT_TRUE(apply(options_, *parse_words(Client::sbatch, words), Source::command_line));
    std::vector<std::string> warnings;
    ASSERT_TRUE(finish(options_, warnings));
  }
  JobEnvironment made(JobEnvironment own = kOwn) {
    made_ = *batch_environment(options_, own);
    return JobEnvironment(made_.entries);
  }
  JobOptions options_{Client::sbatch, Time{}};
  BatchEnvironment made_;
};

TEST_F(BatchEnvironmentTest, OfAPlainJobHasNoTaskCount) {
  auto environment = made();
  EXPECT_EQ(environment.find("SLURM_NTASKS"), nullptr);
  EXPECT_EQ(environment.find("SLURM_JOB_NAME"), nullptr);
  EXPECT_NE(environment.find("SLURM_SUBMIT_DIR"), nullptr);
  EXPECT_FALSE(made_.get_user_env);
}

TEST_F(BatchEnvironmentTest, CarriesWhatOptionsAskFor) {
  apply_words({"-N2", "--ntasks-per-node=2", "-c3", "--mem=1G", "--gpus-per-node=v100:1", "-J", "x",
               "--open-mode=append"});
  auto environment = made();
  EXPECT_EQ(environment.value("SLURM_NTASKS"), "4");
  EXPECT_EQ(environment.value("SLURM_NPROCS"), "4");
  EXPECT_EQ(environment.value("SLURM_CPUS_PER_TASK"), "3");
  EXPECT_EQ(environment.value("SLURM_NTASKS_PER_NODE"), "2");
  EXPECT_EQ(environment.value("SLURM_MEM_PER_NODE"), "1024");
  EXPECT_EQ(environment.value("SLURM_GPUS_PER_NODE"), "v100:1");
  EXPECT_EQ(environment.value("SLURM_JOB_NAME"), "x");
  EXPECT_EQ(environment.value("SLURM_OPEN_MODE"), "a");
}

TEST_F(BatchEnvironmentTest, HasNoMemoryVariableForAWholeNode) {
  apply_words({"--mem=0"});
  EXPECT_EQ(made().find("SLURM_MEM_PER_NODE"), nullptr);
}

TEST_F(BatchEnvironmentTest, AsksForALoginWhereTheListIsPartial) {
  apply_words({"--export=NONE"});
  auto environment = made();
  EXPECT_TRUE(made_.get_user_env);
  EXPECT_EQ(environment.value("SLURM_GET_USER_ENV"), "1");
  EXPECT_EQ(environment.value("SLURM_EXPORT_ENV"), "NONE");
  EXPECT_EQ(environment.find("FOO"), nullptr);
}

TEST_F(BatchEnvironmentTest, TakesTheUmaskFromItsVariable) {
  auto environment = made(JobEnvironment({"SLURM_UMASK=0027"}));
  EXPECT_EQ(made_.umask, 027u);
  EXPECT_EQ(environment.find("SLURM_UMASK"), nullptr);
}

}  // namespace
}  // namespace muster::cli
