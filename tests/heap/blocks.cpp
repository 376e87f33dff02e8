// SPDX-License-Identifier: BSD-3-Clause
// blocks WHAT: uses malloc as programs do, under libquadrille-heap. Not linked with Quadrille. The mappings of the process tell
// which addresses are in the heap. Prints "good", or says what is wrong.
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;

namespace {

constexpr std::size_t kibibyte = 1024, mebibyte = 1 << 20, large = 65536, page = 4096;

[[noreturn]] void fail(const char* what, int line) {
  std::fprintf(stderr, "wrong in line %d: %s\n", line, what);
  std::_Exit(1);
}
#define EXPECT(condition) \
  if (!(condition)) fail(#condition, __LINE__)

// ---- What the system tells

struct Mapping {
  std::uintptr_t begin, end;
  std::string name;
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> all;
  std::ifstream in("/proc/self/maps");
  for (std::string line; std::getline(in, line);) {
    Mapping one{};
    std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &one.begin, &one.end);
    one.name = line;
    all.push_back(one);
  }
  return all;
}

bool is_in_heap(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (const Mapping& one : mappings())
    if (address >= one.begin && address < one.end) return one.name.find("memfd:quadrille") != std::string::npos;
  return false;
}

// Bytes of the heap that hold memory of the system.
std::size_t resident_bytes() {
  std::size_t most = 0;
  for (int file = 0; file < 1024; ++file) {
    char path[64], name[64] = {};
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct stat status {};
    if (::readlink(path, name, sizeof name - 1) > 0 && std::strstr(name, "memfd:quadrille") && ::fstat(file, &status) == 0)
      most = std::max(most, static_cast<std::size_t>(status.st_blocks) * 512);
  }
  EXPECT(most > 0);  // there is a title at least
  return most;
}

// ---- Blocks with contents that their number tells

struct Block {
  std::uint64_t number;
  char* memory;
  std::size_t bytes;
};

// Writes a word in each page, and at the end of the block.
void stamp(const Block& block) {
  for (std::size_t at = 0; at + 8 <= block.bytes; at += page) std::memcpy(block.memory + at, &block.number, 8);
}

// Are the first bytes as `stamp` has left them?
bool is_stamped(const Block& block, std::size_t bytes) {
  for (std::size_t at = 0; at + 8 <= bytes; at += page)
    if (std::memcmp(block.memory + at, &block.number, 8) != 0) return false;
  return true;
}

bool is_zero(const char* memory, std::size_t bytes) {
  return bytes == 0 || (memory[0] == 0 && std::memcmp(memory, memory + 1, bytes - 1) == 0);
}

std::size_t random_size(std::mt19937_64& random) {
  const std::uint64_t kind = random() % 100;
  return kind < 20 ? random() % large : kind < 99 ? large + random() % (512 * kibibyte) : random() % (16 * mebibyte);
}

char* allocate_somehow(std::mt19937_64& random, std::size_t bytes, bool is_heap) {
  std::size_t alignment = 16;
  void* memory = nullptr;
  switch (random() % 6) {
    case 0:
      memory = std::calloc(bytes / 8 + 1, 8);
      EXPECT(memory && is_zero(static_cast<char*>(memory), bytes));
      break;
    case 1:
      alignment = std::size_t{8} << random() % 14;
      EXPECT(::posix_memalign(&memory, alignment, bytes) == 0);
      break;
    case 2:
      alignment = std::size_t{16} << random() % 9;
      memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
      break;
    default: memory = std::malloc(bytes);
  }
  EXPECT(memory && reinterpret_cast<std::uintptr_t>(memory) % alignment == 0 && ::malloc_usable_size(memory) >= bytes);
  if (random() % 1000 == 0) EXPECT(is_in_heap(memory) == (is_heap && bytes >= large && alignment <= page));
  return static_cast<char*>(memory);
}

// Random operations, compared with a model: each live block keeps its contents.
void random_operations(std::uint64_t seed, long count, bool is_heap = true) {
  std::mt19937_64 random(seed);
  std::vector<Block> blocks;
  for (long step = 0; step < count; ++step) {
    const std::uint64_t kind = random() % 10;
    const std::size_t bytes = random_size(random);
    if (blocks.empty() || (kind < 5 && blocks.size() < 50)) {
      blocks.push_back({random(), allocate_somehow(random, bytes, is_heap), bytes});
      stamp(blocks.back());
      continue;
    }
    Block& block = blocks[random() % blocks.size()];
    EXPECT(is_stamped(block, block.bytes));
    if (kind < 8) {
      std::free(block.memory);
      block = blocks.back();
      blocks.pop_back();
    } else {
      const std::size_t wanted = random() % 2 ? bytes + 1 : block.bytes + random() % (64 * kibibyte) + 1;
      block.memory = static_cast<char*>(std::realloc(block.memory, wanted));
      EXPECT(block.memory && ::malloc_usable_size(block.memory) >= wanted);
      EXPECT(is_stamped(block, std::min(block.bytes, wanted)));
      block.bytes = wanted;
      stamp(block);
    }
  }
  for (const Block& block : blocks) {
    EXPECT(is_stamped(block, block.bytes));
    std::free(block.memory);
  }
}

void threads(long count) {
  std::vector<std::thread> all;
  for (std::uint64_t k = 0; k < 4; ++k) all.emplace_back([=] { random_operations(100 + k, count); });
  for (std::thread& one : all) one.join();
}

// ---- Single functions

void functions() {
  char* memory = static_cast<char*>(std::malloc(large));
  EXPECT(is_in_heap(memory) && reinterpret_cast<std::uintptr_t>(memory) % page == 0);
  EXPECT(::malloc_usable_size(memory) == large);
  memory = static_cast<char*>(std::realloc(memory, 3 * large + 1));
  EXPECT(is_in_heap(memory) && ::malloc_usable_size(memory) == 3 * large + page);
  std::memset(memory, 7, 3 * large);
  memory = static_cast<char*>(std::realloc(memory, 100));  // becomes small, and large again
  EXPECT(!is_in_heap(memory) && memory[99] == 7);
  memory = static_cast<char*>(::reallocarray(memory, 2, large));
  EXPECT(is_in_heap(memory) && memory[99] == 7);
  EXPECT(!std::realloc(memory, 0));

  const auto large_enough = [](void* block) {
    EXPECT(is_in_heap(block));
    std::free(block);
  };
  large_enough(::memalign(64, large));
  large_enough(::valloc(large));
  large_enough(::pvalloc(large - 1));
  large_enough(std::aligned_alloc(4096, large));
  large_enough(::strdup(std::string(large, 'x').c_str()));
  const std::vector<double> numbers(large);
  EXPECT(is_in_heap(numbers.data()));
  void* aligned = nullptr;
  EXPECT(::posix_memalign(&aligned, 24, large) == EINVAL && ::posix_memalign(&aligned, 2, large) == EINVAL);
  EXPECT(::posix_memalign(&aligned, 2 * mebibyte, large) == 0 && !is_in_heap(aligned));
  std::free(aligned);

  errno = 5;
  std::free(std::malloc(300 * mebibyte));
  std::free(std::malloc(301 * mebibyte));  // needs new pages, so the released ones are given back before
  EXPECT(errno == 5);
  for (const std::size_t absurd : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, std::size_t{1} << 46, std::size_t{1} << 50}) {
    errno = 0;
    volatile std::size_t bytes = absurd;
    EXPECT(!std::malloc(bytes) && errno == ENOMEM);
    EXPECT(!std::calloc(bytes, 8) && !std::calloc(8, bytes) && !::reallocarray(nullptr, bytes, 8));
  }
  EXPECT(!::pvalloc(SIZE_MAX));
}

// A block that grows by small steps moves seldom, also beside others that grow, and keeps its holes.
void growth() {
  std::vector<Block> blocks;
  for (std::uint64_t k = 0; k < 4; ++k) blocks.push_back({k + 1, nullptr, 0});
  int moves = 0;
  for (std::size_t bytes = large; bytes <= 64 * mebibyte; bytes += large)
    for (Block& block : blocks) {
      char* const memory = static_cast<char*>(std::realloc(block.memory, bytes));
      EXPECT(is_in_heap(memory));
      if (memory != block.memory) ++moves;
      block = {block.number, memory, bytes};
      if (bytes % (16 * large) == 0) EXPECT(is_stamped(block, bytes - large));
      stamp({block.number, memory + bytes - large, large});
    }
  EXPECT(moves <= 60);
  for (const Block& block : blocks) std::free(block.memory);
  std::free(std::malloc(1024 * mebibyte));  // needs new pages, so released ones are given back
  EXPECT(resident_bytes() <= 80 * mebibyte);

  // Neither calloc nor realloc touches pages that nobody has touched.
  char* memory = static_cast<char*>(std::calloc(1, 512 * mebibyte));
  memory[256 * mebibyte] = 1;
  const std::size_t before = resident_bytes();
  for (int k = 0; k < 4; ++k) blocks[static_cast<std::size_t>(k)].memory = static_cast<char*>(std::malloc(512 * mebibyte));
  memory = static_cast<char*>(std::realloc(memory, 900 * mebibyte));
  EXPECT(memory[256 * mebibyte] == 1 && resident_bytes() <= before + mebibyte);
  EXPECT(is_zero(memory, 8 * mebibyte));
}

// Blocks of calloc are zero, whatever their pages held before; and a long mixed run does not grow.
void reuse(int rounds) {
  // What nobody takes for a second is given back.
  char* const released = static_cast<char*>(std::malloc(40 * mebibyte));
  std::memset(released, 1, 40 * mebibyte);
  std::free(released);
  EXPECT(resident_bytes() >= 40 * mebibyte);
  std::this_thread::sleep_for(std::chrono::milliseconds(1400));
  std::free(std::malloc(large));
  EXPECT(resident_bytes() <= 6 * mebibyte);

  std::mt19937_64 random(3);
  std::vector<Block> blocks;
  std::size_t held = 0, most_held = 0;
  for (int round = 0; round < rounds; ++round) {
    if (held < 128 * mebibyte) {
      const std::size_t bytes = large + random() % (4 * mebibyte);
      char* const memory = static_cast<char*>(round % 2 ? std::calloc(1, bytes) : std::malloc(bytes));
      if (round % 2) EXPECT(is_zero(memory, bytes));
      std::memset(memory, round | 1, bytes);
      blocks.push_back({0, memory, bytes});
      most_held = std::max(most_held, held += bytes);
    } else {
      for (int k = 0; k < 20; ++k) {
        const std::size_t which = random() % blocks.size();
        std::free(blocks[which].memory);
        held -= blocks[which].bytes;
        blocks[which] = blocks.back();
        blocks.pop_back();
      }
    }
  }
  EXPECT(resident_bytes() <= most_held + 96 * mebibyte);
  for (const Block& block : blocks) std::free(block.memory);
  std::free(std::malloc(1024 * mebibyte));
  EXPECT(resident_bytes() <= 72 * mebibyte);
}

// ---- Children

int status_of(pid_t child) {
  int status = -1;
  EXPECT(child > 0 && ::waitpid(child, &status, 0) == child);
  return status;
}

template <class Function>
int in_child(Function&& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    function();
    std::_Exit(0);
  }
  return status_of(child);
}

void forks(std::size_t bytes) {
  std::vector<Block> blocks;
  for (std::uint64_t k = 0; k < 8; ++k) {
    blocks.push_back({k + 1, static_cast<char*>(std::malloc(bytes / 8)), bytes / 8});
    stamp(blocks.back());
  }
  char* const sparse = static_cast<char*>(std::calloc(1, 4096 * mebibyte));  // mostly holes, which are not copied
  sparse[1000 * mebibyte] = 5;
  int there[2], back[2];
  EXPECT(::pipe(there) == 0 && ::pipe(back) == 0);
  char sign = 0;
  const pid_t child = ::fork();
  for (const int end : child == 0 ? std::array{there[1], back[0]} : std::array{there[0], back[1]}) ::close(end);
  if (child == 0) {
    EXPECT(::read(there[0], &sign, 1) == 1);  // the parent has written to its blocks since
    for (Block& block : blocks) EXPECT(is_stamped(block, block.bytes) && !is_in_heap(block.memory));
    EXPECT(sparse[1000 * mebibyte] == 5 && sparse[999 * mebibyte] == 0);
    for (Block& block : blocks) stamp({77, block.memory, block.bytes});
    blocks[0].memory = static_cast<char*>(std::realloc(blocks[0].memory, 2 * blocks[0].bytes));
    EXPECT(is_stamped({77, blocks[0].memory, 0}, blocks[0].bytes) && !is_in_heap(blocks[0].memory));
    blocks[1].memory = static_cast<char*>(std::realloc(blocks[1].memory, blocks[1].bytes / 2));
    EXPECT(is_stamped({77, blocks[1].memory, 0}, blocks[1].bytes / 2) &&
           ::malloc_usable_size(blocks[1].memory) >= blocks[1].bytes / 2);
    EXPECT(in_child([&] {
             EXPECT(is_stamped({77, blocks[2].memory, 0}, blocks[2].bytes));
             for (Block& block : blocks) std::free(block.memory);
           }) == 0);
    EXPECT(is_stamped({77, blocks[2].memory, 0}, blocks[2].bytes));
    for (Block& block : blocks) std::free(block.memory);
    EXPECT(!is_in_heap(std::malloc(mebibyte)));
    random_operations(5, 200, false);
    EXPECT(::write(back[1], &sign, 1) == 1 && ::read(there[0], &sign, 1) == 1);
    std::_Exit(0);
  }
  EXPECT(child > 0);
  ::signal(SIGPIPE, SIG_IGN);
  for (Block& block : blocks) stamp({block.number + 10, block.memory, block.bytes});
  EXPECT(::write(there[1], &sign, 1) == 1 && ::read(back[0], &sign, 1) == 1);
  for (Block& block : blocks) EXPECT(is_stamped({block.number + 10, block.memory, 0}, block.bytes));
  EXPECT(::write(there[1], &sign, 1) == 1);
  EXPECT(status_of(child) == 0);
  for (Block& block : blocks) std::free(block.memory);

  // A child that ends at once or is killed does not hold its parent up; and a second fork works as the first.
  EXPECT(in_child([] {}) == 0);
  EXPECT(WTERMSIG(in_child([] { ::raise(SIGKILL); })) == SIGKILL);
  EXPECT(sparse[1000 * mebibyte] == 5);
}

// Other threads allocate and release while the process forks.
void forks_among_threads() {
  volatile bool is_over = false;
  std::vector<std::thread> all;
  for (std::uint64_t k = 0; k < 3; ++k)
    all.emplace_back([&, k] {
      for (std::uint64_t round = k; !is_over; round += 10) random_operations(round, 50);
    });
  for (int round = 0; round < 30; ++round) {
    char* const memory = static_cast<char*>(std::malloc(large + 1));
    memory[large] = static_cast<char>(round);
    EXPECT(in_child([=] {
             EXPECT(memory[large] == static_cast<char>(round));
             std::free(memory);
           }) == 0);
    std::free(memory);
  }
  is_over = true;
  for (std::thread& one : all) one.join();
}

std::string badness() {
  std::ifstream in("/proc/self/oom_score_adj");
  std::string word;
  in >> word;
  return word;
}

// Without memory for the copy the child says so and ends; the parent goes on.
void forks_without_memory() {
  char* const memory = static_cast<char*>(std::malloc(64 * mebibyte));
  std::memset(memory, 1, 64 * mebibyte);
  rlimit limit{};
  EXPECT(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlim_t before = std::exchange(limit.rlim_cur, 0);
  EXPECT(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  const int status = in_child([] {});
  limit.rlim_cur = before;
  EXPECT(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 127);
  const std::string usual = badness();
  EXPECT(in_child([&] { EXPECT(badness() == usual); }) == 0);
}

// These start other programs without a handler, so nothing is copied.
void spawns() {
  char* const memory = static_cast<char*>(std::malloc(512 * mebibyte));
  stamp({9, memory, 512 * mebibyte});
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 20; ++round) {
    pid_t child = 0;
    const char* const words[] = {"true", nullptr};
    EXPECT(::posix_spawnp(&child, "true", nullptr, nullptr, const_cast<char**>(words), environ) == 0 && status_of(child) == 0);
    EXPECT(std::system("true") == 0);
    FILE* const pipe = ::popen("echo $((1 + 1))", "r");
    EXPECT(pipe && std::fgetc(pipe) == '2' && ::pclose(pipe) == 0);
    child = ::vfork();
    if (child == 0) ::_exit(3);
    EXPECT(WEXITSTATUS(status_of(child)) == 3);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%.1f ms for each program\n", time.count() * 1000 / 60);
  EXPECT(is_stamped({9, memory, 0}, 512 * mebibyte));
}

// ---- Limits

void limits() {
  std::free(std::malloc(large));
  rlimit limit{};
  std::ifstream in("/proc/self/statm");
  std::size_t pages = 0;
  in >> pages;
  EXPECT(::getrlimit(RLIMIT_AS, &limit) == 0);
  limit.rlim_cur = pages * page + 200 * mebibyte;
  EXPECT(::setrlimit(RLIMIT_AS, &limit) == 0);
  std::vector<char*> blocks;
  for (;;) {
    char* const memory = static_cast<char*>(std::malloc(5 * mebibyte));
    if (!memory) break;
    memory[0] = memory[5 * mebibyte - 1] = 1;
    blocks.push_back(memory);
  }
  EXPECT(errno == ENOMEM && blocks.size() >= 30);  // the heap and the C library share what there is
  for (char* const memory : blocks) std::free(memory);
  char* const again = static_cast<char*>(std::malloc(5 * mebibyte));
  EXPECT(again);
}

// Waits to be dumped, with data in the heap that the dump must contain.
void waits() {
  char* const memory = static_cast<char*>(std::malloc(3 * mebibyte));
  std::snprintf(memory + 2 * mebibyte, 100, "%s %s", "data that is in the", "core dump");
  std::free(std::malloc(2000 * mebibyte));
  std::puts("ready");
  std::fflush(stdout);
  ::pause();
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const char* const is_long = std::getenv("QUADRILLE_LONG");
  const bool all = is_long && *is_long == '1';
  if (what == "off") {
    EXPECT(!is_in_heap(std::malloc(mebibyte)));
    EXPECT(!is_in_heap(std::calloc(1, mebibyte)));
  } else if (what == "on") {
    EXPECT(is_in_heap(std::malloc(mebibyte)));
  } else if (what == "functions") {
    functions();
  } else if (what == "random") {
    random_operations(1, all ? 1'000'000 : 100'000);
  } else if (what == "threads") {
    threads(all ? 100'000 : 10'000);
  } else if (what == "growth") {
    growth();
  } else if (what == "reuse") {
    reuse(all ? 200'000 : 2'000);
  } else if (what == "fork") {
    forks(8 * mebibyte);
    forks(512 * mebibyte);
  } else if (what == "fork-threads") {
    forks_among_threads();
  } else if (what == "fork-limits") {
    forks_without_memory();
  } else if (what == "spawn") {
    spawns();
  } else if (what == "limits") {
    limits();
  } else if (what == "wait") {
    waits();
  } else {
    EXPECT(!"a word that is known");
  }
  std::puts("good");
}
