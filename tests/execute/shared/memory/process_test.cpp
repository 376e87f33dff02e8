// SPDX-License-Identifier: BSD-3-Clause
// Tests how processes meet: with genuine and forged cards, and with processes that are killed or forked.
#include "execute/shared/memory/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "execute/shared/memory/shared_file.hpp"
#include "quadrille/error.hpp"
#include "support/child_process.hpp"
#include "support/pipes.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

constexpr Bytes one_mebibyte = Bytes{1} << 20;

Count count_descriptors() {
  std::error_code none;
  const std::filesystem::directory_iterator entries("/proc/self/fd", none);
  return none ? 0 : std::distance(begin(entries), end(entries));
}

// Returns how many mappings in this process have this word in their file's name.
Count count_mappings(const char* word = "memfd:quadrille") {
  std::ifstream in("/proc/self/maps");
  Count count = 0;
  for (std::string line; std::getline(in, line);)
    if (line.find(word) != std::string::npos) ++count;
  return count;
}

std::string reason(Process& process, const ProcessCard& card) {
  try {
    process.meet(card);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment) << error.what();
    return error.what();
  }
}

// Another process, forked before any Process is made here, with a pipe in each direction. Its exit code tells whether all was
// right.
class Child {
 public:
  explicit Child(const std::function<bool(int in, int out)>& run) {
    int down[2], up[2];
    if (::pipe(down) != 0 || ::pipe(up) != 0) throw std::runtime_error("pipe");
    number_ = ::fork();
    if (number_ == 0) {
      ::close(down[1]);
      ::close(up[0]);
      ::_exit(run(down[0], up[1]) ? 0 : 1);
    }
    ::close(down[0]);
    ::close(up[1]);
    in_ = up[0];
    out_ = down[1];
  }
  ~Child() {
    if (number_ > 0) {
      kill();
      wait();
    }
    ::close(in_);
    ::close(out_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t number() const { return number_; }
  int in() const { return in_; }
  int out() const { return out_; }

  int wait() {
    int status = -1;
    EXPECT_EQ(::waitpid(number_, &status, 0), number_);
    number_ = 0;
    return status;
  }
  void kill() {  // leaves a zombie
    ::kill(number_, SIGKILL);
    siginfo_t info{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(number_), &info, WEXITED | WNOWAIT), 0);
  }

 private:
  pid_t number_ = 0;
  int in_ = -1, out_ = -1;
};

TEST(Process, SharesBothFilesWithAnother) {
  Process one, other;
  EXPECT_NE(one.card().id, other.card().id);
  EXPECT_EQ(one.known(other.card().id), nullptr);
  const auto peer = one.meet(other.card());
  EXPECT_EQ(one.meet(other.card()), peer);
  EXPECT_EQ(one.known(other.card().id), peer);
  EXPECT_EQ(other.known(one.card().id), nullptr);
  EXPECT_EQ(peer->card().id, other.card().id);
  EXPECT_TRUE(peer->is_there());
  EXPECT_EQ(peer->mapped_bytes(), 2 * one_mebibyte);

  const Place heap = other.heap().allocate(5 * one_mebibyte), control = other.control().allocate(64);
  *other.heap().at(heap) = std::byte{1};
  *peer->at(FileKind::control, control) = std::byte{2};
  EXPECT_EQ(*peer->at(FileKind::heap, heap), std::byte{1});
  EXPECT_EQ(*other.control().at(control), std::byte{2});
}

TEST(Process, IsItsOwnPeer) {
  Process process;
  const Count mappings = count_mappings();
  const auto peer = process.meet(process.card());
  const Place heap = process.heap().allocate(64), control = process.control().allocate(64);
  EXPECT_EQ(peer->at(FileKind::heap, heap), process.heap().at(heap));
  EXPECT_EQ(peer->at(FileKind::control, control), process.control().at(control));
  EXPECT_EQ(process.known(process.card().id), peer);
  EXPECT_TRUE(peer->is_there());
  EXPECT_EQ(peer->mapped_bytes(), 0);
  EXPECT_EQ(count_mappings(), mappings);
}

TEST(Process, KeepsItsKnownProcesses) {
  Process process;
  EXPECT_EQ(process.known_processes().id, 0u);
  process.set_known_processes({7, 3, true, 100});
  EXPECT_EQ(process.known_processes().id, 7u);
  EXPECT_EQ(process.known_processes().size, 3);
}

TEST(Process, MeetsAnotherProcessUntilThatIsKilled) {
  Child child([](int in, int out) {
    Process process;
    send(out, process.card());
    const auto peer = process.meet(receive<ProcessCard>(in));
    const Place theirs = receive<Place>(in);
    const bool read = *peer->at(FileKind::heap, theirs) == std::byte{1};
    *peer->at(FileKind::control, theirs) = std::byte{2};
    const Place heap = process.heap().allocate(64), large = process.heap().allocate(3 * one_mebibyte);
    *process.heap().at(heap) = std::byte{3};
    send(out, heap);
    send(out, large);
    receive<char>(in);  // blocks for ever, because nothing is sent
    return read;
  });
  Process process;
  const auto card = receive<ProcessCard>(child.in());
  const auto peer = process.meet(card);
  EXPECT_NE(card.process, ::getpid());
  EXPECT_EQ(card.host, process.card().host);
  EXPECT_TRUE(peer->is_there());
  const Place heap = process.heap().allocate(64), control = process.control().allocate(64);
  ASSERT_EQ(heap, control);
  *process.heap().at(heap) = std::byte{1};
  send(child.out(), process.card());
  send(child.out(), heap);
  const Place theirs = receive<Place>(child.in()), large = receive<Place>(child.in());
  EXPECT_EQ(*process.control().at(control), std::byte{2});
  EXPECT_EQ(*peer->at(FileKind::heap, theirs), std::byte{3});

  const auto expect_lost = [&] {
    EXPECT_FALSE(peer->is_there());
    try {
      peer->at(FileKind::heap, large);
      ADD_FAILURE() << "another extent of a process that has ended";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::peer_lost) << error.what();
    }
    EXPECT_EQ(*peer->at(FileKind::heap, theirs), std::byte{3});  // mapped extents stay valid
    Process another;
    EXPECT_NE(reason(another, card), "");
  };
  child.kill();
  expect_lost();
  child.wait();
  expect_lost();
}

// A process name may contain the characters that delimit it in /proc/PID/stat.
TEST(ProcessState, ReadsAnyName) {
  const auto before = process_state("/proc/self");
  char name[16];
  ASSERT_EQ(::prctl(PR_GET_NAME, name), 0);
  ASSERT_EQ(::prctl(PR_SET_NAME, "a) Z 1 (b c"), 0);
  const auto state = process_state("/proc/self");
  ::prctl(PR_SET_NAME, name);
  ASSERT_TRUE(before && state);
  EXPECT_TRUE(state->runs);
  EXPECT_GT(state->started, 0u);
  EXPECT_EQ(state->started, before->started);
}

TEST(ProcessState, TellsWhetherItRuns) {
  Child child([](int in, int) {
    receive<char>(in);
    return true;
  });
  const std::string directory = "/proc/" + std::to_string(child.number());
  ASSERT_TRUE(process_state(directory));
  EXPECT_TRUE(process_state(directory)->runs);
  child.kill();
  ASSERT_TRUE(process_state(directory));
  EXPECT_FALSE(process_state(directory)->runs);
  child.wait();
  EXPECT_FALSE(process_state(directory));
  EXPECT_FALSE(process_state("/proc/-1"));
}

TEST(Process, ReadsPrivateMemoryIfPermitted) {
  const std::uint64_t word = 0xfedcba9876543210;
  std::uint64_t found = 0;
  Process process, other;
  ProcessCard card = other.card();
  card.probe = reinterpret_cast<std::uintptr_t>(&word);  // the word does not hold the id
  EXPECT_FALSE(process.meet(card)->reads_private_memory());
  Process another;
  card.probe = 8;  // no memory is mapped at this address
  EXPECT_FALSE(another.meet(card)->reads_private_memory());
  Process third;
  const auto peer = third.meet(other.card());
  iovec here{&found, sizeof found}, there{const_cast<std::uint64_t*>(&word), sizeof word};
  const bool may = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == sizeof word && found == word;
  EXPECT_EQ(peer->reads_private_memory(), may);
}

TEST(Process, RefusesForgedCards) {
  Child child([](int in, int out) {
    Process process;
    send(out, process.card());
    receive<char>(in);
    return true;
  });
  Process process;
  const auto genuine = receive<ProcessCard>(child.in());
  const Count mappings = count_mappings();
  struct Case {
    const char* what;
    std::function<void(ProcessCard&)> forge;
    const char* sentence;  // a part of the error's text
  };
  const std::vector<Case> cases{
      {"host", [](ProcessCard& card) { ++card.host; }, "another machine"},
      {"no host", [](ProcessCard& card) { card.host = 0; }, "mount it"},
      {"pid namespace", [](ProcessCard& card) { ++card.pid_space; }, "--pid="},
      {"no pid namespace", [](ProcessCard& card) { card.pid_space = 0; }, "mount it"},
      {"number of nobody", [](ProcessCard& card) { card.process = 1 << 30; }, "no such process"},
      {"number below 0", [](ProcessCard& card) { card.process = -1; }, "no such process"},
      {"own number", [](ProcessCard& card) { card.process = ::getpid(), card.started = 1; }, "another process"},
      {"start", [](ProcessCard& card) { ++card.started; }, "another process"},
      {"inode of the heap", [](ProcessCard& card) { ++card.heap_inode; }, "not the one"},
      {"inode of the control file", [](ProcessCard& card) { ++card.control_inode; }, "not the one"},
      {"id", [](ProcessCard& card) { ++card.id; }, "not the one"},
      {"descriptor of the heap", [](ProcessCard& card) { card.heap = 1 << 20; }, "no such process or file"},
      {"descriptor below 0", [](ProcessCard& card) { card.control = -1; }, "no such process or file"},
      {"standard input", [](ProcessCard& card) { card.heap = 0; }, "not the one"},
      {"kinds", [](ProcessCard& card) { std::swap(card.heap, card.control), std::swap(card.heap_inode, card.control_inode); },
       "not the one"},
      {"nothing", [](ProcessCard& card) { card = ProcessCard{}; }, "mount it"},
  };
  for (const Case& one : cases) {
    ProcessCard card = genuine;
    one.forge(card);
    EXPECT_NE(reason(process, card).find(one.sentence), std::string::npos) << one.what << ": " << reason(process, card);
    EXPECT_EQ(process.known(card.id), nullptr) << one.what;
  }
  EXPECT_EQ(count_mappings(), mappings);
  EXPECT_EQ(reason(process, genuine), "");
}

// A program that spawns processes again and again meets many of them, and must not remember all.
TEST(Process, ForgetsPeersThatAreGone) {
  Process process;
  const Count mappings = count_mappings();
  Process friend_in_use, friend_that_lives;
  const auto held = process.meet(friend_in_use.card());
  const auto held_of_gone = process.meet(Process().card());
  process.meet(friend_that_lives.card());
  for (int i = 0; i < 100; ++i) {
    Process passing;
    process.meet(passing.card());
  }
  EXPECT_LE(count_mappings(), mappings + 10 + 2 * 20);
  EXPECT_EQ(process.known(friend_in_use.card().id), held);
  EXPECT_EQ(process.known(held_of_gone->card().id), held_of_gone);
  EXPECT_NE(process.known(friend_that_lives.card().id), nullptr);
}

TEST(Process, LeavesNothingBehind) {
  const Count descriptors = count_descriptors(), mappings = count_mappings(), named = count_mappings("/dev/shm/");
  {
    Process one, other;
    EXPECT_EQ(count_descriptors(), descriptors + 4);
    const auto peer = one.meet(other.card());
    const Place place = other.heap().allocate(5 * one_mebibyte);
    *other.heap().at(place) = std::byte{1};
    EXPECT_EQ(*peer->at(FileKind::heap, place), std::byte{1});
    EXPECT_EQ(count_descriptors(), descriptors + 4);  // no descriptor stays open for a peer
    EXPECT_EQ(count_mappings("/dev/shm/"), named) << "a file with a name would stay if the process were killed";
    EXPECT_GT(count_mappings(), mappings);
  }
  EXPECT_EQ(count_descriptors(), descriptors);
  EXPECT_EQ(count_mappings(), mappings);
}

TEST(Process, CurrentIsRefusedInAForkedChild) {
  EXPECT_TRUE(testing::holds_in_a_child([] {
    const auto process = std::make_shared<Process>();
    if (Process::current() != Process::current() || Process::current() == process) return false;
    return testing::holds_in_a_child([] {
      try {
        Process::current();
        return false;
      } catch (const Error& error) {
        return error.code() == ErrorCode::misuse;
      }
    });
  }));
}

TEST(Process, OutlivesItsForkedChild) {
  const auto process = std::make_shared<Process>();
  Process other;
  auto peer = process->meet(other.card());
  const Place place = process->heap().allocate(2 * one_mebibyte);
  std::memset(process->heap().at(place), 5, 2 << 20);
  EXPECT_TRUE(testing::holds_in_a_child([&] {
    const bool knows = process->is_in_child() && other.is_in_child();
    process->heap().release(place);
    peer.reset();
    process->~Process();
    other.~Process();
    return knows;
  }));
  EXPECT_FALSE(process->is_in_child());
  EXPECT_EQ(process->heap().at(place)[1 << 20], std::byte{5});
  EXPECT_EQ(process->heap().taken_bytes(), 2 * one_mebibyte);
  EXPECT_TRUE(peer->is_there());
  EXPECT_EQ(*peer->at(FileKind::heap, 0), static_cast<std::byte>('q'));
}

// Making a file longer than the limit would kill the process.
TEST(Process, KeepsToTheLimitOfFileSizes) {
  const auto heap_bytes_at = [](rlim_t most) {
    Child child([most](int, int out) {
      rlimit limit{most, RLIM_INFINITY};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
      Bytes bytes = 0;
      try {
        bytes = Process().heap().bytes();
      } catch (const Error& error) {
        bytes = std::string(error.what()).find("ulimit -f") != std::string::npos ? -1 : -2;
      }
      send(out, bytes);
      return true;
    });
    const auto bytes = receive<Bytes>(child.in());
    EXPECT_EQ(child.wait(), 0);
    return bytes;
  };
  EXPECT_EQ(heap_bytes_at(static_cast<rlim_t>(9 * one_mebibyte)), 8 * one_mebibyte);
  EXPECT_EQ(heap_bytes_at(static_cast<rlim_t>(one_mebibyte)), one_mebibyte);
  EXPECT_EQ(heap_bytes_at(static_cast<rlim_t>(one_mebibyte - 1)), -1);
}

}  // namespace
}  // namespace quadrille
