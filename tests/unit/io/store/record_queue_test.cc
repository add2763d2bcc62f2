// RecordQueue: records wait in their order until they are stored elsewhere, also after a restart.
#include "io/store/record_queue.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"
#include "io/store_fixture.h"
#include "wire/dbd.h"

namespace muster::io {

namespace {

std::unique_ptr<RecordQueue> open_queue(const TempDir& dir) {
  auto queue = RecordQueue::open(dir.path() + "/queue.db");
  EXPECT_TRUE(queue) << queue.error().text();
  return queue ? std::move(*queue) : nullptr;
}

std::vector<AccountingRecord> record_of(std::uint32_t job, Text name = "short") {
  return {JobRecord{.job = JobId{job}, .name = std::move(name)}};
}

std::uint32_t job_of(const RecordQueue::Waiting& waiting) {
  auto batch = decode<wire::RecordBatch>(waiting.records);
  EXPECT_TRUE(batch);
  return std::get<JobRecord>(batch->records.front()).job.value;
}

}  // namespace

TEST(RecordQueue, KeepsRecordsInOrderUntilTheyAreDropped) {
  TempDir dir;
  std::string stream;
  {
    auto queue = open_queue(dir);
    stream = queue->stream();
    EXPECT_EQ(stream.size(), 32u);
    ASSERT_TRUE(queue->ingest(record_of(1), 10));
    ASSERT_TRUE(queue->ingest(record_of(2), 20));
    ASSERT_TRUE(queue->ingest({}, 30));  // nothing to send, but a later batch of the journal
  }
  auto queue = open_queue(dir);
  EXPECT_EQ(queue->stream(), stream);
  EXPECT_EQ(queue->last(), 30u);
  EXPECT_EQ(queue->last_number(), 2u);
  EXPECT_EQ(queue->waiting_rows(), 2u);
  auto first = queue->first(0);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->number, 1u);
  EXPECT_EQ(job_of(**first), 1u);
  ASSERT_TRUE(queue->drop_through(1));
  first = queue->first(0);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->number, 2u);
  EXPECT_EQ(job_of(**first), 2u);
  EXPECT_EQ(queue->waiting_rows(), 1u);
  ASSERT_TRUE(queue->drop_through(2));
  EXPECT_FALSE(*queue->first(0));
}

TEST(RecordQueue, NeverUsesANumberTwice) {
  TempDir dir;
  {
    auto queue = open_queue(dir);
    ASSERT_TRUE(queue->ingest(record_of(1), 10));
    ASSERT_TRUE(queue->drop_through(1));
  }
  auto queue = open_queue(dir);
  ASSERT_TRUE(queue->ingest(record_of(2), 20));
  auto first = queue->first(0);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->number, 2u);
}

TEST(RecordQueue, BeginsAStreamWithTheBatchesThatWait) {
  TempDir dir;
  std::string before;
  {
    auto queue = open_queue(dir);
    before = queue->stream();
    ASSERT_TRUE(queue->ingest(record_of(1), 10));
    ASSERT_TRUE(queue->begin_stream());
    EXPECT_NE(queue->stream(), before);
  }
  auto queue = open_queue(dir);
  EXPECT_NE(queue->stream(), before);
  EXPECT_EQ(queue->waiting_rows(), 1u);
  EXPECT_EQ((*queue->first(0))->number, 1u);
}

TEST(RecordQueue, GoesOnAboveWhatCouldNotBeDropped) {
  TempDir dir;
  auto queue = open_queue(dir);
  ASSERT_TRUE(queue->ingest(record_of(1), 10));
  ASSERT_TRUE(queue->ingest(record_of(2), 20));
  EXPECT_EQ((*queue->first(1))->number, 2u);
  EXPECT_FALSE(*queue->first(2));
}

TEST(RecordQueue, CutsManyRecordsIntoBatchesThatFitIntoAFrame) {
  TempDir dir;
  auto queue = open_queue(dir);
  std::vector<AccountingRecord> many;
  for (std::uint32_t job = 1; job <= 9; ++job)
    many.push_back(record_of(job, Text(std::string(1 << 20, 'x'))).front());
  ASSERT_TRUE(queue->ingest(many, 5));
  EXPECT_GE(queue->last_number(), 2u);
  EXPECT_EQ(queue->waiting_rows(), 9u);
  auto first = queue->first(0);
  ASSERT_TRUE(first && *first);
  EXPECT_LT((*first)->records.size(), std::size_t{16} << 20);
}

}  // namespace muster::io
