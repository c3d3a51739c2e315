#include "store/piece_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ps {
namespace {

constexpr std::size_t kMegabyte = 1 << 20;

TEST(PieceStreamTest, PiecesAreTogetherWhatWasWrittenInOrder) {
  std::string all;
  std::vector<std::size_t> sizes;
  PieceStream stream([&](const Shard::Piece& piece) {
    EXPECT_EQ(piece.rows.begin, all.size());
    EXPECT_EQ(piece.rows.count, piece.bytes);
    sizes.push_back(piece.bytes);
    all.append(static_cast<const char*>(piece.arrays), piece.bytes);
    return Status::Ok();
  });
  std::string written;
  for (int i = 0; i < 700; ++i) {
    const std::string line(static_cast<std::size_t>(i * 9), static_cast<char>('a' + i % 26));
    stream.Write(line.data(), line.size());
    written += line;
  }
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_EQ(all, written);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{kMegabyte, kMegabyte, written.size() - 2 * kMegabyte}));
}

TEST(PieceStreamTest, NothingWrittenIsNoPiece) {
  int num_pieces = 0;
  PieceStream stream([&](const Shard::Piece&) {
    ++num_pieces;
    return Status::Ok();
  });
  stream.Write("", 0);
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_EQ(num_pieces, 0);
}

TEST(PieceStreamTest, APieceThatIsNotTakenEndsItWhoeverCatchesThat) {
  int num_pieces = 0;
  PieceStream stream([&](const Shard::Piece&) {
    ++num_pieces;
    return Status::Unavailable("the disk is full");
  });
  const std::string much(3 * kMegabyte, 'x');
  EXPECT_THROW(stream.Write(much.data(), much.size()), Error);
  EXPECT_THROW(stream.Write("x", 1), Error);
  EXPECT_EQ(stream.Finish().code(), StatusCode::kUnavailable);
  EXPECT_EQ(num_pieces, 1);
}

TEST(PieceStreamTest, ItIsForWriting) {
  PieceStream stream([](const Shard::Piece&) { return Status::Ok(); });
  char byte = 0;
  EXPECT_THROW(stream.Read(&byte, 1), Error);
}

}  // namespace
}  // namespace ps
