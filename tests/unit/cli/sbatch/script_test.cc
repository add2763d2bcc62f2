// Checks of batch scripts, and the exit code of sbatch --wait.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include "cli/sbatch/script.h"
#include "cli/sbatch/wait.h"

namespace muster::cli {
namespace {

std::string error_of(std::string text) {
  auto script = check_script({std::move(text), {}, {}});
  return script ? "" : script.error().text;
}

TEST(BatchScript, IsRefusedWithoutAnInterpreterLine) {
  EXPECT_EQ(error_of("echo hi\n"),
            "sbatch: error: This does not look like a batch script.  The first\n"
            "sbatch: error: line must start with #! followed by the path to an interpreter.\n"
            "sbatch: error: For instance: #!/bin/sh\n");
  EXPECT_NE(error_of("\n#!/bin/bash\n"), "");
}

TEST(BatchScript, ThatOpensWithDirectivesRunsUnderBashWithAWarning) {
  auto script = check_script({"#SBATCH -n 2\ntrue\n", {}, {}});
  ASSERT_TRUE(script);
  EXPECT_EQ(script->text, "#!/bin/bash\n#SBATCH -n 2\ntrue\n");
  EXPECT_NE(script->warning, "");
}

TEST(BatchScript, IsRefusedWhereItCannotRun) {
  EXPECT_EQ(error_of(""), "sbatch: error: Batch script is empty!\n");
  EXPECT_EQ(error_of(" \n\n"), "sbatch: error: Batch script contains only whitespace!\n");
  EXPECT_NE(error_of("#!/bin/bash\r\ntrue\r\n").find("DOS line breaks (\\r\\n)"),
            std::string::npos);
  EXPECT_NE(error_of(std::string("#!/bin/sh\n\0x", 12)).find("NULL character"), std::string::npos);
  EXPECT_NE(error_of("#!/bin/sh\n" + std::string(kMaxScriptBytes, 'x')), "");
}

TEST(BatchScript, OfWrapEndsWithTheCommand) {
  auto script = wrapped_script("echo a");
  EXPECT_TRUE(script.text.starts_with("#!/bin/sh\n"));
  EXPECT_TRUE(script.text.ends_with("\necho a\n"));
}

wire::JobView ended(JobState state, int status) {
  Job job;
  job.state = state;
  job.run.edit().exit_status = static_cast<std::uint32_t>(status);
  wire::JobView view;
  view.job = Cow<Job>(std::move(job));
  return view;
}

TEST(Wait, GivesTheHighestExitCode) {
  EXPECT_EQ(exit_code_of({ended(JobState::completed, 0)}), 0);
  EXPECT_EQ(exit_code_of({ended(JobState::failed, W_EXITCODE(1, 0)),
                          ended(JobState::failed, W_EXITCODE(3, 0))}),
            3);
}

TEST(Wait, GivesOneForASignalOrAnotherBadEnd) {
  EXPECT_EQ(exit_code_of({ended(JobState::failed, 9)}), 1);
  EXPECT_EQ(exit_code_of({ended(JobState::out_of_memory, 0)}), 1);
  EXPECT_EQ(exit_code_of({ended(JobState::cancelled, 0)}), 0);
}

}  // namespace
}  // namespace muster::cli
