// SPDX-License-Identifier: BSD-3-Clause
// Calls with counts: they run without a plan where that is possible, errors are thrown where they are noticed, and data is right
// whatever the counts. typed_calls_test.cpp tests each form with fixed counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include "groups/chooser.hpp"
#include "quadrille/collectives.hpp"
#include "quadrille/indexed.hpp"
#include "support/counts_gathers.hpp"
#include "support/processes.hpp"
#include "support/told.hpp"
#include "support/variable.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

bool compares_always() { return CallArguments{}.compares; }  // in debug builds

// Runs alltoallv on three ranks with blocks of one element, except that rank 1 has these send_counts.
void exchange_five(Communicator& ranks, const std::vector<int>& send_counts) {
  const std::vector<int> five(5), right{1, 1, 1};
  std::vector<int> received(3);
  alltoallv(ranks, five, ranks.rank() == 1 ? send_counts : right, received, right);
}

// All ranks throw: the one with wrong arguments, and the others.
TEST(IrregularCalls, RefuseCountsThatDoNotFitOnAllRanksIfTheyCompare) {
  const Variable check("QUADRILLE_CHECK", "1");
  const auto said = [&](const std::vector<int>& send_counts) {
    std::vector<std::string> all = told(3, [&](Communicator& ranks) { exchange_five(ranks, send_counts); });
    EXPECT_EQ(all[0], "rank 1: " + all[1]);
    EXPECT_EQ(all[2], "rank 1: " + all[1]);
    return all[1];
  };
  EXPECT_EQ(said({1, 1}), "alltoallv has 2 send_counts for 3 ranks");
  EXPECT_EQ(said({1, -2, 1}), "send_counts[1] is -2; counts are 0 or more");
  EXPECT_EQ(said({1, 1, 4}), "send_counts[2] is 4 from element 2 on, and the input has 5 elements");
  EXPECT_EQ(said({1, 2, 1}), "rank 1 sends itself 8 bytes and receives 4 from itself");
  EXPECT_EQ(told_to_all(3,
                        [&](Communicator& ranks) {
                          exchange_five(ranks, {1, 1, 2});
                        }),
            "rank 1 is to send 8 B to rank 2, which expects 4 B; compare their counts");
  const std::vector<std::string> gathered = told(3, [&](Communicator& ranks) {
    std::vector<int> own(index(ranks.rank())), all(3);
    gatherv(ranks, own, all, std::vector<long>{0, 1, 1}, 1);
  });
  EXPECT_EQ(gathered[1], "gatherv's counts[2] is 4 B at the root and rank 2 gives 8 B; they must be equal");
  EXPECT_EQ(gathered[2], "rank 1: " + gathered[1]);
}

TEST(IrregularCalls, RefuseArgumentsOfARankThere) {
  std::vector<int> five(5), output(5);
  const auto said = [&](const auto& call) {
    const std::vector<std::string> all = told(3, [&](Communicator& ranks) { call(ranks); });
    return all[1];
  };
  const auto said_of = [&](const std::vector<int>& send_counts) {
    return said([&](Communicator& ranks) { exchange_five(ranks, send_counts); });
  };
  EXPECT_EQ(said_of({1, 1}), "alltoallv has 2 send_counts for 3 ranks");
  EXPECT_EQ(said_of({1, -2, 1}), "send_counts[1] is -2; counts are 0 or more");
  EXPECT_EQ(said_of({1, 1, 4}), "send_counts[2] is 4 from element 2 on, and the input has 5 elements");
  EXPECT_EQ(said_of({1, 2, 1}), "rank 1 sends itself 8 bytes and receives 4 from itself");
  const std::vector<unsigned> counts{1, 1, 1};
  const auto at_places = [&](const std::vector<int>& places) {
    return [&, places](Communicator& ranks) {
      std::vector<int> received(5);
      alltoallv(ranks, five, {counts, std::vector<int>{0, 1, 2}}, received,
                {counts, ranks.rank() == 1 ? places : std::vector<int>{0, 1, 2}});
    };
  };
  EXPECT_EQ(said(at_places({0, 1})), "alltoallv has 2 receive_displacements for 3 ranks");
  EXPECT_EQ(said(at_places({0, -1, 2})), "receive_displacements[1] is -1; displacements are 0 or more");
  EXPECT_EQ(said(at_places({4, 1, 4})), "pieces of the output overlap");
  EXPECT_EQ(said([&](Communicator& ranks) {
              alltoallv(ranks, in_place, {}, std::vector<int>(5), {counts, std::vector<int>{3, 3, 1}});
            }),
            "pieces of the output overlap");
  EXPECT_EQ(
      said([&](Communicator& ranks) { alltoallv(ranks, in_place, counts, std::vector<int>(3), counts); }),
      "in place, an alltoallv has no blocks to send: the block from a rank replaces the block to it; plan_alltoallv takes both "
      "lists");
  EXPECT_EQ(said([&](Communicator& ranks) {
              allgatherv(ranks, five, output, {counts, std::vector<int>{0, 1}});
            }),
            "allgatherv has 2 displacements for 3 ranks");
  EXPECT_EQ(said([&](Communicator& ranks) {
              std::vector<int> all(3);
              allgatherv(ranks, std::span(five).first(1), all, {counts, std::vector<int>{2, 0, 2}});
            }),
            "pieces of the output overlap");
  EXPECT_EQ(
      said([&](Communicator& ranks) {
        std::vector<int> own(1), all(5);
        allgatherv(ranks, ranks.rank() == 1 ? std::span(all).first(1) : std::span(own), all, {counts, std::vector<int>{2, 1, 0}});
      }),
      "input and output overlap; give allgatherv two separate buffers, or one, with in_place as the input");
  EXPECT_EQ(said([&](Communicator& ranks) {
              std::vector<int> all(3);
              gatherv(ranks, std::span(five).first(ranks.rank() == 1 ? 5 : 1), all, counts, 1);
            }),
            "gatherv's counts[1] is 4 B at the root and rank 1 gives 20 B; they must be equal");
  EXPECT_EQ(said([&](Communicator& ranks) {
              std::vector<int> all(3);
              scatterv(ranks, std::span(static_cast<const int*>(nullptr), 3), counts, std::span(all).first(1), 1);
            }),
            "input is a null pointer, and this rank's input has 12 bytes; give execute a buffer");
  EXPECT_EQ(said([&](Communicator& ranks) { gatherv(ranks, five, output, counts, 3); }),
            "the root is 3, but there are 3 ranks; it must be 0 to 2");
}

// Only the receiver sees that the lengths differ. Both may go on.
TEST(IrregularCalls, ReportLengthsThatDifferAtTheReceiver) {
  if (compares_always()) GTEST_SKIP() << "in debug builds the ranks compare their counts before each call";
  for (const bool processes : {false, true})
    run_threads(3, [&](Communicator& threads) {
      const auto shared = processes ? shared_by_processes(threads) : nullptr;
      Communicator& ranks = shared ? *shared : threads;
      const Rank me = ranks.rank();
      const auto said = [](const auto& call) {
        try {
          call();
        } catch (const Error& error) {
          return std::string(error.what());
        }
        return std::string();
      };
      const std::vector<int> right{1, 1, 1};
      for (int turn = 0; turn < 3; ++turn) {
        EXPECT_EQ(said([&] {
                    exchange_five(ranks, {1, 1, 2});
                  }),
                  me == 2 ? "rank 1 sends 8 bytes to rank 2, which expects 4; let both name the same number" : "");
        EXPECT_EQ(said([&] {
                    std::vector<int> own(index(me)), all(4);
                    gatherv(ranks, own, all, std::vector<long>{0, 1, 1}, 1);
                  }),
                  me == 1 ? "rank 2 sends 8 bytes to rank 1, which expects 4; let both name the same number" : "");
        std::vector<int> given(3), got(me == 2 ? 2 : 1);
        Request open = iscatterv(ranks, given, right, got, 0);
        EXPECT_EQ(said([&] { exchange_five(ranks, right); }), "") << "while another is in flight";
        EXPECT_EQ(said([&] { open.wait(); }),
                  me == 2 ? "rank 0 sends 4 bytes to rank 2, which expects 8; let both name the same number" : "");
      }
    });
}

// A rank returns from these although no other rank has called them.
TEST(IrregularCalls, StartWithoutWaiting) {
  if (compares_always()) GTEST_SKIP() << "in debug builds the ranks compare before each call";
  std::atomic<int> started{0};
  run_threads(3, [&](Communicator& ranks) {
    const std::vector<int> counts{1, 2, 3}, ones{1, 1, 1}, input(6);
    const Rank me = ranks.rank();
    std::vector<int> exchanged(6), gathered(6), scattered(index(me + 1)), replaced(6);
    alltoallv(ranks, input, ones, exchanged, ones);  // makes the exchange
    const std::vector<int> own_counts(3, counts[index(me)]);
    const std::vector<int> own_input(index(3 * (me + 1)));
    while (started < me) std::this_thread::yield();
    std::vector<Request> requests;
    requests.push_back(ialltoallv(ranks, own_input, own_counts, exchanged, counts));
    requests.push_back(igatherv(ranks, std::span(own_input).first(index(me + 1)), gathered, counts, 1));
    requests.push_back(iscatterv(ranks, input, counts, scattered, 2));
    requests.push_back(ialltoallv(ranks, in_place, {}, replaced, ones));
    ++started;
    while (started < 3) std::this_thread::yield();
    std::reverse(requests.begin(), requests.end());
    wait_all(requests);
  });
}

TEST(IrregularCalls, MakeNoPlanWhereTheyCanExchange) {
  if (compares_always()) GTEST_SKIP() << "in debug builds the ranks gather before each call";
  run_threads(3, [](Communicator& threads) {
    CountsGathers ranks(threads);
    let_choose(ranks);
    const Rank me = ranks.rank();
    const std::vector<int> input(60);
    std::vector<int> output(60);
    const auto gathers = [&](const auto& call) {
      const long before = ranks.gathers();
      call();
      return ranks.gathers() - before;
    };
    const auto exchange = [&](int count, const CallOptions& options = {}) {
      return gathers([&] { alltoallv(ranks, input, std::vector<int>(3, count), output, std::vector<int>(3, count), options); });
    };
    exchange(1);
    for (const int count : {1, 2, 0, 20}) EXPECT_EQ(exchange(count), 0);
    EXPECT_GT(exchange(1, {.algorithm = "shift"}), 0);
    EXPECT_GT(exchange(1, {.policy = Policy::dataflow}), 0);
    EXPECT_GT(exchange(1, {.executor = Executor::shared}), 0);
    const auto gather_all = [&](int count, const std::vector<int>& places) {
      const std::vector<int> counts{count, 1, 2};
      return gathers([&] { allgatherv(ranks, std::span(input).first(index(counts[index(me)])), output, {counts, places}); });
    };
    EXPECT_GT(gather_all(3, {0, 3, 4}), 0);
    EXPECT_EQ(gather_all(3, {0, 3, 4}), 0);
    EXPECT_EQ(gather_all(3, {10, 1 + static_cast<int>(me), 20}), 0) << "displacements are a rank's own";
    EXPECT_GT(gather_all(4, {0, 4, 5}), 0);
    EXPECT_EQ(gather_all(3, {0, 3, 4}), 0);
  });
}

// ---- Random calls against a plain loop

using IntBlock = std::vector<int>;

// Blocks in a buffer, one per rank: one after the other, or shuffled and with gaps.
struct Placed {
  std::vector<std::int16_t> counts;
  std::vector<Count> places;
  IntBlock memory;

  Placed(const std::vector<IntBlock>& blocks, bool displaced, std::mt19937_64& random) : places(blocks.size()) {
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (displaced) std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t rank : order) {
      if (displaced) memory.resize(memory.size() + random() % 3, -1);
      places[rank] = size(memory);
      if (displaced && blocks[rank].empty()) places[rank] = 1'000'000;  // does not matter
      memory.insert(memory.end(), blocks[rank].begin(), blocks[rank].end());
    }
    for (const IntBlock& block : blocks) counts.push_back(static_cast<std::int16_t>(block.size()));
  }
};

struct OpenCall {
  IntBlock input, output, expected;
  Request request;
};

// All ranks draw the same calls; each draws for itself where its blocks lie.
class RandomCalls {
 public:
  RandomCalls(Communicator& ranks, std::uint64_t seed)
      : ranks_(ranks), me_(ranks.rank()), p_(ranks.size()), all_(seed), own_(seed + static_cast<std::uint64_t>(me_) + 1) {}

  void run(int calls) {
    for (call_ = 0; call_ < calls; ++call_) {
      auto open = std::make_unique<OpenCall>();
      most_ = all_() % 8 == 0 ? 9000 : all_() % 2 ? 40 : 3;
      root_ = static_cast<Rank>(all_() % static_cast<std::uint64_t>(p_));
      starts_ = all_() % 2;
      displaced_ = own_() % 2;
      make(static_cast<int>(all_() % 9), *open);
      open_.push_back(std::move(open));
      while (open_.size() > 3 || (!open_.empty() && own_() % 3 == 0)) end(own_() % open_.size());
    }
    while (!open_.empty()) end(own_() % open_.size());
  }

 private:
  int value(Rank from, Rank to, std::size_t i) const {
    return static_cast<int>((call_ * 7919 + from * 331 + to * 17 + static_cast<Count>(i)) % 1'000'003);
  }
  IntBlock block(Rank from, Rank to, std::size_t count) const {
    IntBlock all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = value(from, to, i);
    return all;
  }
  std::size_t draw() { return all_() % 3 == 0 ? 0 : all_() % (most_ + 1); }
  std::vector<std::size_t> shares() {
    std::vector<std::size_t> each;
    for (Rank rank = 0; rank < p_; ++rank) each.push_back(draw());
    return each;
  }

  Placed placed(const std::vector<IntBlock>& blocks) { return {blocks, displaced_, own_}; }
  // The buffer of blocks before they are received. Blocks that `stays` names are there already.
  template <class Stays>
  IntBlock before(const Placed& all, Stays&& stays) const {
    IntBlock memory(all.memory.size(), -1);
    for (Rank rank = 0; rank < p_; ++rank)
      for (Count i = 0; stays(rank) && i < all.counts[index(rank)]; ++i)
        memory[index(all.places[index(rank)] + i)] = all.memory[index(all.places[index(rank)] + i)];
    return memory;
  }
  static constexpr auto nothing = [](Rank) { return false; };

  Blocks in_call(const Placed& each) const { return displaced_ ? Blocks(each.counts, each.places) : Blocks(each.counts); }

  // Calls `function` or starts `i_function` with the blocks.
  template <class Function, class IFunction>
  void run(OpenCall& call, const Placed& blocks, const Function& function, const IFunction& i_function) {
    if (starts_)
      call.request = i_function(in_call(blocks));
    else
      function(in_call(blocks));
  }

  void make(int kind, OpenCall& call) {
    IntBlock &in = call.input, &out = call.output;
    const bool is_root = me_ == root_;
    const auto me = index(me_);
    if (kind <= 1) return make_pairs(kind == 1, call);
    const std::vector<std::size_t> each = shares();
    std::vector<IntBlock> parts;
    for (Rank rank = 0; rank < p_; ++rank) parts.push_back(block(rank, 0, each[index(rank)]));
    const auto is_own = [&](Rank rank) { return rank == me_; };
    if (kind == 8) {  // reduce_scatterv
      displaced_ = false;
      const Placed shares(parts, false, own_);
      in = shares.memory;
      call.expected = parts[me];
      for (int& number : call.expected) number *= static_cast<int>(p_);
      out.assign(each[me], -1);
      if (starts_)
        call.request = ireduce_scatterv(ranks_, in, out, shares.counts, op::sum);
      else
        reduce_scatterv(ranks_, in, out, shares.counts, op::sum);
      return;
    }
    const Placed all = placed(parts);
    const bool is_in_place = kind % 2 == 1;
    if (kind <= 3) {  // gatherv
      call.expected = is_root ? all.memory : is_in_place ? parts[me] : IntBlock{};
      in = parts[me];
      out = is_in_place ? (is_root ? before(all, is_own) : in) : is_root ? before(all, nothing) : IntBlock{};
      if (is_in_place)
        run(
            call, all, [&](const Blocks& blocks) { gatherv(ranks_, in_place, out, blocks, root_); },
            [&](const Blocks& blocks) { return igatherv(ranks_, in_place, out, blocks, root_); });
      else
        run(
            call, all, [&](const Blocks& blocks) { gatherv(ranks_, in, out, blocks, root_); },
            [&](const Blocks& blocks) { return igatherv(ranks_, in, out, blocks, root_); });
    } else if (kind <= 5) {  // scatterv
      in = is_root ? all.memory : IntBlock{};
      call.expected = is_in_place && is_root ? all.memory : parts[me];
      out = is_in_place && is_root ? all.memory : IntBlock(each[me], -1);
      if (is_in_place)
        run(
            call, all, [&](const Blocks& blocks) { scatterv(ranks_, in_place, blocks, out, root_); },
            [&](const Blocks& blocks) { return iscatterv(ranks_, in_place, blocks, out, root_); });
      else
        run(
            call, all, [&](const Blocks& blocks) { scatterv(ranks_, in, blocks, out, root_); },
            [&](const Blocks& blocks) { return iscatterv(ranks_, in, blocks, out, root_); });
    } else {  // allgatherv
      in = parts[me];
      call.expected = all.memory;
      out = is_in_place ? before(all, is_own) : before(all, nothing);
      if (is_in_place)
        run(
            call, all, [&](const Blocks& blocks) { allgatherv(ranks_, in_place, out, blocks); },
            [&](const Blocks& blocks) { return iallgatherv(ranks_, in_place, out, blocks); });
      else
        run(
            call, all, [&](const Blocks& blocks) { allgatherv(ranks_, in, out, blocks); },
            [&](const Blocks& blocks) { return iallgatherv(ranks_, in, out, blocks); });
    }
  }

  void make_pairs(bool is_in_place, OpenCall& call) {
    std::vector<IntBlock> sent(index(p_)), received(index(p_));
    for (Rank from = 0; from < p_; ++from)
      for (Rank to = 0; to < p_; ++to) {
        const std::size_t count = draw(), back = is_in_place ? count : draw();
        if (to < from) continue;
        if (from == me_) sent[index(to)] = block(from, to, count), received[index(to)] = block(to, from, to == from ? count : back);
        if (to == me_ && to != from) sent[index(from)] = block(to, from, back), received[index(from)] = block(from, to, count);
      }
    const Placed out = placed(received);
    call.expected = out.memory;
    call.output = before(out, nothing);
    if (is_in_place) {
      for (std::size_t rank = 0; rank < sent.size(); ++rank)
        if (!sent[rank].empty()) std::copy(sent[rank].begin(), sent[rank].end(), call.output.begin() + out.places[rank]);
      return run(
          call, out, [&](const Blocks& blocks) { alltoallv(ranks_, in_place, {}, call.output, blocks); },
          [&](const Blocks& blocks) { return ialltoallv(ranks_, in_place, {}, call.output, blocks); });
    }
    const Placed in = placed(sent);
    call.input = in.memory;
    if (starts_)
      call.request = ialltoallv(ranks_, call.input, in_call(in), call.output, in_call(out));
    else
      alltoallv(ranks_, call.input, in_call(in), call.output, in_call(out));
  }

  void end(std::size_t number) {
    OpenCall& call = *open_[number];
    call.request.wait();
    EXPECT_EQ(call.output, call.expected) << "rank " << me_ << " of " << p_ << ", some call up to " << call_;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(number));
  }

  Communicator& ranks_;
  const Rank me_;
  const Count p_;
  std::mt19937_64 all_, own_;
  std::vector<std::unique_ptr<OpenCall>> open_;
  Count call_ = 0;
  std::size_t most_ = 0;
  Rank root_ = 0;
  bool starts_ = false, displaced_ = false;
};

TEST(IrregularCalls, DeliverTheRightDataWhateverTheCounts) {
  for (const Count p : {1, 2, 3, 5}) run_threads(p, [p](Communicator& ranks) { RandomCalls(ranks, index(p)).run(200); });
}

TEST(IrregularCalls, DeliverTheRightDataAmongProcesses) {
  run_threads(3, [](Communicator& threads) { RandomCalls(*shared_by_processes(threads), 7).run(200); });
}

TEST(IrregularCalls, DeliverTheRightDataIfRanksCompare) {
  const Variable check("QUADRILLE_CHECK", "1");
  run_threads(3, [](Communicator& ranks) { RandomCalls(ranks, 8).run(60); });
}

}  // namespace
}  // namespace quadrille
