#include "store/checkpoint/manifest.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/fake_files.h"

namespace ps {
namespace {

SavedPart PartOf(const std::string& name, const Range& range) {
  SavedPart part;
  part.name = name;
  part.spec_digest = 5;
  part.num_units = 10;
  part.range = range;
  part.num_rows = range.size();
  part.has_rounds = true;
  part.rounds_closed = 20;
  part.position = 64;
  part.bytes = 100;
  part.digest = 77;
  return part;
}

Manifest Valid() {
  Manifest manifest;
  manifest.step = 7;
  manifest.epoch = 2;
  manifest.saved_at_ms = 1700000000000;
  manifest.shards = {{0, 264, {PartOf("a", Range(0, 5))}},
                     {1, 264, {PartOf("a", Range(5, 10)), PartOf("b", Range(0, 10))}}};
  return manifest;
}

template <typename Change>
std::string WhyNot(const Change& change) {
  Manifest manifest = Valid();
  EXPECT_TRUE(manifest.Validate().ok()) << manifest.Validate();
  change(&manifest);
  const Status status = manifest.Validate();
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument);
  return status.message();
}

TEST(ManifestTest, NamesWhatIsMissingOrDoubled) {
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards.clear(); }),
            "a checkpoint needs the files of all servers, there are none");
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards.erase(m->shards.begin()); }),
            "a checkpoint needs one file of each server from 0 on: that of server 0 is missing");
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards[1].server = 0; }),
            "a checkpoint needs one file of each server from 0 on: that of server 1 is missing");
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards.pop_back(); }), "table `a` lacks rows from 5 on, of 10");
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards[0].parts.clear(); }), "table `a` lacks rows from 0 on, of 10");
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards[1].parts[0].range = Range(4, 10); }),
            "table `a` has rows from 4 on twice, the second time on server 1");
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards[1].parts[0].range = Range(6, 10); }),
            "table `a` lacks rows from 5 on, of 10");
}

TEST(ManifestTest, AllServersSaveTheSameTableAtTheSameRound) {
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards[0].parts[0].spec_digest = 6; }),
            "table `a` is not the same on server 0 and server 1");
  EXPECT_EQ(WhyNot([](Manifest* m) { m->shards[0].parts[0].rounds_closed = 19; }),
            "table `a` is at round 19 on server 0 and at round 20 on server 1");
  EXPECT_EQ(WhyNot([](Manifest* m) {
              m->shards[0].parts[0].rounds_closed = 19;
              m->shards[0].parts[0].has_rounds = m->shards[1].parts[0].has_rounds = false;
            }),
            "");
}

TEST(ManifestTest, APartLiesWithinItsFile) {
  EXPECT_NE(WhyNot([](Manifest* m) { m->shards[0].parts[0].position = 265; }), "");
  EXPECT_NE(WhyNot([](Manifest* m) { m->shards[0].parts[0].bytes = 201; }), "");
  EXPECT_NE(WhyNot([](Manifest* m) { m->shards[0].parts[0].bytes = ~std::uint64_t{0}; }), "");
  EXPECT_NE(WhyNot([](Manifest* m) { m->shards[0].parts[0].range = Range(0, 0); }), "");
  EXPECT_NE(WhyNot([](Manifest* m) { m->shards[0].parts[0].range = Range(0, 11); }), "");
}

TEST(ManifestTest, IsWrittenOnceAndReadBack) {
  FakeFiles files;
  ASSERT_TRUE(WriteManifest(&files, Valid()).ok());
  const Result<Manifest> again = ReadManifest(&files, 7);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(EncodeManifest(again.value()), EncodeManifest(Valid()));
  EXPECT_EQ(again.value().shards[1].parts[1].name, "b");
  EXPECT_EQ(WriteManifest(&files, Valid()).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(ReadManifest(&files, 8).status().code(), StatusCode::kNotFound);
  files.files["8/MANIFEST"] = files.files["7/MANIFEST"];
  EXPECT_EQ(ReadManifest(&files, 8).status(),
            Status::InvalidArgument("fake:8/MANIFEST is damaged at byte 0: it is that of step 7"));
  files.files["7/MANIFEST"] += "x";
  EXPECT_EQ(ReadManifest(&files, 7).status().message(), "fake:7/MANIFEST is damaged at byte 0: more follows");
}

TEST(ManifestTest, WhatIsNotCompleteIsNotCommitted) {
  FakeFiles files;
  Manifest manifest = Valid();
  manifest.shards.pop_back();
  EXPECT_EQ(WriteManifest(&files, manifest).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(files.files.empty());
  files.failing_call = files.num_calls;
  EXPECT_EQ(WriteManifest(&files, Valid()).code(), StatusCode::kUnavailable)
      << "whether there is one is not known";
  EXPECT_TRUE(files.files.empty());
}

}  // namespace
}  // namespace ps
