// SPDX-License-Identifier: BSD-3-Clause
// What algorithms say of their rounds (Algorithm::says) agrees with the messages of these rounds: each number in a sentence, and
// the words for who sends.
#include "collectives/saying.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <regex>
#include <set>

#include "quadrille/error.hpp"
#include "quadrille/trace.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

// The messages of a round, and the problem.
struct SaidRound {
  Problem problem;
  Count columns = 1;  // of the grid
  std::vector<TracedMessage> messages;

  template <class Holds>
  bool all(Holds&& holds) const {
    return std::all_of(messages.begin(), messages.end(), holds);
  }
  std::set<Rank> ends(Rank TracedMessage::*end) const {
    std::set<Rank> ranks;
    for (const TracedMessage& message : messages) ranks.insert(message.*end);
    return ranks;
  }
  Count distance(const TracedMessage& message) const { return modulo(message.to - message.from, problem.ranks); }
  Count share() const {  // bytes of a block, or of the share that each rank has of a vector
    if (is_irregular(problem.collective)) return problem.counts->front();
    const bool is_vector = problem.collective == Collective::allreduce;
    return is_vector ? problem.block_bytes / problem.ranks : problem.block_bytes;
  }
  Bytes longest() const {
    Bytes bytes = 0;
    for (const TracedMessage& message : messages) bytes = std::max(bytes, message.bytes);
    return bytes;
  }
  bool is_on_node(const TracedMessage& message) const {
    return problem.nodes[index(message.from)] == problem.nodes[index(message.to)];
  }
};

using Numbers = std::vector<Count>;

struct Phrase {
  std::regex pattern;  // its groups are numbers
  std::function<bool(const SaidRound&, const Numbers&)> holds;
};

// The least power of `radix` for which this is the digit of the place.
Count worth(Count digit, Count place, Count radix) {
  for (; place > 0; --place) digit *= radix;
  return digit;
}

const std::vector<Phrase>& phrases() {
  static const std::vector<Phrase> all{
      {std::regex("(\\d+) messages? from every rank"),
       [](const SaidRound& round, const Numbers& n) {
         std::map<Rank, Count> sent;
         for (const TracedMessage& message : round.messages) ++sent[message.from];
         return std::all_of(sent.begin(), sent.end(), [&](const auto& entry) { return entry.second == n[0]; });
       }},
      {std::regex("at most (\\d+) messages? from a rank"),
       [](const SaidRound& round, const Numbers& n) {
         std::map<Rank, Count> sent;
         for (const TracedMessage& message : round.messages) ++sent[message.from];
         return std::all_of(sent.begin(), sent.end(), [&](const auto& entry) { return entry.second <= n[0]; });
       }},
      {std::regex("(\\d+) messages?"), [](const SaidRound& round, const Numbers& n) { return size(round.messages) == n[0]; }},
      {std::regex("(\\d+) (?:finished )?(?:block|share)s?"),
       [](const SaidRound& round, const Numbers& n) { return round.longest() == n[0] * round.share(); }},
      {std::regex("the rank (\\d+) further"),
       [](const SaidRound& round, const Numbers& n) {
         return round.all([&](const auto& m) { return round.distance(m) == n[0] % round.problem.ranks; });
       }},
      {std::regex("the rank (\\d+) back"),
       [](const SaidRound& round, const Numbers& n) {
         return round.all([&](const auto& m) { return round.distance(m) == round.problem.ranks - n[0]; });
       }},
      {std::regex("differs? in bit (\\d+)"),
       [](const SaidRound& round, const Numbers& n) {
         return round.all([&](const auto& m) { return (m.from ^ m.to) == Count{1} << n[0]; });
       }},
      {std::regex("exclusive-or (\\d+)"),
       [](const SaidRound& round, const Numbers& n) { return round.all([&](const auto& m) { return (m.from ^ m.to) == n[0]; }); }},
      {std::regex("distance has bit (\\d+) set"),
       [](const SaidRound& round, const Numbers& n) {
         return round.all([&](const auto& m) { return round.distance(m) == Count{1} << n[0]; });
       }},
      {std::regex("the digit (\\d+) at place (\\d+) \\(base (\\d+)\\)"),
       [](const SaidRound& round, const Numbers& n) {
         return round.all([&](const auto& m) { return round.distance(m) == worth(n[0], n[1], n[2]); });
       }},
      {std::regex("to (\\d+) others"),
       [](const SaidRound& round, const Numbers& n) { return size(round.messages) == n[0] * round.problem.ranks; }},
      {std::regex("along its row, (\\d+) places on"),
       [](const SaidRound& round, const Numbers& n) {
         const Count c = round.columns;
         return round.all([&](const auto& m) { return m.from / c == m.to / c && modulo(m.to - m.from, c) == n[0]; });
       }},
      {std::regex("along its column, (\\d+) places on"),
       [](const SaidRound& round, const Numbers& n) {
         return round.all([&](const auto& m) { return round.distance(m) == n[0] * round.columns; });
       }},
      {std::regex("along its row,"),
       [](const SaidRound& round, const Numbers&) {
         return round.all([&](const auto& m) { return m.from / round.columns == m.to / round.columns; });
       }},
      {std::regex("along its column,"),
       [](const SaidRound& round, const Numbers&) {
         return round.all([&](const auto& m) { return m.from % round.columns == m.to % round.columns; });
       }},
      {std::regex("along one dimension"),
       [](const SaidRound& round, const Numbers&) {
         const Count c = round.problem.grid[1];
         return round.all([&](const auto& m) { return (m.from / c == m.to / c) != (m.from % c == m.to % c); });
       }},
      {std::regex("^Every rank"),
       [](const SaidRound& round, const Numbers&) {
         return static_cast<Count>(round.ends(&TracedMessage::from).size()) == round.problem.ranks;
       }},
      {std::regex("^The root|from the root"),
       [](const SaidRound& round, const Numbers&) {
         return round.ends(&TracedMessage::from) == std::set<Rank>{round.problem.root};
       }},
      {std::regex("to the root"),
       [](const SaidRound& round, const Numbers&) { return round.ends(&TracedMessage::to) == std::set<Rank>{round.problem.root}; }},
      {std::regex("to all ranks above"),
       [](const SaidRound& round, const Numbers&) { return round.all([](const auto& m) { return m.to > m.from; }); }},
      {std::regex("with a neighbour"),
       [](const SaidRound& round, const Numbers&) {
         return round.all([&](const auto& m) { return round.distance(m) == 1 || round.distance(m) == round.problem.ranks - 1; });
       }},
      {std::regex("^In every node"),
       [](const SaidRound& round, const Numbers&) { return round.all([&](const auto& m) { return round.is_on_node(m); }); }},
      {std::regex("^The nodes meet in pairs"),
       [](const SaidRound& round, const Numbers&) { return round.all([&](const auto& m) { return !round.is_on_node(m); }); }},
      {std::regex("^The ranks meet in pairs|swaps"),
       [](const SaidRound& round, const Numbers&) {
         std::set<std::pair<Rank, Rank>> pairs;
         for (const TracedMessage& message : round.messages) pairs.emplace(message.from, message.to);
         return round.all([&](const auto& m) { return pairs.contains({m.to, m.from}); });
       }},
  };
  return all;
}

// Returns the first phrase that is wrong, or a number for which there is no phrase; "" if all are right.
std::string wrong_in(std::string sentence, const SaidRound& round) {
  for (const Phrase& phrase : phrases()) {
    for (std::smatch found; std::regex_search(sentence, found, phrase.pattern);) {
      Numbers numbers;
      for (std::size_t i = 1; i < found.size(); ++i)
        if (found[i].matched) numbers.push_back(std::stol(found[i]));
      if (!phrase.holds(round, numbers)) return found.str();
      sentence.replace(index(found.position()), index(found.length()), "..");
    }
  }
  return std::any_of(sentence.begin(), sentence.end(), [](char letter) { return std::isdigit(letter); }) ? sentence : "";
}

Problem problem_for(const Algorithm& algorithm, Count ranks) {
  const Collective collective = algorithm.collective;
  Problem problem = testing::problem_of(collective, ranks, collective == Collective::alltoall ? 8 : 8 * ranks, ranks / 2);
  if (problem.counts) problem.counts = std::make_shared<const std::vector<Bytes>>(problem.counts->size(), 512);
  for (Rank rank = 0; rank < ranks; ++rank) problem.nodes.push_back(rank / 3);
  const Count rows = most_square_rows(ranks);
  problem.grid = {rows, ranks / rows};
  return problem;
}

Count columns_of(const Schedule& schedule) {
  if (schedule.parameters.contains("columns")) return number(schedule.parameters, "columns");
  if (schedule.parameters.contains("rows")) return schedule.problem.ranks / number(schedule.parameters, "rows");
  return 1;
}

// Counts the sentences of a schedule, and checks them.
Count check_sentences(const Algorithm& algorithm, const Problem& problem, const std::string& words) {
  const Choice choice = parse_choice(problem, words);
  if (!applies(problem, choice)) return 0;
  const Schedule schedule = make_schedule(problem, choice);
  const Trace trace = trace_of(schedule);
  std::map<Count, SaidRound> rounds;
  for (const TracedMessage& message : trace.messages)
    rounds.try_emplace(message.round, SaidRound{problem, columns_of(schedule), {}}).first->second.messages.push_back(message);
  Count said = 0;
  for (const auto& [number, round] : rounds) {
    const std::string sentence = schedule.says(number);
    said += sentence.empty() ? 0 : 1;
    EXPECT_EQ(wrong_in(sentence, round), "") << name(algorithm.collective) << '/' << words << ", " << problem.ranks
                                             << " ranks, round " << number << ": " << sentence;
    EXPECT_EQ(trace.says.at(number), sentence);
  }
  return said;
}

std::vector<std::string> variants(const Algorithm& algorithm) {
  std::vector<std::string> all{std::string(algorithm.id)};
  for (const Parameter& parameter : algorithm.parameters) {
    const std::string begin = fmt::format("{}:{}=", algorithm.id, parameter.name);
    for (const std::string& choice : parameter.choices) all.push_back(begin + choice);
    if (parameter.choices.empty() && parameter.name != "columns" && parameter.name != "rows")
      for (const char* value : {"2", "3"}) all.push_back(begin + value);
  }
  return all;
}

TEST(Saying, SentencesAgreeWithTheMessages) {
  Count speakers = 0;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (!algorithm->says) continue;
    ++speakers;
    for (Count ranks = 2; ranks <= 17; ++ranks) {
      const Problem problem = problem_for(*algorithm, ranks);
      for (const std::string& words : variants(*algorithm)) {
        std::optional<Count> said;
        try {
          said = check_sentences(*algorithm, problem, words);
        } catch (const Error&) {  // the parameter is out of range for so few ranks
        }
        if (ranks == 8 && words == algorithm->id) EXPECT_GT(said.value_or(0), 0) << name(algorithm->collective) << '/' << words;
      }
    }
  }
  EXPECT_GE(speakers, 40);
}

// All algorithms of the lessons.
TEST(Saying, TheCourseHasSentences) {
  for (const auto& [collective, ids] : std::map<Collective, std::vector<std::string_view>>{
           {Collective::alltoall, {"ring", "direct", "shift", "bruck", "mesh", "torus", "combined"}},
           {Collective::alltoallv, {"four-stage"}},
           {Collective::broadcast, {"binomial"}},
           {Collective::allgather, {"circulant"}},
           {Collective::allreduce, {"ring"}}})
    for (const std::string_view id : ids) EXPECT_TRUE(find_algorithm(collective, id)->says) << id;
}

TEST(Saying, SentenceOfBruck) {
  const Schedule schedule = make_schedule(Problem::alltoall(8, 8), "bruck:radix=2");
  EXPECT_EQ(schedule.says(1), "Every rank sends the 4 blocks whose distance has bit 1 set to the rank 2 further");
}

}  // namespace
}  // namespace quadrille
