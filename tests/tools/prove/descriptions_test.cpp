// SPDX-License-Identifier: BSD-3-Clause
// Compares what is proved for all numbers of ranks (descriptions.hpp) with the programs of the generators: for all p up to 4,096 in
// long tests, else for few. The figures C1 and C2 of the proofs are compared, too.
#include "prove/descriptions.hpp"

#include <gtest/gtest.h>

#include <map>

#include "patterns/concatenation.hpp"
#include "patterns/factors.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/regions.hpp"
#include "support/cases.hpp"

namespace quadrille::command {
namespace {

using quadrille::testing::extent;
using quadrille::testing::long_tests;

// Numbers of ranks: all up to a limit, and some above, also beside powers.
std::vector<Count> rank_counts(Count all_up_to) {
  std::vector<Count> list;
  for (Count p = 2; p <= extent<Count>(20, all_up_to, 4096); ++p) list.push_back(p);
  if (!long_tests()) list.insert(list.end(), {125, 127, 128, 129, 243, 244, 729, 1000, 4096});
  return list;
}

using Cells = std::vector<std::pair<Buffer, Count>>;  // blocks of one byte

Cells cells(const Regions& regions) {
  Cells list;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) {
      for (Bytes byte = offset; byte < offset + length; ++byte) list.emplace_back(region.buffer, byte);
    });
  return list;
}

TEST(ProvedDescriptions, OfBruckAreWhatIsGenerated) {
  for (const Count p : rank_counts(40))
    for (Count radix = 2; radix <= std::min<Count>(16, p); ++radix)
      for (Count ports = 1; ports <= std::min<Count>(4, p - 1); ++ports) {
        const Rank me = (p + radix) % p;
        const Program program =
            make_schedule(Problem::alltoall(p, 1), fmt::format("bruck:radix={},ports={}", radix, ports)).program(me);
        SCOPED_TRACE(fmt::format("p={} radix={} ports={}", p, radix, ports));
        std::size_t at = 0, messages = 0;  // the round, and its messages so far
        Count c1 = 0, last_digits = 0;
        for (Count w = 1; bruck::goes_on(w, p); w = bruck::next_place(radix, w)) {
          Count round_of_level = 0;
          last_digits = 0;
          for (Count digit = 1; digit < radix && bruck::has_hop(digit, w, p); ++digit, ++last_digits) {
            if (bruck::round_of(digit, ports) != round_of_level || digit == 1) {
              if (c1++ > 0) {
                ASSERT_EQ(program.rounds.at(at).sends.size(), messages);
                ++at;
              }
              round_of_level = bruck::round_of(digit, ports);
              messages = 0;
            }
            const Round& round = program.rounds.at(at);
            const Message &sent = round.sends.at(messages), &received = round.receives.at(messages);
            ++messages;
            ASSERT_EQ(sent.peer, (me + bruck::hop(digit, w)) % p);
            ASSERT_EQ(received.peer, (me - bruck::hop(digit, w) + p) % p);
            ASSERT_EQ(bytes(sent.regions), bruck::slots(digit, w, p / (radix * w), p % (radix * w)));
            if (ports > 1 && p > 256) continue;
            Cells read, written;
            for (const bool fresh : {true, false})
              for (Count j = p - 1; j > 0; --j) {
                if (j / w % radix != digit || (j % w == 0) != fresh) continue;
                read.emplace_back(fresh ? Buffer::input : Buffer::output,
                                  fresh ? bruck::input_block(me, j, p) : bruck::output_block(me, j, p));
                written.emplace_back(Buffer::output, bruck::output_block(me, j, p));
              }
            ASSERT_EQ(cells(sent.regions), read);
            ASSERT_EQ(cells(received.regions), written);
          }
        }
        ASSERT_EQ(program.rounds.size(), at + 1);
        Count levels = 1, w = 1;  // C1 as the proof states it
        for (; w * radix < p; w *= radix) ++levels;
        EXPECT_EQ(c1, (levels - 1) * ceil_divide(radix - 1, ports) + ceil_divide(ceil_divide(p, w) - 1, ports));
      }
}

TEST(ProvedDescriptions, OfConcatenationAreWhatIsGenerated) {
  for (const Count p : rank_counts(300))
    for (Count ports = 1; ports <= std::min<Count>(4, p - 1); ++ports)
      for (const Bytes b : {1, 3, 64})
        for (const LastRound last : {LastRound::one, LastRound::two}) {
          SCOPED_TRACE(fmt::format("p={} ports={} b={} last={}", p, ports, b, static_cast<int>(last)));
          const ConcatenationRounds rounds = concatenation_rounds(p, ports, b, last);
          std::size_t at = 0;
          Count w = 1;
          Bytes volume = 0;
          for (; concatenation::goes_on(ports, w, p); w = concatenation::next_known(ports, w), ++at) {
            ASSERT_EQ(rounds.at(at).size(), index(ports));
            for (Count port = 1; port <= ports; ++port)
              ASSERT_EQ(rounds[at][index(port - 1)],
                        (ConcatenationMessage{concatenation::distance(port, w), concatenation::first(port, w) * b,
                                              concatenation::last(port, w) * b}));
            volume += w * b;
          }
          const bool is_least = ports <= 2 || p == (ports + 1) * w || p <= (ports + 1) * w - ports;
          const bool in_two = rounds.size() == at + 2;
          if (is_least || last == LastRound::one) ASSERT_FALSE(in_two);
          if (in_two) {
            for (Count port = 0; port < ports; ++port)
              ASSERT_EQ(rounds[at][index(port)], (ConcatenationMessage{w + port, (w + port) * b, (w + port + 1) * b}));
            volume += b;
            w += ports;
            ++at;
          }
          ASSERT_EQ(rounds.size(), at + 1);
          const auto& areas = rounds[at];
          ASSERT_LE(areas.size(), index(ports));
          Bytes end = w * b, longest = 0;
          Count next = p + 1;
          for (std::size_t a = areas.size(); a-- > 0;) {
            const Count low = areas[a].first / b - w, high = (areas[a].last - 1) / b - w;
            ASSERT_LT(high - low, w);
            ASSERT_EQ(areas[a].offset, concatenation::last_distance(w, low, next));
            next = areas[a].offset;
          }
          for (const ConcatenationMessage& area : areas) {
            ASSERT_EQ(area.first, end);
            end = area.last;
            longest = std::max(longest, area.last - area.first);
          }
          ASSERT_EQ(end, p * b);
          if (is_least || in_two) EXPECT_EQ(volume + longest, ceil_divide(b * (p - 1), ports));
        }
}

// The program has the messages of the rounds above, with role j of a rank in output block (rank - j) mod p.
TEST(ProvedDescriptions, OfRolesAreWhatIsGenerated) {
  for (const Count p : {2, 3, 5, 9, 16, 30, 64, 100})
    for (Count ports = 1; ports <= std::min<Count>(4, p - 1); ++ports)
      for (const Rank me : {Rank{0}, p / 2, p - 1}) {
        const Program program = make_schedule(Problem::allgather(p, 1), fmt::format("concatenation:ports={}", ports)).program(me);
        std::size_t at = 0;
        for (Count w = 1; concatenation::goes_on(ports, w, p); w = concatenation::next_known(ports, w), ++at)
          for (Count port = 1; port <= ports; ++port) {
            const Message &sent = program.rounds.at(at).sends.at(index(port - 1)),
                          &received = program.rounds[at].receives.at(index(port - 1));
            EXPECT_EQ(sent.peer, (me + concatenation::distance(port, w)) % p);
            EXPECT_EQ(received.peer, (me - concatenation::distance(port, w) + p) % p);
            Cells written;
            for (Count role = concatenation::last(port, w); role-- > concatenation::first(port, w);)
              written.emplace_back(Buffer::output, (me - role + p) % p);
            EXPECT_EQ(cells(received.regions), written);
          }
      }
}

TEST(ProvedDescriptions, OfRecursiveDoublingAreWhatIsGenerated) {
  for (Count p = 2; p <= 4096; p *= 2)
    for (Rank me = 0; me < p; me += std::max<Count>(1, p / extent<Count>(8, 32, 512))) {
      const Program program = make_schedule(Problem::allgather(p, 1), "recursive-doubling").program(me);
      std::size_t at = 0;
      Count received = 0;
      for (Count m = 1; m < p; m *= 2, ++at) {
        const Round& round = program.rounds.at(at);
        ASSERT_EQ(round.sends.size(), 1u);
        const Rank partner = doubling::partner(me, m), first = doubling::first(me, m);
        EXPECT_EQ(round.sends[0].peer, partner);
        EXPECT_EQ(round.receives.at(0).peer, partner);
        EXPECT_EQ(merged_runs(round.sends[0].regions),
                  (Regions{{m == 1 ? Buffer::input : Buffer::output, m == 1 ? 0 : first, m, {}}}));
        EXPECT_EQ(merged_runs(round.receives[0].regions), (Regions{{Buffer::output, doubling::first_received(me, m), m, {}}}));
        received += m;
      }
      EXPECT_EQ(program.rounds.size(), at);
      EXPECT_EQ(received, p - 1);
    }
}

TEST(ProvedDescriptions, OfFactorsAreWhatIsGenerated) {
  for (const Count p : rank_counts(100))
    for (const char* factor : {"basic", "concentrated"}) {
      const bool even = p % 2 == 0 && factor[0] == 'c';
      const Schedule schedule = make_schedule(Problem::alltoall(p, 1), fmt::format("one-factor:factor={}", factor));
      for (const Rank me : {Rank{0}, p / 3, p - 1}) {
        SCOPED_TRACE(fmt::format("p={} factor={} rank={}", p, factor, me));
        std::map<Count, Rank> partners;
        for (Rank other = 0; other < p; ++other)
          if (other != me) partners[even ? factors::even_round(p, me, other) : factors::basic_round(p, me, other)] = other;
        ASSERT_LT(partners.rbegin()->first, even ? factors::even_rounds(p) : factors::basic_rounds(p));
        std::map<Count, Rank> found;
        for (const Round& round : schedule.program(me).rounds)
          for (const Message& sent : round.sends) {
            found[round.number] = sent.peer;
            ASSERT_EQ(round.receives.at(0).peer, sent.peer);
            ASSERT_EQ(sent.regions, (Regions{{Buffer::input, sent.peer, 1, {}}}));
            ASSERT_EQ(round.receives[0].regions, (Regions{{Buffer::output, sent.peer, 1, {}}}));
          }
        ASSERT_EQ(found, partners);
      }
      if (p > 128) continue;
      const auto form = even ? one_factor::Form::concentrated : one_factor::Form::basic;
      for (Rank u = 0; u < p; ++u)
        for (Rank v = 0; v < p; ++v)
          if (u != v)
            ASSERT_EQ(even ? factors::even_round(p, u, v) : factors::basic_round(p, u, v), one_factor::factor_of(form, p, u, v));
    }
}

}  // namespace
}  // namespace quadrille::command
