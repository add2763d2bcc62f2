// squeue: jobs in, text out, to the character.
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>

#include "base/text/duration.h"
#include "cli/records/task_text.h"
#include "cli/squeue/list.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = from_unix_seconds(1'800'000'000);

struct JobBuilder {
  wire::JobView view;
  Job job;
  JobRequest spec;

  explicit JobBuilder(std::uint32_t id, std::string_view name = "wrap") {
    job.id = JobId{id};
    job.partitions = "batch";
    job.time_limit = kUnlimited;
    job.submitted = kNow - 60s;
    job.priority = 4294901760u - id;
    spec.name = name;
    spec.user_name = "root";
    view.reason = "None";
  }
  JobBuilder& running(std::string_view nodes, std::uint32_t count, Seconds since) {
    job.state = JobState::running;
    job.run.edit().started = kNow - since;
    view.nodes = nodes;
    for (std::uint32_t i = 0; i < count; ++i) {
      job.run.edit().allocation.push_back({NodeId{i}, IdSet::range(0, 1), 100, 1, {}});
      view.node_names.emplace_back("n" + std::to_string(i + 1));
    }
    return *this;
  }
  JobBuilder& pending(std::string_view reason) {
    view.reason = reason;
    return *this;
  }
  JobBuilder& held() {
    job.priority = 0;
    return pending("JobHeldUser");
  }
  JobBuilder& ended(JobState state, std::string_view reason) {
    job.state = state;
    job.run.edit().ended = kNow;
    job.end_reason = reason;
    return *this;
  }
  JobBuilder& array(std::string_view tasks, std::uint32_t limit) {
    job.array_id = job.id;
    job.waiting_tasks = *IdSet::parse(tasks);
    job.task_limit = limit;
    return *this;
  }
  JobBuilder& task(std::uint32_t array_id, std::uint32_t index) {
    job.array_id = JobId{array_id};
    job.task_id = index;
    return *this;
  }
  wire::JobView build() {
    job.take_request(spec);
    view.job = Cow<Job>(job);
    return view;
  }
};

std::string list(const JobViews& views, QueueOptions options = {}) {
  QueueContext context;
  context.now = kNow;
  context.cluster = "c1";
  auto listing = make_listing(options);
  EXPECT_TRUE(listing);
  QueueJobs jobs = jobs_of(views, kNow);
  std::string out;
  list_queue(jobs, options, *listing, context, out);
  return out;
}
std::string listed(const JobViews& jobs, std::string_view format, std::string_view sort = "i") {
  QueueOptions options;
  options.format = format;
  options.sort = sort;
  options.header = false;
  return list(jobs, options);
}
std::expected<QueueOptions, Refusal> parse(std::initializer_list<const char*> words) {
  return parse_squeue(std::vector<std::string>(words.begin(), words.end()));
}

TEST(Squeue, PrintsTheDefaultLayout) {
  EXPECT_EQ(list({JobBuilder(35, "averylongname").running("n[1-2]", 2, 5s).build(),
                  JobBuilder(36, "held").held().build()}),
            "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
            "                36     batch     held     root PD       0:00      1 (JobHeldUser)\n"
            "                35     batch averylon     root  R       0:05      2 n[1-2]\n");
}

TEST(Squeue, PrintsTheLongLayoutUnderADateAndNeverCutsTimes) {
  QueueOptions options;
  options.long_form = true;
  JobBuilder job(22, "long");
  job.running("n3", 1, 129s).job.time_limit = Minutes{525600};
  std::string out = list({job.build()}, options);
  EXPECT_EQ(out.substr(out.find('\n') + 1),
            "             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES "
            "NODELIST(REASON)\n"
            "                22     batch     long     root  RUNNING       2:09 365-00:00:00      "
            "1 n3\n");
}

TEST(Squeue, CountsNoTimeOfAJobThatIsToldToEnd) {
  JobBuilder job(22);
  job.running("n3", 1, 70s).job.time_limit = Minutes{1};
  EXPECT_EQ(listed({job.build()}, "%M %L"), "1:10 INVALID\n") << "it may be in its OverTimeLimit";
  job.job.run.edit().ending = Ending{.becomes = JobState::timeout, .since = kNow - 10s};
  EXPECT_EQ(listed({job.build()}, "%M %L"), "1:00 0:00\n");
}

TEST(Squeue, PrintsExpectedStartsWithUnknownOnesLast) {
  QueueOptions options;
  options.start = true;
  JobBuilder later(38), sooner(39);
  later.pending("Priority").view.expected_start = from_unix_seconds(1'800'003'600);
  sooner.pending("Resources").view.expected_start = from_unix_seconds(1'800'000'060);
  std::string out = list({JobBuilder(37).held().build(), later.build(), sooner.build()}, options);
  EXPECT_TRUE(out.starts_with(
      "             JOBID PARTITION     NAME     USER ST          START_TIME  NODES "
      "SCHEDNODES           NODELIST(REASON)\n"));
  EXPECT_LT(out.find(" 39 "), out.find(" 38 "));
  EXPECT_LT(out.find(" 38 "), out.find(" 37 "));
  EXPECT_NE(out.find("                 N/A      1 (null)               (JobHeldUser)\n"), out.npos);
}

TEST(Squeue, SortsByPartitionStateAndFallingPriorityByDefault) {
  JobViews jobs = {JobBuilder(1).running("n1", 1, 1s).build(), JobBuilder(2).held().build(),
                   JobBuilder(3).pending("Priority").build(),
                   JobBuilder(4).pending("Resources").build()};
  QueueOptions options;
  options.format = "%i";
  options.header = false;
  EXPECT_EQ(list(jobs, options), "3\n4\n2\n1\n");
  options.sort = "-i";
  EXPECT_EQ(list(jobs, options), "4\n3\n2\n1\n");
}

TEST(Squeue, WritesAWaitingArrayInOneLine) {
  EXPECT_EQ(listed({JobBuilder(12).array("2-5", 2).build()}, "%i %F %K"), "12_[2-5%2] 12 2-5%2\n");
  EXPECT_EQ(listed({JobBuilder(12).array("0,3,6,9", 0).build()}, "%i"), "12_[0,3,6,9]\n");
  EXPECT_EQ(listed({JobBuilder(12).array("0-15:3", 3).build()}, "%i"), "12_[0-15:3%3]\n");
  EXPECT_EQ(listed({JobBuilder(12).array("7", 0).build()}, "%i"), "12_[7]\n");
  EXPECT_EQ(listed({JobBuilder(15).task(12, 0).build()}, "%i %A %F %K"), "12_0 15 12 0\n");
}

TEST(Squeue, CutsLongTaskListsAtTheLimit) {
  IdSet tasks = *IdSet::parse("1,3,5,7,9,11,13,15,17,19,21,32");
  EXPECT_EQ(task_set_text(tasks, 3, 20), "1,3,5,7,9,11,13,...%3");
  EXPECT_EQ(task_set_text(tasks, 3, 0), "1,3,5,7,9,11,13,15,17,19,21,32%3");
}

TEST(Squeue, ListsArraysTaskByTaskOnRequest) {
  QueueOptions options;
  options.format = "%i %K";
  options.header = false;
  JobViews jobs = {JobBuilder(12).array("0-3", 2).build()};
  options.array = true;
  EXPECT_EQ(list(jobs, options), "12_0 0\n12_1 1\n12_2 2\n12_3 3\n");
  options.array = false;
  options.filter.jobs = {*wire::parse_job_ref("12_2")};
  EXPECT_EQ(list(jobs, options), "12_2 2\n");
  options.filter.jobs = {*wire::parse_job_ref("12_9")};
  EXPECT_EQ(list(jobs, options), "");
}

TEST(Squeue, ShowsTasksThatWaitApartWithTheRestOfTheirArray) {
  QueueOptions options;
  options.format = "%i %r";
  options.header = false;
  options.sort = "i";
  JobBuilder array(12);
  array.array("4-6", 0).pending("Priority");
  JobViews jobs = {array.build(), JobBuilder(13).task(12, 1).held().build(),
                   JobBuilder(14).task(12, 2).pending("Priority").build(),
                   JobBuilder(15, "renamed").task(12, 3).held().build(),
                   JobBuilder(16).task(12, 7).running("n1", 1, 1s).build()};
  EXPECT_EQ(list(jobs, options),
            "12_3 JobHeldUser\n12_7 None\n12_[1-2,4-6] Priority,JobHeldUser\n");
  options.filter.jobs = {*wire::parse_job_ref("12_[4-5]"), *wire::parse_job_ref("12_1")};
  EXPECT_EQ(list({jobs[0], jobs[1]}, options), "12_[1,4-5] Priority,JobHeldUser\n");
  options.filter.jobs = {*wire::parse_job_ref("12")};
  options.array = true;
  EXPECT_EQ(list({jobs[0], jobs[1]}, options),
            "12_1 JobHeldUser\n12_4 Priority\n12_5 Priority\n12_6 Priority\n");
}

TEST(Squeue, SaysWhyAJobFailedAndWhereOthersRan) {
  EXPECT_EQ(
      listed(
          {JobBuilder(1).running("n1", 1, 9s).ended(JobState::failed, "NonZeroExitCode").build()},
          "%R|%r|%t"),
      "(NonZeroExitCode)|NonZeroExitCode|F\n");
  EXPECT_EQ(
      listed({JobBuilder(1).running("n1", 1, 9s).ended(JobState::timeout, "TimeLimit").build()},
             "%R %T"),
      "(TimeLimit) TIMEOUT\n");
  EXPECT_EQ(
      listed({JobBuilder(1).running("n1", 1, 9s).ended(JobState::completed, "").build()}, "%R %r"),
      "n1 None\n");
  JobBuilder cancelled(1);
  EXPECT_EQ(listed({cancelled.held().ended(JobState::cancelled, "").build()}, "%R|%r"),
            "|JobHeldUser\n");
}

TEST(Squeue, PrintsTheDetailOfAReason) {
  JobBuilder job(1);
  job.pending("ReqNodeNotAvail").view.reason_detail = "ReqNodeNotAvail, UnavailableNodes:n3";
  EXPECT_EQ(listed({job.build()}, "%R"), "(ReqNodeNotAvail, UnavailableNodes:n3)\n");
}

TEST(Squeue, ShowsACompletingJobWithTheNodesThatAreLeft) {
  JobBuilder job(1);
  job.running("n[1-2]", 2, 9s).ended(JobState::completed, "").job.run.edit().unfinished = {
      NodeId{1}};
  EXPECT_EQ(listed({job.build()}, "%t %T %D %C"), "CG COMPLETING 1 2\n");
}

TEST(Squeue, CutsReasonsButNotNodeLists) {
  EXPECT_EQ(listed({JobBuilder(1).running("n[1-2]", 2, 9s).build(), JobBuilder(2).held().build()},
                   "%.3R"),
            "n[1-2]\n(Jo\n");
}

TEST(Squeue, PrintsWhatMonitorsAskFor) {
  JobBuilder job(35, "fmt");
  job.running("n[1-2]", 2, 5s);
  job.spec.gres = "gpu:1";
  job.spec.memory_per_node_mib = 100;
  job.spec.comment = "cm";
  job.spec.work_dir = "/w";
  job.job.time_limit = Minutes{30};
  job.job.account = "root";
  job.view.batch_host = "n1";
  EXPECT_EQ(
      listed(
          {job.build()},
          "%i|%A|%F|%j|%u|%U|%P|%t|%T|%D|%C|%N|%R|%r|%l|%m|%b|%k|%a|%y|%n|%x|%B|%Z|%o|%E|%h|%L|%M"),
      "35|35|35|fmt|root|0|batch|R|RUNNING|2|4|n[1-2]|n[1-2]|None|30:00|100M|gres:gpu:1|cm|root|0||"
      "|n1|/w|(null)|"
      "(null)|OK|29:55|0:05\n");
}

TEST(Squeue, PrintsColumnsByName) {
  QueueOptions options;
  options.long_format = "JobID:10,name:6,State:10,NumNodes:4,tres-alloc:40,StdOut:|";
  options.header = false;
  JobBuilder job(35, "fmt");
  job.running("n[1-2]", 2, 5s).spec.work_dir = "/w";
  EXPECT_EQ(
      list({job.build()}, options),
      "35        fmt   RUNNING   2   cpu=4,mem=200M,node=2,billing=4         /w/slurm-35.out|\n");
}

TEST(Squeue, HasEveryColumnOnce) {
  for (std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
       char letter : letters)
    EXPECT_TRUE(find_letter(job_fields(), letter)) << letter;
  for (const Field<JobRow>& field : job_fields()) {
    const Listed& as = field.listed;
    const bool letter_is_its_own = !as.letter || find_letter(job_fields(), as.letter) == &field;
    const bool name_is_its_own = as.name.empty() || find_name(job_fields(), as.name) == &field;
    const bool label_is_its_own =
        field.shown.label.empty() || find_label(job_fields(), field.shown.label) == &field;
    EXPECT_TRUE(letter_is_its_own && name_is_its_own && label_is_its_own)
        << as.letter << as.name << field.shown.label;
  }
}

TEST(Squeue, ListsRunningSteps) {
  JobBuilder job(35, "fmt");
  job.running("n[1-2]", 2, 9s);
  Step step;
  step.name = "sleep";
  step.started = kNow - 6s;
  step.nodes = {{NodeId{0}, {0}, {}}, {NodeId{1}, {1}, {}}};
  Step batch = step, over = step;
  batch.id = kBatchStep;
  batch.name = "batch";
  batch.nodes = {{NodeId{0}, {0}, {}}};
  over.id = StepId{1};
  over.state = JobState::completed;
  job.job.run.edit().steps = {{step.id, step}, {batch.id, batch}, {over.id, over}};
  QueueOptions options;
  options.steps = true;
  EXPECT_EQ(list({job.build()}, options),
            "         STEPID     NAME PARTITION     USER      TIME NODELIST\n"
            "           35.0    sleep     batch     root      0:06 n[1-2]\n"
            "       35.batch    batch     batch     root      0:06 n1\n");
  options.filter.jobs = {*wire::parse_job_ref("35.0")};
  options.header = false;
  EXPECT_EQ(list({job.build()}, options),
            "           35.0    sleep     batch     root      0:06 n[1-2]\n");
}

TEST(SqueueStates, DefaultToJobsThatWaitOrAreActive) {
  auto wanted = wanted_states({});
  ASSERT_TRUE(wanted);
  EXPECT_TRUE(!wanted->all && wanted->completing && wanted->special_exit);
  EXPECT_EQ(wanted->states, (std::set{JobState::pending, JobState::running, JobState::suspended}));
  EXPECT_FALSE(wanted->are_none());
}

TEST(SqueueStates, TakeNamesAndCodesInAnyCase) {
  auto wanted = wanted_states({"pd", "Running", "F"});
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->states, (std::set{JobState::pending, JobState::running, JobState::failed}));
  EXPECT_TRUE(wanted_states({"all"})->all);
  EXPECT_TRUE(wanted_states({"CG"})->completing);
  EXPECT_TRUE(wanted_states({"CF"})->are_none());
  auto bad = wanted_states({"bogus"});
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().text.starts_with("squeue: error: Invalid job state specified: bogus\n"));
}

TEST(SqueueOptions, TakeIdsWithAndWithoutABlank) {
  for (auto words : {std::vector<const char*>{"-j12,13_4"},
                     {"-j", "12,13_4"},
                     {"--jobs=12,13_4"},
                     {"--job", "12,13_4"}}) {
    auto options = words.size() == 1 ? parse({words[0]}) : parse({words[0], words[1]});
    ASSERT_TRUE(options);
    ASSERT_EQ(options->filter.jobs.size(), 2u);
    EXPECT_EQ(wire::job_ref_text(options->filter.jobs[1]), "13_4");
  }
  auto steps = parse({"-s", "-h", "-j", "3"});
  ASSERT_TRUE(steps);
  EXPECT_TRUE(steps->steps && !steps->header);
  auto bad = parse({"-j", "abc"});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error(), (Refusal{"squeue: error: Invalid job id: abc\n", 1}));
}

TEST(SqueueOptions, RefuseTwoFormats) {
  auto bad = parse({"-o", "%i", "-O", "JobID"});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().text, "squeue: error: -O (--Format) is incompatible with -o (--format)\n");
}

TEST(SqueueOptions, YieldToTheCommandLineWhatTheEnvironmentSays) {
  setenv("SQUEUE_FORMAT", "%j", 1);
  setenv("SQUEUE_STATES", "R", 1);
  EXPECT_EQ(parse({})->format, "%j");
  EXPECT_EQ(parse({})->states, std::vector<std::string>{"R"});
  EXPECT_EQ(parse({"-O", "Name", "-t", "PD"})->format, "");
  EXPECT_EQ(parse({"-O", "Name", "-t", "PD"})->states, std::vector<std::string>{"PD"});
  unsetenv("SQUEUE_FORMAT");
  unsetenv("SQUEUE_STATES");
}

TEST(Squeue, RefusesAnUnknownSortKey) {
  QueueOptions options;
  options.sort = "i,?";
  auto listing = make_listing(options);
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().text, "squeue: error: Invalid sort specification: ?\n");
}

TEST(SqueueJson, HasTheReferencesTopKeys) {
  QueueContext context;
  context.now = kNow;
  std::string out = queue_json({JobBuilder(35, "fmt").running("n1", 1, 5s).build()}, context);
  for (std::string_view part :
       {"\"meta\"", "\"errors\": []", "\"jobs\": [", "\"job_id\": 35", "\"job_state\": \"RUNNING\"",
        "\"nodes\": \"n1\"", "\"time_limit\": null"})
    EXPECT_NE(out.find(part), out.npos) << part;
}

TEST(SqueueOptions, AListOfJobsMayBeTheNextWord) {
  EXPECT_EQ(parse({"-j", "12,13_[1,4]", "-h"})->filter.jobs.size(), 2u);
  EXPECT_EQ(parse({"-j12"})->filter.jobs.size(), 1u);
  auto steps = parse({"-s", "-h"});
  EXPECT_TRUE(steps->steps && steps->filter.jobs.empty() && !steps->header);
}

TEST(SqueueOptions, ASingularAndItsPluralAreOneOption) {
  EXPECT_EQ(parse({"--part", "a,b"})->filter.partitions.size(), 2u);
  EXPECT_EQ(parse({"--partitions=a"})->filter.partitions.size(), 1u);
  EXPECT_EQ(parse({"--arr"}).error().text,
            "squeue: option '--arr' is ambiguous; possibilities: '--array' '--array-unique'\n"
            "Try \"squeue --help\" for more information\n");
}

}  // namespace
}  // namespace muster::cli
