// SPDX-License-Identifier: BSD-3-Clause
// Tests that a group's memory is released when one of its processes ends without destroying its plans.
#include "execute/shared/group_space.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "execute/shared/meet.hpp"
#include "groups/chooser.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Bytes block_bytes = 40'000;  // so long that the blocks of a plan lie in heaps

// The objects of a rank; a rank that ends by _exit never destroys them.
struct Made {
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<Plan> plan;
};

Made make_and_execute(SharedCommunicator& strangers) {
  CopyCosts costs;
  costs.wait = 1;  // so that no message is long, and all are copied through the sender's heap
  Met met = meet(strangers, {}, costs);
  if (!met.node) throw Error(ErrorCode::environment, met.no_sharing);
  let_choose(*met.node);
  Made made{std::move(met.node), nullptr};
  const Count ranks = made.communicator->size();
  made.plan = std::make_unique<Plan>(plan(*made.communicator, Problem::alltoall(ranks, block_bytes)));
  std::vector<std::byte> source(static_cast<std::size_t>(ranks * block_bytes)), target(source.size());
  made.plan->execute(source.data(), target.data());
  return made;
}

Bytes taken_bytes() { return Process::current()->heap().taken_bytes() + Process::current()->control().taken_bytes(); }

// Runs each rank as a process of its own. Returns how many of them reported an error.
int count_wrong(Count ranks, const std::function<bool(SharedCommunicator&)>& part) {
  const Descriptor file = make_head_file(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    if (::fork() == 0) {
      bool right = false;
      try {
        const auto strangers = meet_at(open_head_file(file, ranks), rank, ranks);
        right = part(*strangers);
      } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
      }
      ::_exit(right ? 0 : 1);
    }
  int wrong = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    int status = -1;
    ::wait(&status);
    wrong += status != 0;
  }
  return wrong;
}

// What a child forked from a rank says when it calls the group.
std::string said_in_child(SharedCommunicator& strangers, const std::function<void(SharedCommunicator&)>& call) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  if (::fork() == 0) {
    std::string said = "nothing";
    try {
      call(strangers);
    } catch (const Error& error) {
      said = error.what();
    }
    ::_exit(::write(ends[1], said.data(), said.size()) < 0);
  }
  ::close(ends[1]);
  std::array<char, 256> text{};
  const ssize_t length = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  int status = -1;
  ::wait(&status);
  return status == 0 ? std::string(text.data(), index(std::max<ssize_t>(length, 0))) : "it crashed";
}

// Allocates so often that each retired place is checked many times.
void allocate_often() {
  for (int i = 0; i < 1000; ++i) {
    Process& process = *Process::current();
    process.heap().release(process.heap().allocate(64));
    process.control().release(process.control().allocate(64));
  }
}

// Rank `lost` exits without destroying its plan. The others must then get all their memory back, whether they made the group's head
// or not.
void expect_all_is_released(Count ranks, Rank lost) {
  const int wrong = count_wrong(ranks, [lost](SharedCommunicator& strangers) {
    const Bytes before = taken_bytes();
    Made made = make_and_execute(strangers);
    const bool has_taken = taken_bytes() > before;
    strangers.barrier();  // all ranks have executed the plan
    if (strangers.rank() == lost) ::_exit(has_taken ? 0 : 1);
    while (strangers.space()->is_there(lost)) ::usleep(1000);
    made.plan.reset();
    made.communicator.reset();
    // The other ranks leave as well, either regularly or by ending.
    for (int turn = 0; turn < 2000 && taken_bytes() > before; ++turn) {
      allocate_often();
      ::usleep(1000);
    }
    return has_taken && taken_bytes() == before;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(GroupSpace, ReleasesMemoryIfARankEndsWithoutLeaving) {
  expect_all_is_released(2, 1);
  expect_all_is_released(3, 2);
  expect_all_is_released(3, 1);
}

TEST(GroupSpace, ReleasesMemoryWhenAllHaveLeft) {
  const int wrong = count_wrong(3, [](SharedCommunicator& strangers) {
    const Bytes before = taken_bytes();
    Made made = make_and_execute(strangers);
    made = Made{};
    strangers.barrier();
    allocate_often();
    strangers.barrier();
    allocate_often();
    strangers.barrier();
    allocate_often();
    return taken_bytes() == before;
  });
  EXPECT_EQ(wrong, 0);
}

// At some distances the system is slow, and the bytes go another way.
TEST(GroupSpace, ReadsPrivateMemoryAtEachDistance) {
  const int wrong = count_wrong(2, [](SharedCommunicator& strangers) {
    std::vector<std::byte> own(200'000), read(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<std::byte>(i * 7 + i / 256);  // the same at both ranks
    const Met met = meet(strangers);
    SharedSpace& space = *met.node->space();
    std::array<const std::byte*, 2> memory{};
    const std::byte* const mine = own.data();
    space.all_gather(&mine, memory.data(), sizeof mine);
    bool is_right = true;
    for (std::size_t first = 0; first < 64; ++first)
      for (const std::size_t length : {100, 4097, 100'000}) {
        std::fill(read.begin(), read.end(), std::byte{0});
        const TargetPiece piece{read.data() + first, length};
        space.read_private(1 - space.rank(), memory[index(1 - space.rank())], {&piece, 1});
        is_right = is_right && std::equal(own.data(), own.data() + length, piece.place) &&
                   std::count(piece.place + length, read.data() + read.size(), std::byte{0}) ==
                       size(read) - static_cast<Count>(first + length);
      }
    space.barrier();  // before either rank frees its memory
    return is_right;
  });
  EXPECT_EQ(wrong, 0);
}

// Also before the first call of the group. The memory in which ranks meet does not exist in the child.
TEST(GroupSpace, RefusesAForkedChild) {
  const int wrong = count_wrong(2, [](SharedCommunicator& strangers) {
    const std::string refusal = "this process was forked from a rank of the group; only that rank can execute its plans";
    const std::string met = said_in_child(strangers, [](SharedCommunicator& group) { group.barrier(); });
    const std::string gathered = said_in_child(strangers, [](SharedCommunicator& group) {
      std::array<int, 2> all{};
      group.all_gather(&all[0], all.data(), sizeof all[0]);
    });
    strangers.barrier();
    if (met != refusal || gathered != refusal) std::cerr << met << '\n' << gathered << std::endl;
    return met == refusal && gathered == refusal;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace quadrille
