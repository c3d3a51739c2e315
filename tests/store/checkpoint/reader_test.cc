#include "store/checkpoint/reader.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/updater.h"
#include "store/shard.h"
#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/fake_files.h"

namespace ps {
namespace {

const std::vector<TableToSave> kTables = TwoTables();
const Range kAllSlots(0, Partition::kNumSlots);

std::unique_ptr<CheckpointReader> ReaderOf(FakeFiles* files) {
  Result<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(files, 1);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return std::move(reader.value());
}

// tbl-vec-80, tbl-vec-81: as far as files decide it.
TEST(CheckpointReaderTest, EveryServerOfAnotherNumberGetsItsRowsOnce) {
  for (const int saved_by : {1, 2, 3, 7}) {
    FakeFiles files;
    ASSERT_TRUE(Save(&files, 1, saved_by, kTables).ok());
    const auto reader = ReaderOf(&files);
    EXPECT_EQ(reader->Tables(), (std::vector<std::string>{"dense", "hash"}));
    for (const int read_by : {1, 2, 3, 7, 60}) {
      const Partition dense(kTables[0].spec, read_by, false);
      const Partition hash(kTables[1].spec, read_by, false);
      std::size_t num_keys = 0;
      for (int server = 0; server < read_by; ++server) {
        const Range rows = dense.RangeOf(server);
        const Range slots = hash.RangeOf(server);
        EXPECT_EQ(CountRight<float>(reader.get(), kTables[0], rows).value(), rows.size());
        num_keys += CountRight<double>(reader.get(), kTables[1], slots).value();
      }
      EXPECT_EQ(num_keys, kTables[1].num_keys) << saved_by << " " << read_by;
    }
  }
}

// A table on servers with real shards.
struct Servers {
  Servers(const TableSpec& spec, int count)
      : updater(std::move(MakeUpdater(spec.updater, spec.updater_options, {spec.dtype, 1}).value())),
        partition(spec, count, false) {
    for (int server = 0; server < count; ++server) {
      ShardPlan plan;
      plan.spec = &spec;
      plan.updater = updater.get();
      plan.first_row = partition.RangeOf(server).begin();
      plan.num_rows = partition.RangeOf(server).size();
      shards.push_back(std::move(MakeShard(plan).value()));
    }
  }

  // The same contribution to each of the keys.
  void Push(const std::vector<std::uint64_t>& keys, float delta) {
    SplitKeys split;
    ASSERT_TRUE(partition.Split(keys.data(), keys.size(), &split).ok());
    const std::vector<float> deltas(keys.size(), delta);
    for (std::size_t server = 0; server < shards.size(); ++server) {
      const std::size_t begin = split.begins[server];
      const RowSet rows = RowSet::List(split.keys.data() + begin, split.begins[server + 1] - begin);
      ASSERT_TRUE(shards[server]->Update(rows, deltas.data(), {}).ok());
    }
  }
  float Value(std::uint64_t key) const {
    float value = 0;
    shards[static_cast<std::size_t>(partition.ServerOf(key))]->Read(RowSet::List(&key, 1), &value);
    return value;
  }

  std::unique_ptr<Updater> updater;
  Partition partition;
  std::vector<std::unique_ptr<Shard>> shards;
};

void SaveShards(const Servers& servers, const TableSpec& spec, FakeFiles* files) {
  Manifest manifest;
  manifest.step = 1;
  for (std::size_t server = 0; server < servers.shards.size(); ++server) {
    const auto writer = std::move(CheckpointWriter::Create(files, 1, static_cast<int>(server)).value());
    const Range range = servers.partition.RangeOf(static_cast<int>(server));
    ASSERT_TRUE(writer->BeginTable(RecordOf(spec, servers.updater->NumStates(), range)).ok());
    const Shard& shard = *servers.shards[server];
    ASSERT_TRUE(shard.ForEachPiece([&](const Shard::Piece& piece) { return writer->Add(piece); }).ok());
    ASSERT_TRUE(writer->EndTable().ok());
    manifest.shards.push_back(writer->Finish().value());
  }
  ASSERT_TRUE(WriteManifest(files, manifest).ok());
}

// tbl-vec-80, tbl-vec-81
TEST(CheckpointReaderTest, AnotherNumberOfServersGoesOnAsIfNothingHadHappened) {
  for (const TableSpec::Kind kind : {TableSpec::kDense, TableSpec::kHash}) {
    TableSpec spec = kind == TableSpec::kHash ? HashSpec("t", 1) : DenseSpec("t", 10000, 1);
    spec.dtype = DType::kF32;
    spec.updater = "ftrl";
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < 10000; i += 3) keys.push_back(kind == TableSpec::kHash ? HashKey(i) : i);
    Servers two(spec, 2);
    for (const float delta : {3.0f, -2.0f, 4.0f}) two.Push(keys, delta);
    FakeFiles files;
    SaveShards(two, spec, &files);
    Servers three(spec, 3);
    for (int server = 0; server < 3; ++server) {
      Shard& shard = *three.shards[static_cast<std::size_t>(server)];
      const Status status =
          ReaderOf(&files)->ForEachPiece("t", three.partition.RangeOf(server),
                                         [&](const Shard::Piece& piece) { return shard.Restore(piece); });
      ASSERT_TRUE(status.ok()) << status;
    }
    two.Push(keys, 0.5f);
    three.Push(keys, 0.5f);
    ASSERT_NE(two.Value(keys[1]), 0) << "the rule does nothing";
    for (const std::uint64_t key : keys) ASSERT_EQ(three.Value(key), two.Value(key)) << key;
  }
}

TEST(CheckpointReaderTest, KnowsWhatTheServersKnewWhoseRowsItReads) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, kTables).ok());
  const auto reader = ReaderOf(&files);
  EXPECT_EQ(reader->manifest().epoch, 3u);
  const Result<TableRecord> first = reader->Find("dense", Range(0, 5));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first.value().spec == kTables[0].spec);
  EXPECT_EQ(first.value().num_states, 2);
  EXPECT_EQ(first.value().range, Range(0, 5));
  EXPECT_EQ(first.value().version, 100u);
  const Result<TableRecord> both = reader->Find("dense");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both.value().range, Range(0, 50));
  EXPECT_EQ(both.value().version, 125u);
  EXPECT_EQ(both.value().num_updates, 75u);
  EXPECT_EQ(both.value().gate.version, 20u);
  ASSERT_EQ(both.value().gate.clocks.size(), 2u);
  EXPECT_EQ(both.value().gate.clocks[0].last, GateState::kStays);
  EXPECT_EQ(both.value().gate.clocks[1].completed, 20u) << "20 on one server, 45 on the other";
}

TEST(CheckpointReaderTest, WhatIsNotInItIsSaid) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, kTables).ok());
  const auto reader = ReaderOf(&files);
  EXPECT_EQ(reader->Find("other").status(), Status::NotFound("fake:1/MANIFEST has no table `other`"));
  EXPECT_EQ(reader->Verify("dense", Range(0, 51)),
            Status::InvalidArgument("table `dense` was saved with 50 rows: there are none from 0 to 51"));
  EXPECT_EQ(CheckpointReader::Open(&files, 2).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(reader->Verify("dense", Range(7, 7)).ok());
  EXPECT_FALSE(reader->Find("dense", Range(7, 7)).ok());
}

TEST(CheckpointReaderTest, ReadsNoMoreThanItsRange) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, {{DenseSpec("dense", 2000, 50), 0, 0}}).ok());
  const auto reader = ReaderOf(&files);
  files.num_read = 0;
  EXPECT_TRUE(reader->Verify("dense", Range(10, 12)).ok());
  EXPECT_LT(files.num_read, 20000u) << "of " << files.files["1/shard-0"].size();
}

// tbl-vec-82, R5: each of these is found, named, and found before anything is handed out by Verify.
TEST(CheckpointReaderTest, EveryFlippedByteOfAShardFileIsFound) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, {{DenseSpec("dense", 20, 1), 1, 0}, {HashSpec("hash", 1), 0, 9}}).ok());
  const std::string text = files.files["1/shard-1"];
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string& damaged = files.files["1/shard-1"];
    damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto reader = ReaderOf(&files);
    const Status dense = reader->Verify("dense", Range(0, 20));
    const Status hash = reader->Verify("hash", kAllSlots);
    const Status& status = dense.ok() ? hash : dense;
    ASSERT_EQ(status.code(), StatusCode::kInvalidArgument) << at << " of " << text.size() << ": " << status;
    ASSERT_NE(status.message().find("fake:1/shard-1 is"), std::string::npos) << status;
  }
}

TEST(CheckpointReaderTest, EveryTruncationOfAShardFileIsFound) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 1, {{DenseSpec("dense", 20, 1), 1, 0}}).ok());
  const std::string text = files.files["1/shard-0"];
  for (std::size_t size = 0; size < text.size(); ++size) {
    files.files["1/shard-0"] = text.substr(0, size);
    const Status status = ReaderOf(&files)->Verify("dense", Range(0, 20));
    ASSERT_EQ(status.code(), StatusCode::kFailedPrecondition) << size << ": " << status;
    ASSERT_NE(status.message().find("is cut off at byte"), std::string::npos) << status;
  }
}

TEST(CheckpointReaderTest, AMissingForeignOrExchangedFileIsNamed) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, kTables).ok());
  const auto verify = [&files] { return ReaderOf(&files)->Verify("dense", Range(0, 50)); };
  EXPECT_TRUE(verify().ok());
  const std::string first = std::exchange(files.files["1/shard-0"], files.files["1/shard-1"]);
  EXPECT_EQ(verify(), Status::InvalidArgument(
                          "fake:1/shard-0 is damaged at byte 0: it is that of server 1 and step 1"));
  files.files["1/shard-0"] = "#!/bin/sh";
  EXPECT_EQ(verify(), Status::InvalidArgument("fake:1/shard-0 is no file of a checkpoint"));
  files.files.erase("1/shard-0");
  EXPECT_EQ(verify(), Status::NotFound("fake:1/shard-0 is not there"));
  // Another try to save the same step left its file: whole, but not the one that the manifest is about.
  std::vector<TableToSave> changed = kTables;
  changed[0].spec.updater_options = {{"rate", "0.2"}};
  ASSERT_TRUE(SaveServer(&files, 1, 0, 2, changed).ok());
  EXPECT_NE(verify().message().find("of another save"), std::string::npos) << verify();
  changed = {{kTables[0].spec, 1, 0}, kTables[1]};
  ASSERT_TRUE(SaveServer(&files, 1, 0, 2, changed).ok());
  EXPECT_EQ(verify().code(), StatusCode::kInvalidArgument);
  files.files["1/shard-0"] = first;
  EXPECT_TRUE(verify().ok());
}

TEST(CheckpointReaderTest, WhateverCallFailsIsPassedOn) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, kTables).ok());
  const auto reader = ReaderOf(&files);
  const std::uint64_t before = files.num_calls;
  ASSERT_TRUE(reader->Verify("dense", Range(0, 50)).ok());
  const std::uint64_t calls = files.num_calls - before;
  for (std::uint64_t call = 0; call < calls; ++call) {
    const auto again = ReaderOf(&files);
    files.failing_call = files.num_calls + call;
    EXPECT_EQ(again->Verify("dense", Range(0, 50)).code(), StatusCode::kUnavailable) << call;
    EXPECT_TRUE(again->Verify("dense", Range(0, 50)).ok()) << "once it is over";
  }
}

TEST(CheckpointReaderTest, EndsWhereItsReaderDoes) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, kTables).ok());
  const auto reader = ReaderOf(&files);
  int pieces = 0;
  const Status full = Status::ResourceExhausted("full");
  EXPECT_EQ(reader->ForEachPiece("dense", Range(0, 50),
                                 [&](const Shard::Piece&) { return ++pieces == 3 ? full : Status::Ok(); }),
            full);
  EXPECT_EQ(pieces, 3);
}

}  // namespace
}  // namespace ps
