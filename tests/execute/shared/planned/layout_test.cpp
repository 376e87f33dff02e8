// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "support/cases.hpp"

namespace quadrille::testing {
namespace {

constexpr Reach threads{.holds_everything = true, .reads_private_memory = true};
constexpr Reach processes{.holds_everything = false, .reads_private_memory = true};
constexpr Reach strangers{.holds_everything = false, .reads_private_memory = false};

ScriptMessage send(Rank to, Regions regions) {
  ScriptMessage message;
  message.peer = to;
  message.is_send = true;
  message.bytes = bytes(regions);
  message.regions = std::move(regions);
  return message;
}

ScriptMessage receive(Rank from, Bytes length) {
  ScriptMessage message = send(from, {{Buffer::output, 0, length, {}}});
  message.is_send = false;
  return message;
}

// A script with all messages in one window.
Script in_one_window(std::vector<ScriptMessage> messages) {
  Script script;
  script.messages = std::move(messages);
  script.windows.push_back({.messages = {0, static_cast<std::uint32_t>(script.messages.size())}});
  return script;
}

// Copying once saves `each` seconds for every message of 1 to 64 KiB.
CopyCosts costs_with(double each, double wait) {
  CopyCosts costs;
  costs.in.fill(each);
  costs.out.fill(each);
  costs.once.fill(each);
  costs.wait = wait;
  return costs;
}

using Range = std::pair<Bytes, Bytes>;

// Checks what the head of layout.hpp promises for any script.
void expect_sound(const Script& script, const SendAreaLayout& layout, const Reach& reach) {
  std::set<Range> payloads;  // twins share one
  std::vector<Range> taken, acks;
  for (const SendAreaLayout::Group& group : layout.groups) {
    EXPECT_EQ(group.head % 64, 0);
    taken.emplace_back(group.head, group.head + GroupHead::bytes(group.has_long));
  }
  for (std::size_t i = 0; i < script.messages.size(); ++i) {
    const auto [group, is_send, is_long] = layout.postings[i];
    EXPECT_EQ(is_send, script.messages[i].is_send);
    if (!is_send) {
      EXPECT_FALSE(is_long);
      continue;
    }
    EXPECT_FALSE(is_long && !layout.groups[group].has_long);
    if (is_long) acks.emplace_back(layout.places[i].ack, layout.places[i].ack + static_cast<Bytes>(sizeof(Acknowledgement)));
    const Bytes payload = layout.places[i].payload, length = script.messages[i].bytes;
    if ((is_long && reach.reads_private_memory) || length == 0) continue;
    EXPECT_EQ(payload % (length < 64 ? 8 : 64), 0);
    payloads.emplace(payload, payload + length);
  }
  taken.insert(taken.end(), payloads.begin(), payloads.end());
  for (auto [ranges, bytes] : {std::pair(&taken, layout.block_bytes), std::pair(&acks, layout.ack_bytes)}) {
    std::sort(ranges->begin(), ranges->end());
    for (std::size_t i = 0; i < ranges->size(); ++i) {
      EXPECT_GE((*ranges)[i].first, i == 0 ? 0 : (*ranges)[i - 1].second);
      EXPECT_LE((*ranges)[i].second, bytes);
    }
  }
  EXPECT_EQ(layout.ack_bytes % 64, 0);
  EXPECT_EQ(layout.block_bytes * layout.blocks() % 64, 0);
  // What the copies of a group write are its short payloads, all of them and nothing else.
  for (std::uint32_t g = 0; g < layout.groups.size(); ++g) {
    Bytes written = 0, expected = 0;
    for (std::uint32_t i = layout.groups[g].copies.first; i < layout.groups[g].copies.last; ++i) {
      const StridedCopy& copy = layout.copies[i];
      EXPECT_EQ(copy.target_buffer, Buffer::staging);
      written += copy.length * copy.levels[0].count * copy.levels[1].count * copy.levels[2].count;
    }
    std::set<Range> short_ones;
    for (std::size_t i = 0; i < script.messages.size(); ++i)
      if (layout.postings[i].is_send && layout.postings[i].group == g && !layout.postings[i].is_long)
        short_ones.emplace(layout.places[i].payload, layout.places[i].payload + script.messages[i].bytes);
    for (const auto& [first, last] : short_ones) expected += last - first;
    EXPECT_EQ(written, expected);
  }
  EXPECT_EQ(layout.blocks() & (layout.blocks() - 1), 0);
}

TEST(SendAreaLayout, PlacesDoNotOverlap) {
  for (const char* algorithm : {"direct", "bruck", "shift"})
    for (const Bytes block : {0, 1, 8, 64, 1000, 5000, 100'000})
      for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
        for (const Reach& reach : {threads, processes, strangers}) {
          const Script script = make_script(make_schedule(Problem::alltoall(5, block), algorithm).program(2), 5,
                                            {.policy = policy, .strided_messages = reach.holds_everything});
          SCOPED_TRACE(algorithm);
          expect_sound(script, lay_out(script, costs_with(1e-6, 2.5e-6), reach), reach);
        }
}

TEST(SendAreaLayout, SendsOfAWindowAreOneGroupAndUnderDataflowEachIsOne) {
  Script script = in_one_window({send(1, {{Buffer::input, 0, 8, {}}}), receive(1, 8), send(2, {{Buffer::input, 8, 8, {}}})});
  const SendAreaLayout together = lay_out(script, {}, processes);
  ASSERT_EQ(together.groups.size(), 1u);
  EXPECT_EQ(together.rung, (std::vector<Rank>{1, 2}));
  EXPECT_EQ(together.groups[0].copies.size(), 1u);  // the bytes are adjacent, here and there
  script.policy = Policy::dataflow;
  const SendAreaLayout apart = lay_out(script, {}, processes);
  ASSERT_EQ(apart.groups.size(), 2u);
  EXPECT_EQ(apart.postings[2].group, 1u);
  EXPECT_EQ(apart.groups[1].head, 64);
}

TEST(SendAreaLayout, MessagesAreLongIfTheyTogetherSaveMoreThanAWait) {
  // Two messages of 2 KiB; each saves 1 us.
  const Script script = in_one_window({send(1, {{Buffer::input, 0, 2048, {}}}), send(2, {{Buffer::input, 2048, 2048, {}}}),
                                       send(3, {{Buffer::input, 4096, 512, {}}})});
  const auto longs = [&](const Script& of, double wait, const Reach& reach) {
    std::vector<bool> each;
    for (const SendAreaLayout::Posting& posting : lay_out(of, costs_with(1e-6, wait), reach).postings)
      each.push_back(posting.is_long);
    return each;
  };
  EXPECT_EQ(longs(script, 1.9e-6, processes), (std::vector<bool>{true, true, false}));  // one alone does not save a wait
  EXPECT_EQ(longs(script, 2.1e-6, processes), (std::vector<bool>{false, false, false}));

  Script twins = script;  // the second saves no copy into the area
  twins.messages[1].regions = twins.messages[0].regions;
  EXPECT_EQ(longs(twins, 1.9e-6, processes), (std::vector<bool>{false, false, false}));

  Script overwritten = script;
  overwritten.messages[0].overwritten = true;
  EXPECT_EQ(longs(overwritten, 1.9e-6, processes), (std::vector<bool>{false, false, false}));

  Script strided = script;
  strided.messages[0].regions = {{Buffer::input, 0, 1024, {}}, {Buffer::input, 8192, 1024, {}}};
  EXPECT_EQ(longs(strided, 1.9e-6, processes), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(longs(strided, 1.9e-6, threads), (std::vector<bool>{true, true, false}));

  Script longer = script;  // above eager_limit() a message is long by itself, and the sender waits anyway
  longer.messages[1] = send(2, {{Buffer::input, 0, 100'000, {}}});
  EXPECT_EQ(longs(longer, 2.1e-6, processes), (std::vector<bool>{true, true, false}));
}

TEST(SendAreaLayout, TwinsShareTheirPayload) {
  const Regions same{{Buffer::input, 0, 100, {}}};
  const Script script = in_one_window({send(1, same), send(2, {{Buffer::input, 200, 100, {}}}), send(3, same)});
  const SendAreaLayout layout = lay_out(script, {}, processes);
  EXPECT_EQ(layout.places[0].payload, layout.places[2].payload);
  EXPECT_NE(layout.places[0].payload, layout.places[1].payload);
  EXPECT_EQ(layout.block_bytes, 64 + 128 + 128);

  // A long message and a short one of the same bytes are copied at different times.
  const Regions first{{Buffer::input, 0, 2048, {}}}, second{{Buffer::input, 2048, 2048, {}}};
  Script apart = in_one_window({send(1, first), send(2, second), send(3, second)});
  apart.messages[2].overwritten = true;
  const SendAreaLayout own = lay_out(apart, costs_with(1e-6, 1.9e-6), strangers);
  EXPECT_TRUE(own.postings[1].is_long && !own.postings[2].is_long);
  EXPECT_NE(own.places[1].payload, own.places[2].payload);
  expect_sound(apart, own, strangers);
}

TEST(SendAreaLayout, LongMessagesHavePayloadsOnlyWherePrivateMemoryIsOutOfReach) {
  const Script script = in_one_window({send(1, {{Buffer::input, 64, 100'000, {}}}), send(2, {{Buffer::output, 8, 100'000, {}}})});
  const SendAreaLayout read = lay_out(script, {}, processes), copied = lay_out(script, {}, strangers);
  EXPECT_EQ(read.block_bytes, 128);  // the head alone
  EXPECT_EQ(read.copies.size(), 0u);
  EXPECT_EQ(read.ack_bytes, 128);
  EXPECT_EQ(read.lent[Buffer::input], (Range{64, 100'064}));
  EXPECT_EQ(read.lent[Buffer::output], (Range{8, 100'008}));
  EXPECT_GE(copied.block_bytes, 200'128);
  EXPECT_EQ(copied.places[0].copies.size(), 1u);
  EXPECT_EQ(copied.groups[0].copies.size(), 0u);

  const Script overlapping =
      in_one_window({send(1, {{Buffer::input, 8, 300'000, {}}}), send(2, {{Buffer::input, 64, 100'000, {}}})});
  EXPECT_EQ(lay_out(overlapping, {}, processes).lent[Buffer::input], (Range{8, 300'008}));
}

// A sender may run ahead only of receivers that send nothing back; the others show it by their messages.
TEST(SendAreaLayout, HasMoreThanTwoBlocksForReceiversThatSendNothing) {
  const ScriptMessage to_1 = send(1, {{Buffer::input, 0, 8, {}}}), to_2 = send(2, {{Buffer::input, 0, 8, {}}});
  const SendAreaLayout exchange = lay_out(in_one_window({to_1, receive(1, 8)}), {}, processes);
  EXPECT_EQ(exchange.watched, std::vector<Rank>{});
  EXPECT_EQ(exchange.blocks(), 2);
  const SendAreaLayout ahead = lay_out(in_one_window({to_2, to_1, to_2, receive(1, 8)}), {}, processes);
  EXPECT_EQ(ahead.watched, std::vector<Rank>{2});
  EXPECT_EQ(ahead.blocks(), 256);
  const SendAreaLayout large = lay_out(in_one_window({send(2, {{Buffer::input, 0, 10'000, {}}})}), {}, processes);
  EXPECT_EQ(large.blocks(), 16);  // of 10,112 B; 262,144 B hold 25
}

TEST(SendAreaLayout, SmallBlocksShareALineIfTheSenderCanBeAhead) {
  const auto block_bytes = [](Bytes bytes, std::vector<ScriptMessage> more = {}, Policy policy = Policy::nonblocking) {
    more.push_back(send(2, {{Buffer::input, 0, bytes, {}}}));
    Script script = in_one_window(std::move(more));
    script.policy = policy;
    const SendAreaLayout layout = lay_out(script, {}, processes);
    expect_sound(script, layout, processes);
    return layout.block_bytes;
  };
  EXPECT_EQ(block_bytes(0), 8);  // the flag alone
  EXPECT_EQ(block_bytes(8), 16);
  EXPECT_EQ(block_bytes(9), 32);
  EXPECT_EQ(block_bytes(56), 64);
  EXPECT_EQ(block_bytes(57), 128);
  EXPECT_EQ(block_bytes(8, {receive(2, 8)}), 64);  // the receiver sends back: there are two blocks
  EXPECT_EQ(block_bytes(8, {send(1, {{Buffer::input, 0, 8, {}}})}, Policy::dataflow), 128);  // two groups
}

}  // namespace
}  // namespace quadrille::testing
