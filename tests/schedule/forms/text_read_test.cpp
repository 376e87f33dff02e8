// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "schedule/forms/documents.hpp"

namespace quadrille {
namespace {

using ::testing::HasSubstr;

const std::string head = "quadrille-schedule-text/1\ncollective alltoall\nranks 2\nblock_bytes 8\n";

TEST(Text, ReadsHandWrittenText) {
  const auto read = parse_documents(
      "\n# two ranks change places\r\n  quadrille-schedule-text/1   # the form\r\n"
      "block_bytes 8\nranks\t2\ncollective alltoall\nnodes 0\nnodes 1\n"
      "stage all first 0 rounds 1\n\n"
      "rank 0\nround 0\n"
      "send to 1 port 0 -1 input[8:8]\n receive from 1 output [ 8 : 4 * 2 / +4 ]# strided\n copy input[0:8]->output[0:8]\n"
      "rank 1 scratch 3");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].problem.nodes, (std::vector<Count>{0, 1}));
  EXPECT_EQ(read[0].algorithm, "");
  const Program program = read[0].program(0);
  EXPECT_EQ(program.stages, (std::vector<Stage>{{"all", 0, 1}}));
  ASSERT_EQ(program.rounds.size(), 1u);
  EXPECT_EQ(program.rounds[0].locals.size(), 1u);
  EXPECT_EQ(program.rounds[0].sends, (std::vector<Message>{{1, {{Buffer::input, 8, 8, {}}}, Port{0, -1}}}));
  EXPECT_EQ(program.rounds[0].receives, (std::vector<Message>{{1, {{Buffer::output, 8, 4, {{{2, 4}, {}, {}}}}}, {}}}));
  EXPECT_EQ(read[0].program(1).scratch_bytes, 3);
}

TEST(Text, ReadsDocumentsOneAfterTheOther) {
  const auto read = parse_documents(text_of(make_schedule(Problem::alltoall(3, 8), "shift")) +
                                    text_of(make_schedule(Problem::alltoall(4, 8), "bruck")));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].algorithm, "shift");
  EXPECT_EQ(read[1].problem.ranks, 4);
}

TEST(Text, SaysWhatIsWrongAndInWhichLine) {
  const std::string first = head + "rank 0\nround 0\n";  // lines 5 and 6
  const std::vector<std::pair<std::string, std::string>> cases{
      {" \n\t", "the document is empty"},
      {"hello", "line 1: expected 'quadrille-schedule-text/1' or a JSON document, found 'hello'"},
      {std::string("\0\xff", 2), "found '\\x00\\xff'"},
      {"quadrille-schedule-text/2", "found 'quadrille-schedule-text/2'"},
      {"quadrille-schedule-text/1 2", "line 1: expected the end of the line, found '2'"},
      {"quadrille-schedule-text/1\n", "line 2: expected 'collective' before this line, found none"},
      {"quadrille-schedule-text/1\ncollective alltoal", "line 2: expected a collective (alltoall, "},
      {"quadrille-schedule-text/1\ncollective alltoall\nrank 0", "line 3: expected 'ranks' before this line, found none"},
      {"quadrille-schedule-text/1\ncollective alltoall\nranks 2\nrank 0", "expected 'block_bytes' before this line"},
      {"quadrille-schedule-text/1\ncollective scatter\nranks 2\nblock_bytes 2\nrank 0", "expected 'root' before this line"},
      {"quadrille-schedule-text/1\ncollective alltoallv\nranks 2\nrank 0", "expected 'counts' before this line"},
      {"quadrille-schedule-text/1\nranks 0", "line 2: expected a number of ranks in 1..2^63-1, found '0'"},
      {"quadrille-schedule-text/1\nranks 9223372036854775808", "found '9223372036854775808'"},
      {"quadrille-schedule-text/1\nranks 2.5", "found '2.5'"},
      {"quadrille-schedule-text/1\nranks", "found the end of the line"},
      {"quadrille-schedule-text/1\nranks 2\nranks 2", "line 3: 'ranks' is given twice"},
      {"quadrille-schedule-text/1\nparameter a 1\nparameter a 2", "line 3: parameter 'a' is given twice"},
      {"quadrille-schedule-text/1\nparameter a ?", "line 2: expected a value, a 64-bit integer, found '?'"},
      {"quadrille-schedule-text/1\nalgorithm \"a", "line 2: expected a closing quote, found '\"a'"},
      {"quadrille-schedule-text/1\nalgorithm \"\xff\"", "line 2: expected a string in JSON notation"},
      {"quadrille-schedule-text/1\ncommutative maybe", "line 2: expected 'false', found 'maybe'"},
      {"quadrille-schedule-text/1\nsize 3", "line 2: expected a setting, a stage or a rank, found 'size'"},
      {"quadrille-schedule-text/1\n7", "line 2: expected a setting such as 'ranks 5', found '7'"},
      {head + "grid 0", "expected a side in 1.."},
      {head + "input_bytes 3\n", "line 6: expected 2 numbers in the 'input_bytes' above, found 1"},
      {head + "stage a first 0", "line 5: expected 'rounds', found the end of the line"},
      {head + "stage a first 9223372036854775807 rounds 1", "expected a number of rounds in 0..0, found '1'"},
      {head + "rank 0\n", "line 6: expected 'rank', found the end of the text"},
      {head + "rank 1\n", "line 5: expected the program of rank 0, found that of another rank"},
      {head + "rank 0\nrank 1\nrank 2\n", "line 7: expected the end of the document after 2 ranks, found 'rank 2'"},
      {head + "rank 0 scratch -1", "line 5: expected a number of bytes in 0.."},
      {first + "sned to 1", "line 7: expected copy, reduce, send, receive, control, round or rank, found 'sned to 1'"},
      {first + "send 1", "line 7: expected 'to', found '1'"},
      {first + "send to 1 middle[0:1]", "expected a region such as output[8:8] or scratch[0:4 *3/16], found 'middle[0:1]'"},
      {first + "send to 1 staging[0:1]", "expected a region"},
      {first + "send to 1 port 0 2 input[0:1]", "line 7: expected +1 or -1, found '2 input[0:1]'"},
      {first + "send to 1 input[0:-1]", "expected a length in 0..2^63-1, found '-1]'"},
      {first + "send to 1 input[0:1 *2]", "expected '/', found ']'"},
      {first + "send to 1 input[0:1 *1/1*1/1*1/1*1/1]", "line 7: expected at most 3 levels in a region, found more"},
      {first + "copy input[0:1] output[0:1]", "line 7: expected '->'"},
      {first + "reduce input[0:1] -> output[0:1]", "expected 'source-first' or 'target-first'"},
      {first + "control 1 5", "line 7: expected 'to', found '1 5'"},
      {first + "control to 1 -5", "expected a number of bytes in 0..2^63-1"},
      {head + "rank 0\nrank 1\nround -1", "line 7: expected a round in 0.."},
  };
  for (const auto& [text, sentence] : cases) EXPECT_THAT(refusal(text), HasSubstr(sentence)) << text;
}

TEST(Text, LargeNumbersTakeNoMemory) {
  EXPECT_THAT(refusal("quadrille-schedule-text/1\ncollective alltoall\nranks 1000000000000\nblock_bytes 0\nrank 0\n"),
              HasSubstr("line 6: expected 'rank'"));
  EXPECT_THROW(parse_documents("quadrille-schedule-text/1\ncollective alltoallv\nranks 4611686018427387904\ncounts 1\n"), Error);
  EXPECT_THROW(parse_documents("quadrille-schedule-text/1\ncollective alltoall\nranks 4611686018427387904\nblock_bytes 8\n"),
               Error);
  EXPECT_THAT(refusal(std::string(1 << 20, '\n') + "x"), HasSubstr("line 1048577:"));
  EXPECT_LT(refusal(std::string(1 << 20, 'x')).size(), 200u);
}

}  // namespace
}  // namespace quadrille
