// Values of options: how they are read, and Slurm's messages and exit codes for bad values.
#include <gtest/gtest.h>

#include "base/text/duration.h"
#include "cli/options/options.h"

namespace muster::cli {
namespace {

constexpr Time kNow = from_unix_seconds(1'800'000'000);

struct Applied {
  JobOptions options{Client::sbatch, kNow};
  Outcome outcome;
  std::vector<std::string> warnings;
};

Applied given(std::vector<std::string> words) {
  Applied a;
  auto parsed = parse_words(Client::sbatch, words);
  if (!parsed) {
    a.outcome = std::unexpected(parsed.error());
    return a;
  }
  a.outcome = apply(a.options, *parsed, Source::command_line);
  if (a.outcome) a.outcome = finish(a.options, a.warnings);
  return a;
}

std::string error_of(std::vector<std::string> words) {
  auto a = given(std::move(words));
  if (a.outcome) return "accepted";
  return std::to_string(a.outcome.error().exit_code) + " " + a.outcome.error().text;
}

TEST(OptionValues, OfAnArbitraryDistributionNameANodeForEachTask) {
  auto listed = [](std::vector<std::string> words) {
    words.insert(words.end(), {"-m", "arbitrary", "-w", "n2,n1,n2,n3"});
    auto a = given(std::move(words));
    const JobRequest& spec = a.options.spec;
    return spec.required_nodes.str() + " " + std::to_string(spec.num_tasks.value_or(0)) + " " +
           std::to_string(spec.min_nodes) + "-" + std::to_string(spec.max_nodes);
  };
  EXPECT_EQ(listed({}), "n2,n1,n2,n3 4 3-3");
  EXPECT_EQ(listed({"-n3"}), "n2,n1,n2 3 2-2");
  EXPECT_EQ(error_of({"-m", "arbitrary"}),
            "1 sbatch: error: With Arbitrary distribution you need to specify a nodelist or "
            "hostfile with the -w option\n");
}

TEST(OptionValues, RefuseBadCountsWithTheValue) {
  for (const char* bad : {"0", "-1", "abc", "4k", "1.5", "99999999999"})
    EXPECT_EQ(
        error_of({std::string("--ntasks=") + bad}),
        std::string("1 sbatch: error: Invalid numeric value \"") + bad + "\" for --ntasks.\n");
  EXPECT_EQ(error_of({"-c", "0"}),
            "1 sbatch: error: Invalid numeric value \"0\" for --cpus-per-task.\n");
  EXPECT_EQ(error_of({"--wait-all-nodes=x"}),
            "1 sbatch: error: Invalid numeric value \"x\" for --wait-all-nodes.\n");
}

TEST(OptionValues, SayWhereADateIsNone) {
  EXPECT_EQ(error_of({"--begin=2020-13-01"}),
            "255 Invalid time specification (pos=5): 2020-13-01\n"
            "sbatch: error: Invalid --begin specification\n");
  EXPECT_EQ(error_of({"--deadline="}), "255 sbatch: error: Invalid --deadline specification\n");
}

TEST(OptionValues, RefuseBadSpecificationsByName) {
  for (const char* bad : {"--time=bad",
                          "--time=1:2:3:4",
                          "--time=",
                          "--time-min=bad",
                          "--mem=xyz",
                          "--mem=1X",
                          "--mem=-5",
                          "--mem=1.5G",
                          "--mem=1gib",
                          "--mem=",
                          "--mem-per-cpu=x",
                          "--mem-per-gpu=x",
                          "--signal=FOO",
                          "--signal=USR1@abc",
                          "--signal=USR1@99999999",
                          "--signal=B:",
                          "--mail-type=XX",
                          "--open-mode=foo",
                          "--get-user-env=abc",
                          "--exclusive=foo",
                          "--kill-on-invalid-dep=foo",
                          "--kill-on-invalid-dep=y",
                          "--no-kill=foo",
                          "--wait-all-nodes=2",
                          "--delay-boot=x",
                          "--distribution=foo"}) {
    std::string text(bad);
    std::string name = text.substr(0, text.find('='));
    EXPECT_EQ(error_of({text}), "255 sbatch: error: Invalid " + name + " specification\n") << bad;
  }
}

TEST(OptionValues, KeepTheReferencesSpecialTexts) {
  EXPECT_EQ(error_of({"-N", "3-2"}),
            "255 sbatch: error: Maximum node count 2 is less than minimum node count 3\n");
  EXPECT_EQ(error_of({"-N", "abc"}), "255 sbatch: error: \"abc\" is not a valid node count\n");
  EXPECT_EQ(error_of({"-N", "1-2-3"}), "255 sbatch: error: \"2-3\" is not a valid node count\n");
  EXPECT_EQ(error_of({"--nice=2147483646"}),
            "255 sbatch: error: Invalid --nice value, out of range (+/- 2147483645)\n");
  EXPECT_EQ(error_of({"--priority=-1"}), "255 sbatch: error: Priority must be >= 0\n");
  EXPECT_EQ(error_of({"--priority=99999999999"}),
            "255 sbatch: error: Priority must be < 4294967294\n");
  EXPECT_EQ(error_of({"--acctg-freq=foo"}),
            "255 sbatch: error: Invalid --acctg-freq specification: foo\n");
  EXPECT_EQ(
      error_of({"--propagate=foo"}),
      "1 sbatch: error: Bad rlimit name: foo\nsbatch: error: --propagate=foo is not valid.\n");
  EXPECT_EQ(error_of({"--mem=10", "--mem-per-cpu=10"}),
            "1 sbatch: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n");
}

TEST(OptionValues, SayWhereAJobIsPut) {
  EXPECT_EQ(error_of({"--switches=foo"}),
            "1 sbatch: error: Invalid numeric value \"foo\" for --switches.\n");
  EXPECT_EQ(error_of({"--switches=0"}),
            "1 sbatch: error: Invalid numeric value \"0\" for --switches.\n");
  EXPECT_EQ(error_of({"--gres-flags=foo"}),
            "255 sbatch: error: Invalid --gres-flags specification\n");
}

TEST(OptionValues, AreKeptWhereNothingServesThem) {
  EXPECT_EQ(given({"--bb=capacity=1G"}).options.spec.burst_buffer, "capacity=1G");
  EXPECT_EQ(given({"--container=/a"}).options.spec.container, "/a");
  EXPECT_EQ(error_of({"--bbf=/nonexistent"}), "1 sbatch: error: Invalid --bbf specification\n");
  EXPECT_EQ(error_of({"--bbf=/dev/null", "--bb=x"}),
            "1 sbatch: error: Cannot specify both --burst-buffer and --bbf\n");
}

TEST(OptionValues, WriteFrequenciesAsTheyAreShown) {
  auto cpu = [](std::string value) {
    return given({"--cpu-freq=" + value}).options.spec.cpu_freq.str();
  };
  EXPECT_EQ(cpu("low"), "Low");
  EXPECT_EQ(cpu("1000000-2000000:ondemand"), "1000000-2000000:OnDemand");
  EXPECT_EQ(cpu("2000000-HIGH"), "2000000-High");
  EXPECT_EQ(cpu("performance"), "Performance");
  constexpr const char* kInvalid = "sbatch: error: Invalid --cpu-freq argument\n";
  auto refusal = [&](std::string why) { return "255 sbatch: error: " + why + "\n" + kInvalid; };
  EXPECT_EQ(error_of({"--cpu-freq=foo"}), refusal("unrecognized --cpu-freq argument \"foo\""));
  EXPECT_EQ(error_of({"--cpu-freq=1-2-3"}), refusal("unrecognized --cpu-freq argument \"3\""));
  EXPECT_EQ(error_of({"--cpu-freq=low-5"}),
            refusal("min cpu-frec (low) must be < max cpu-freq (5)"));
  EXPECT_EQ(error_of({"--cpu-freq=low:foo"}), refusal("gov on cpu-frec (foo) illegal without max"));
  EXPECT_EQ(error_of({"--cpu-freq=powersave"}),
            refusal("governor of powersave is not allowed in slurm.conf"));
  EXPECT_EQ(given({"--gpu-freq=memory=low,verbose"}).options.spec.gpu_freq, "memory=low,verbose");
  EXPECT_EQ(error_of({"--gpu-freq=foo=bar"}),
            "255 sbatch: error: Invalid --gpu-freq argument: gpu:foo=bar\n");
}

TEST(OptionValues, OfAHintGiveWayToWhatIsSaid) {
  for (const char* said : {"--threads-per-core=2", "--ntasks-per-core=2", "-B1:1:2"}) {
    auto options = given({"--hint=memory_bound", said}).options;
    EXPECT_NE(options.spec.threads_per_core, 1u) << said;
    EXPECT_TRUE(options.hint.empty()) << said;
  }
  EXPECT_EQ(given({"--hint=memory_bound", "--cores-per-socket=2"}).options.spec.cores_per_socket,
            1u);
}

TEST(OptionValues, OfNodeInfoReplaceEarlierOnes) {
  auto spec = given({"--threads-per-core=2", "-B2:4"}).options.spec;
  EXPECT_EQ(spec.sockets_per_node, 2u);
  EXPECT_EQ(spec.cores_per_socket, 4u);
  EXPECT_FALSE(spec.threads_per_core);
  EXPECT_EQ(spec.num_tasks, 8u);
  EXPECT_FALSE(given({"-B2:4", "-N1-2"}).options.spec.num_tasks) << "of a range nobody knows";
  EXPECT_EQ(given({"--cores-per-socket=2", "-wn1"}).options.spec.num_tasks, 2u);
}

TEST(OptionValues, AskForGpusOrForSharesOfThem) {
  const std::string refused = "1 sbatch: error: Invalid generic resource (gres) specification\n";
  EXPECT_EQ(error_of({"--gres=shard:2,gpu:1"}), refused);
  EXPECT_EQ(error_of({"--gres=mps:2", "-G1"}), refused);
  EXPECT_EQ(error_of({"--gres=shard:2", "--cpus-per-gpu=2"}), refused);
  EXPECT_EQ(error_of({"--gres=shard:2"}), "accepted");
}

TEST(OptionValues, OfGpusCountTasks) {
  EXPECT_EQ(given({"--gpus-per-node=4", "--ntasks-per-gpu=2"}).options.spec.num_tasks, 8u);
  EXPECT_EQ(given({"--gres=gpu:2", "-N3", "--ntasks-per-gpu=2"}).options.spec.num_tasks, 12u);
  EXPECT_EQ(error_of({"-N3", "--gpus=1"}),
            "1 sbatch: error: Failed to validate job spec, --gpus < -N\n"
            "sbatch: error: Invalid generic resource (gres) specification\n");
  EXPECT_NE(error_of({"-G2", "--ntasks-per-node=1", "--ntasks-per-gpu=1"})
                .find("fatal: --ntasks-per-node is mutually exclusive with --ntasks-per-gpu"),
            std::string::npos);
}

TEST(OptionValues, OfPlanesLeaveNoNodeEmpty) {
  const std::string refused =
      "1 sbatch: error: Too few processes for the requested {plane,node} distribution\n";
  EXPECT_EQ(error_of({"-N2", "-n2", "-mplane=2"}), refused);
  EXPECT_EQ(error_of({"-N2", "-mplane=1"}), refused);
  EXPECT_EQ(error_of({"-N2", "--ntasks-per-node=1", "-mplane=2"}), refused);
  EXPECT_EQ(given({"-N2", "-n3", "-mplane=2"}).options.spec.num_tasks, 3u);
}

TEST(OptionValues, MakeThreadsOfAHint) {
  EXPECT_EQ(given({"--hint=nomultithread"}).options.spec.threads_per_core, 1u);
  EXPECT_EQ(given({"--hint=compute_bound"}).options.spec.threads_per_core, 1u);
  EXPECT_EQ(given({"--hint=memory_bound"}).options.spec.cores_per_socket, 1u);
  EXPECT_FALSE(given({"--hint=multithread"}).options.spec.threads_per_core);
  EXPECT_EQ(error_of({"--hint=foo"}),
            "1 sbatch: error: unrecognized --hint argument \"foo\", see --hint=help\n");
  EXPECT_EQ(error_of({"-B", "1:x"}),
            "1 sbatch: error: Invalid numeric value \"x\" for second arg of -B.\n");
}

TEST(OptionValues, CountTasksByTheShapeOfNodes) {
  EXPECT_EQ(given({"-B", "2:4:2"}).options.spec.num_tasks, 16u);
  EXPECT_EQ(given({"-B", "2:2", "-N2"}).options.spec.num_tasks, 8u);
  EXPECT_EQ(given({"-B", "*:*:2"}).options.spec.num_tasks, 2u);
  EXPECT_EQ(given({"-B", "2:4", "-n3"}).options.spec.num_tasks, 3u);
  EXPECT_FALSE(given({"--cores-per-socket=4"}).options.spec.num_tasks);
}

TEST(OptionValues, GpusCountedInSeveralWaysSayHowManyNodesAndTasks) {
  EXPECT_EQ(given({"-G4", "--gpus-per-node=2"}).options.spec.min_nodes, 2u);
  EXPECT_EQ(given({"-G4", "--gres=gpu:1", "-N1-9"}).options.spec.max_nodes, 4u);
  EXPECT_EQ(given({"-G4", "--gpus-per-task=2"}).options.spec.num_tasks, 2u);
  EXPECT_EQ(given({"-N3", "--gpus-per-task=1"}).options.spec.num_tasks, 3u);
  EXPECT_EQ(given({"-N2", "--ntasks-per-node=2", "--gpus-per-task=1"}).options.spec.num_tasks, 4u);
  auto refusal = [](std::vector<std::string> words) {
    const std::string text = error_of(std::move(words));
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(refusal({"-G3", "--gpus-per-node=2"}),
            "1 sbatch: error: Failed to validate job spec, --gpus is not multiple of "
            "--gres=gpu/--gpus-per-node");
  EXPECT_EQ(refusal({"-G4", "--gpus-per-node=2", "-N3"}),
            "1 sbatch: error: Failed to validate job spec. Based on --gpu and "
            "--gres=gpu/--gpus-per-node required nodes (2) doesn't fall between min_nodes (3) and "
            "max_nodes (3) boundaries.");
  EXPECT_EQ(refusal({"-G1", "--gpus-per-node=2"}),
            "1 sbatch: error: Failed to ensure --gpus >= --gres=gpu/--gpus-per-node >= "
            "--gpus-per-socket");
  EXPECT_EQ(refusal({"-G6", "--gpus-per-task=2", "-n2"}),
            "1 sbatch: error: Failed to validate job spec. Based on --gpus and --gpus-per-task "
            "number of requested tasks differ from -n/--ntasks.");
  EXPECT_EQ(refusal({"-Gv100:1,2"}),
            "1 sbatch: error: Invalid GRES specification (with and without type identification)");
  EXPECT_EQ(refusal({"-N2", "-Gv100:1,a100:4"}),
            "1 sbatch: error: Failed to validate job spec, --gpus < -N");
  EXPECT_EQ(given({"-Gv100:2,a100:4", "--gpus-per-task=v100:1,a100:2"}).options.spec.num_tasks, 2u);
  EXPECT_EQ(given({"-Gv100:2,a100:4", "--ntasks-per-gpu=1"}).options.spec.num_tasks, 6u);
  EXPECT_EQ(refusal({"-G5", "--gpus-per-task=2"}),
            "1 sbatch: error: Failed to validate job spec, --gpus not multiple of --gpus-per-task");
  EXPECT_EQ(refusal({"-n2", "--gpus-per-node=3", "--gpus-per-task=2"}),
            "1 sbatch: error: Failed to validate job spec, --gres=gpu/--gpus-per-node not multiple "
            "of --gpus-per-task.");
}

TEST(OptionValues, CountTasksAndGpusByEachOther) {
  EXPECT_EQ(given({"-G", "2", "--ntasks-per-gpu=3"}).options.spec.num_tasks, 6u);
  EXPECT_EQ(given({"-n", "5", "--ntasks-per-gpu=2"}).options.spec.gpus, "3");
  EXPECT_EQ(given({"-n", "2", "--ntasks-per-gpu=2"}).options.task.gpu_bind, "single:2");
  EXPECT_NE(error_of({"--ntasks-per-gpu=1"}).find("--ntasks-per-tres needs either"),
            std::string::npos);
  EXPECT_NE(error_of({"-n1", "--ntasks-per-gpu=1", "--gpus-per-task=1"}).find("mutually exclusive"),
            std::string::npos);
  EXPECT_NE(error_of({"-G1", "-c1", "--cpus-per-gpu=1"}).find("mutually exclusive"),
            std::string::npos);
  EXPECT_NE(error_of({"--gpus-per-socket=1"}).find("requires --sockets-per-node"),
            std::string::npos);
}

TEST(OptionValues, RefuseLayoutsThatThereAreNot) {
  EXPECT_EQ(error_of({"-m", "foo"}), "255 sbatch: error: Invalid --distribution specification\n");
  EXPECT_EQ(error_of({"--gpu-bind=foo"}),
            "255 sbatch: error: Invalid --gpu-bind argument: gpu:foo\n");
  EXPECT_EQ(given({"-m", "plane=2"}).options.spec.distribution, "plane=2");
  EXPECT_EQ(given({"--gpu-bind=single:1"}).options.task.gpu_bind, "single:1");
}

TEST(OptionValues, AcceptWhatOnlyInforms) {
  auto a = given({"--wckey=submitit", "--comment=a b", "--mail-type=END,FAIL,FOO", "--mail-user=x",
                  "-A", "acc", "--qos=high", "--time-min=3"});
  ASSERT_TRUE(a.outcome);
  EXPECT_EQ(a.options.spec.wckey, "submitit");
  EXPECT_EQ(a.options.spec.mail_type, kMailEnd | kMailFail);
  EXPECT_EQ(a.options.spec.time_min, Minutes{3});
}

TEST(OptionValues, ReadMemoryInMebibytes) {
  auto mem = [](const char* text) {
    return given({"--mem", text}).options.spec.memory_per_node_mib;
  };
  EXPECT_EQ(mem("100"), 100u);
  EXPECT_EQ(mem("1GB"), 1024u);
  EXPECT_EQ(mem("4Gb"), 4096u);
  EXPECT_EQ(mem("512MB"), 512u);
  EXPECT_EQ(mem("2000K"), 2u);
  EXPECT_EQ(mem("1T"), 1048576u);
  EXPECT_EQ(mem("0"), 0u);
}

TEST(OptionValues, ReadTimeLimits) {
  auto limit = [](const char* text) { return given({"-t", text}).options.spec.time_limit; };
  EXPECT_EQ(limit("90"), Minutes{90});
  EXPECT_EQ(limit("1:30"), Minutes{2});
  EXPECT_EQ(limit("1-12"), Minutes{36 * 60});
  EXPECT_EQ(limit("0"), kUnlimited);
  EXPECT_EQ(limit("-1"), kUnlimited);
  EXPECT_EQ(limit("UNLIMITED"), kUnlimited);
}

TEST(OptionValues, ReadTheWarningSignal) {
  auto warn = given({"--signal=B:USR2@90"}).options.spec.warn_signal;
  EXPECT_EQ(warn, (WarnSignal{12, 90, true}));
  EXPECT_EQ(given({"--signal=10"}).options.spec.warn_signal, (WarnSignal{10, 60, false}));
}

TEST(NodeCounts, AreARangeWithBothEnds) {
  auto spec = given({"-N", "2-4"}).options.spec;
  EXPECT_EQ(spec.min_nodes, 2u);
  EXPECT_EQ(spec.max_nodes, 4u);
  EXPECT_TRUE(spec.nodes_given);
  EXPECT_EQ(given({"-N", "2k"}).options.spec.min_nodes, 2048u);
}

TEST(NodeCounts, ShrinkToTheTasksWithAWarning) {
  auto a = given({"-N4", "-n1"});
  ASSERT_EQ(a.warnings.size(), 1u);
  EXPECT_EQ(a.warnings[0], "Warning: can't run 1 processes on 4 nodes, setting nnodes to 1");
  EXPECT_EQ(a.options.spec.max_nodes, 1u);
}

TEST(NodeCounts, ThatFollowFromGpusDoNotShrinkToTheTasks) {
  auto a = given({"-n1", "--gpus=4", "--gpus-per-node=2"});
  EXPECT_TRUE(a.warnings.empty());
  EXPECT_EQ(a.options.spec.min_nodes, 2u);
}

TEST(NodeCounts, FollowFromANodeList) {
  EXPECT_EQ(given({"-w", "n[1-3]"}).options.spec.min_nodes, 3u);
  EXPECT_EQ(error_of({"-w", "n1,n2", "-N1"}),
            "1 sbatch: error: invalid number of nodes (-N 2-1)\n");
  EXPECT_EQ(given({"-w", "n[1-3]", "-n1"}).options.spec.required_nodes, "n1");
}

TEST(TaskCounts, StayUnsetUnlessAskedFor) {
  EXPECT_FALSE(given({"-N2"}).options.spec.num_tasks);
  EXPECT_EQ(given({"-N2", "--ntasks-per-node=2"}).options.spec.num_tasks, 4u);
  EXPECT_EQ(given({"--tasks-per-node=2"}).options.spec.num_tasks, 2u);
  EXPECT_EQ(given({"-n4", "--ntasks-per-node=2"}).options.spec.min_nodes, 2u);
  EXPECT_EQ(given({"--gpus=4", "--gpus-per-task=2"}).options.spec.num_tasks, 2u);
}

TEST(TaskCounts, AreNeededForGpusPerTask) {
  EXPECT_EQ(
      error_of({"--gpus-per-task=1"}),
      "1 sbatch: error: Failed to validate job spec. --gpus-per-task used without either --gpus or "
      "-n/--ntasks is not allowed.\nsbatch: error: Invalid generic resource (gres) "
      "specification\n");
}

}  // namespace
}  // namespace muster::cli
