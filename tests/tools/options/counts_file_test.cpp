// SPDX-License-Identifier: BSD-3-Clause
// Tests of files of counts: rows of numbers, and Matrix Market.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, CountsAreReadFromFiles) {
  const auto counts_of = [&](const Words& more) {
    Words words{"schedule", "alltoallv", "--algorithm", "shift", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(prints(words))["counts"];
  };
  const auto from_file = [&](const std::string& text) { return counts_of({"--counts", write("counts", text).string()}); };
  const Json expected = Json::parse("[[1, 0, 2048], [0, 5, 0], [7, 0, 0]]");
  EXPECT_EQ(from_file("# a comment\n1, 0 ,2KiB\r\n\n0,5,0\n7,0,0\n"), expected);
  EXPECT_EQ(from_file("%%MatrixMarket matrix coordinate integer general\n% more\n3 3 4\n1 1 1\n1 3 2048\n2 2 5\n3 1 7\n"),
            expected);
  EXPECT_EQ(from_file("%%MatrixMarket matrix array real general\n3 3\n1\n0\n7\n0\n5.0\n0\n2.048e3\n0\n0\n"), expected);
  EXPECT_EQ(from_file("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"), Json::parse("[[8, 8], [8, 0]]"));
  EXPECT_EQ(Json::parse(prints({"schedule", "gatherv", "--algorithm", "linear", "--ranks", "3", "--counts",
                                write("shares", "3\n0\n9\n").string(), "--json"}))["counts"],
            Json({3, 0, 9}));
  const auto refuses_file = [&](const std::string& text, const std::string& hint) {
    refuses({"verify", "alltoallv", "--ranks", "2", "--counts", write("bad", text).string()}, hint);
  };
  refuses_file("1,2\n3\n", "line 2: expected 2 numbers as in the rows before, found 1");
  refuses_file("1,2\n3,x\n", "line 2: 'x' is not a size");
  refuses_file("1,2\n3,-4\n", "line 2: the size '-4' is negative");
  refuses_file("1,2\n3,\n", "line 2: number 2 is missing");
  refuses_file("1,99999999999999999999\n3,4\n", "line 1");
  refuses_file("1,2,3\n4,5,6\n7,8,9\n", "a matrix for 3 ranks, not 2");
  refuses_file("1,2\n", "1 rows of 2 numbers");
  refuses_file("# nothing\n", "holds no numbers");
  refuses_file("%%MatrixMarket matrix coordinate complex general\n", "line 1: expected integer or real or pattern");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2\n", "line 2: expected rows, columns and entries");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2 1\n3 1 5\n", "line 3: the row is 3; it must be 1 to 2");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n1 1 5\n", "line 4: row 1, column 1 is there twice");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n", "expected 2 entries, found 1");
  refuses_file("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 0.5\n", "line 3: a number of bytes is whole");
  refuses_file("%%MatrixMarket matrix array integer general\n1 1\n5\n6\n", "line 4: expected the end");
  refuses({"verify", "alltoallv", "--ranks", "2", "--counts", "no-such-file"}, "cannot read 'no-such-file'");
}

// Shares are one row or one column.
TEST_F(CommandTest, SharesAreReadFromARowOrAColumn) {
  const auto counts_of = [&](const std::string& text) {
    return Json::parse(prints({"schedule", "gatherv", "--algorithm", "linear", "--ranks", "3", "--counts",
                               write("shares", text).string(), "--json"}))["counts"];
  };
  EXPECT_EQ(counts_of("3,0,9\n"), Json({3, 0, 9}));
  EXPECT_EQ(counts_of("3\n0\n9\n"), Json({3, 0, 9}));
  EXPECT_EQ(counts_of("%%MatrixMarket matrix coordinate integer general\n3 1 1\n3 1 9\n"), Json({0, 0, 9}));
  const auto refuses_shares = [&](const std::string& text, const std::string& hint) {
    refuses({"verify", "gatherv", "--ranks", "3", "--counts", write("bad", text).string()}, hint);
  };
  refuses_shares("1,2\n3,4\n", "has 2 rows of 2 numbers; the shares of the ranks are one row or one column");
  refuses_shares("1,2\n", "needs 3 counts");
}

// A symmetric matrix lists what is on and below the diagonal.
TEST_F(CommandTest, SymmetricMatricesAreMirrored) {
  const auto counts_of = [&](const std::string& text) {
    return Json::parse(
        prints({"schedule", "alltoallv", "--algorithm", "shift", "--json", "--counts", write("counts", text).string()}))["counts"];
  };
  EXPECT_EQ(counts_of("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n"), Json::parse("[[1, 2], [2, 3]]"));
  EXPECT_EQ(counts_of("%%MatrixMarket MATRIX Coordinate Integer Symmetric\n2 2 1\n2 1 7\n"), Json::parse("[[0, 7], [7, 0]]"));
  const auto refuses_file = [&](const std::string& text, const std::string& hint) {
    refuses({"verify", "alltoallv", "--ranks", "2", "--counts", write("bad", text).string()}, hint);
  };
  refuses_file("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n1 2 5\n",
               "line 3: a symmetric matrix lists what is on and below");
  refuses_file("%%MatrixMarket matrix coordinate integer symmetric\n2 3 1\n1 1 5\n", "line 2: a symmetric matrix has as many rows");
  refuses_file("%%MatrixMarket matrix array pattern general\n2 2\n", "line 1: an array has numbers, no pattern");
  refuses_file("%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n", "expected more numbers, found the end");
  refuses_file("%%MatrixMarket matrix coordinate integer general\n0 2 0\n", "line 2: the number of rows is 0; it must be 1 to");
}

}  // namespace
}  // namespace quadrille
