// squeue prints the same for brief views and lines of jobs as for whole views.
#include <gtest/gtest.h>

#include "cli/squeue/list.h"
#include "wire/brief.h"

namespace muster::cli {
namespace {

constexpr Time kSeenAt = from_unix_seconds(1'800'000'000);

// Sets every text and number, so that a column that loses something shows it.
struct Fill {
  std::uint32_t last = 0;
  void operator()(std::uint32_t, Text& text) { text = "text-" + std::to_string(++last); }
  void operator()(std::uint32_t, std::uint32_t& number) { number = ++last; }
  void operator()(std::uint32_t, std::optional<std::uint32_t>& number) { number = ++last; }
  void operator()(std::uint32_t, std::optional<std::uint64_t>& number) { number = ++last; }
  void operator()(std::uint32_t, std::vector<Text>& list) { list = {"a", "b"}; }
  void operator()(std::uint32_t, auto&) {}
};

JobRequest full_spec() {
  JobRequest spec;
  Fill fill;
  spec.fields(fill);
  spec.partition = "batch";
  spec.gres = spec.gpus = spec.gpus_per_node = spec.gpus_per_task = spec.gpus_per_socket = "";
  spec.licenses = "matlab:2";
  spec.distribution = "";
  spec.begin = kSeenAt + Minutes{5};
  spec.deadline = kSeenAt + Minutes{500};
  spec.time_limit = Minutes{60};
  return spec;
}

std::vector<Job> jobs() {
  Job waiting;
  waiting.id = JobId{7};
  waiting.take_request(full_spec());
  waiting.partition = "batch";
  waiting.account = "physics";
  waiting.qos = "high";
  waiting.time_limit = Minutes{60};
  waiting.submitted = waiting.eligible = kSeenAt - Minutes{3};
  waiting.accrues_since = kSeenAt - Minutes{2};
  waiting.priority = 1234;
  waiting.restarts = 2;
  Job array = waiting;
  array.array_id = array.id;
  array.waiting_tasks = *IdSet::parse("1-5");
  array.task_limit = 2;
  Job component = waiting;
  component.het_id = JobId{6};
  component.het_offset = 1;
  component.het_size = 2;
  Job running = waiting;
  running.state = JobState::running;
  running.attempt = Attempt{1};
  running.run.edit().started = kSeenAt - Minutes{1};
  running.run.edit().allocation = {
      {.node = NodeId{1}, .cpus = IdSet::range(0, 3), .memory_mib = 100},
      {.node = NodeId{2}, .cpus = IdSet::range(0, 1), .memory_mib = 100}};
  running.run.edit().unfinished = {NodeId{1}, NodeId{2}};
  running.run.edit().reservation = "maintenance";
  running.run.edit().steps[StepId{0}] = Step{};
  Job completing = running;
  completing.run.edit().ending =
      Ending{.becomes = JobState::cancelled, .since = kSeenAt, .reason = {}};
  completing.run.edit().unfinished = {NodeId{2}};
  Job ended = running;
  ended.state = JobState::failed;
  ended.run.edit().ended = kSeenAt;
  ended.run.edit().exit_status = 256;
  ended.end_reason = "NonZeroExitCode";
  ended.run.edit().unfinished = {};
  return {waiting, array, component, running, completing, ended};
}

Job shortened(const Job& job) {
  Job shown = wire::brief_of(job);
  shown.spec = Cow<JobSpec>(wire::brief_of(*job.spec));
  return shown;
}

wire::JobView view_of(Job job) {
  wire::JobView view{.job = Cow<Job>(std::move(job)), .reason = "Resources", .nodes = "n[1-2]"};
  view.expected_start = kSeenAt + Minutes{30};
  view.scheduled_nodes = "n3";
  view.last_evaluated = kSeenAt;
  view.dependency = "afterok:3(unfulfilled)";
  view.sharing = wire::Sharing::no;
  view.requested_cpus = 6;
  view.preemptable_since = kSeenAt;
  return view;
}

QueueJob queue_job(const wire::JobView& view) { return {line_of(*view.job, view, kSeenAt), &view}; }

void check_columns(const Job& job, const QueueJob& less, wire::Detail detail) {
  QueueContext context;
  context.now = kSeenAt;
  const wire::JobView view = view_of(job);
  const QueueJob whole = queue_job(view);
  FieldValue expected, got;
  for (const Field<JobRow>& field : job_fields()) {
    const bool is_listed = field.listed.letter != 0 || !field.listed.name.empty();
    if (!is_listed || field.how.mark.detail < detail) continue;
    EXPECT_EQ(listed_text(field, {&less, &context}, got),
              listed_text(field, {&whole, &context}, expected))
        << field.listed.header << " of a job that is " << state_name(job.state);
    if (field.how.key) {
      EXPECT_EQ(field.how.key({&less, &context}), field.how.key({&whole, &context}));
    }
  }
}

TEST(BriefViews, HaveWhatEveryColumnShowsThatIsContentWithThem) {
  for (const Job& job : jobs()) {
    const wire::JobView brief = view_of(shortened(job));
    check_columns(job, queue_job(brief), wire::Detail::brief);
  }
}

TEST(JobLines, HaveWhatEveryColumnShowsThatIsContentWithThem) {
  std::string bytes;
  wire::LineWriter writer;
  for (const Job& job : jobs()) writer.append(line_of(job, view_of(job), kSeenAt), bytes);
  wire::LineReader reader(bytes);
  QueueJobs lines;
  for (wire::JobLine line; reader.next(line);) lines.push_back({line});
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(lines.size(), jobs().size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    check_columns(jobs()[i], lines[i], wire::Detail::least);
}

TEST(JobLines, ThatAreCutOffAreRefused) {
  const Job job = jobs().front();
  const wire::JobView view = view_of(job);
  std::string bytes;
  wire::LineWriter().append(line_of(job, view, kSeenAt), bytes);
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    wire::LineReader reader(std::string_view(bytes).substr(0, size));
    wire::JobLine line;
    EXPECT_FALSE(reader.next(line)) << size;
    EXPECT_FALSE(reader.ok()) << size;
  }
}

TEST(BriefViews, AreAskedForUnlessAColumnOrTheOrderNeedsMore) {
  EXPECT_EQ(make_listing({})->detail, wire::Detail::least);
  QueueOptions account;
  account.format = "%i %a";
  EXPECT_EQ(make_listing(account)->detail, wire::Detail::brief);
  QueueOptions comment;
  comment.format = "%i %k";
  EXPECT_EQ(make_listing(comment)->detail, wire::Detail::all);
  QueueOptions sorted;
  sorted.sort = "Z";
  EXPECT_EQ(make_listing(sorted)->detail, wire::Detail::all);
  QueueOptions by_partition;
  by_partition.by_partition = true;
  EXPECT_EQ(make_listing(by_partition)->detail, wire::Detail::brief);
  QueueOptions steps;
  steps.steps = true;
  EXPECT_EQ(make_listing(steps)->detail, wire::Detail::all);
}

}  // namespace
}  // namespace muster::cli
