// SPDX-License-Identifier: BSD-3-Clause
// Thousands of communicators, as programs make them: split, duplicated, made from groups of ranks, and nested. The library uses
// them for all kinds of plans with checked data; they are freed in any order, before our objects or after. Everything that a
// correct program may vary is drawn at random. At the end, the process must not have more descriptors, mappings, memory and MPI
// contexts than after the first fifth. Some communicators and plans still exist at MPI_Finalize; some of them are destroyed after
// it, some never. Usage, under mpirun: groups [--communicators N] [--seed S] [--threads N]
#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>

#include "execute/shared/memory/process.hpp"
#include "quadrille/mpi.hpp"
#include "support/occasion.hpp"
#include "support/resources.hpp"

namespace quadrille::testing {
namespace {

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw std::runtime_error(fmt::format("{} failed", call));
}

// A communicator and our objects for it. Its ranks draw the same numbers from `random`.
class Group {
 public:
  Group(MPI_Comm handle, std::uint64_t seed) : random_(seed), handle_(handle) { MPI_Comm_size(handle, &size_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Any order of destruction is legal, as long as all ranks use the same.
  ~Group() {
    std::array<int, 4> order{0, 1, 2, 3};
    std::shuffle(order.begin(), order.end(), random_);
    for (const int what : order) {
      if (what == 0) uses_.clear();
      if (what == 1) ranks_.reset();
      if (what == 2) again_.reset();
      if (what == 3) free_handle();
    }
  }

  // Makes plans and executes each one to three times.
  void use() {
    ranks_ = over(handle_);
    if (below(4) == 0) again_ = over(handle_);
    for (auto plans = 1 + below(2); plans > 0; --plans) uses_.emplace_back(again_ && below(2) ? *again_ : *ranks_, random_, true);
    use_again();
    if (below(4) == 0) free_handle();
  }

  void use_again() {
    for (auto times = 1 + below(3); times > 0; --times)
      for (Occasion& each : uses_)
        if (const std::string wrong = each.run(random_); !wrong.empty()) throw std::runtime_error(wrong);
  }

  // Collective. Returns null if this rank is not in the new group, or if MPI's communicator has been freed.
  std::unique_ptr<Group> make_another() {
    if (handle_ == MPI_COMM_NULL) return nullptr;
    const std::uint64_t seed = random_();
    switch (below(3)) {
      case 0: return split(seed);
      case 1: return group_of_some(seed);
      default: return duplicate(seed);
    }
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  int rank() const {
    int mine = 0;
    MPI_Comm_rank(handle_, &mine);
    return mine;
  }

  static std::unique_ptr<Group> made(MPI_Comm handle, std::uint64_t seed) {
    return handle == MPI_COMM_NULL ? nullptr : std::make_unique<Group>(handle, seed);
  }

  std::unique_ptr<Group> duplicate(std::uint64_t seed) {
    MPI_Comm handle = MPI_COMM_NULL;
    check(MPI_Comm_dup(handle_, &handle), "MPI_Comm_dup");
    return made(handle, seed);
  }

  std::unique_ptr<Group> split(std::uint64_t seed) {
    std::vector<int> colours, keys;
    for (int i = 0; i < size_; ++i) {
      colours.push_back(below(6) == 0 ? MPI_UNDEFINED : static_cast<int>(below(2)));
      keys.push_back(static_cast<int>(below(4)));
    }
    const int colour = colours[static_cast<std::size_t>(rank())], key = keys[static_cast<std::size_t>(rank())];
    MPI_Comm handle = MPI_COMM_NULL;
    check(MPI_Comm_split(handle_, colour, key, &handle), "MPI_Comm_split");
    return made(handle, seed + static_cast<std::uint64_t>(colour == MPI_UNDEFINED ? 0 : colour));
  }

  // Called by the members only (MPI_Comm_create_group).
  std::unique_ptr<Group> group_of_some(std::uint64_t seed) {
    std::vector<int> members(static_cast<std::size_t>(size_));
    std::iota(members.begin(), members.end(), 0);
    std::shuffle(members.begin(), members.end(), random_);
    members.resize(1 + below(members.size()));
    if (std::find(members.begin(), members.end(), rank()) == members.end()) return nullptr;
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm handle = MPI_COMM_NULL;
    MPI_Comm_group(handle_, &all);
    MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some);
    check(MPI_Comm_create_group(handle_, some, 1, &handle), "MPI_Comm_create_group");
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return made(handle, seed);
  }

  void free_handle() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (handle_ != MPI_COMM_NULL && !ended) MPI_Comm_free(&handle_);
  }

  std::mt19937_64 random_;
  MPI_Comm handle_;
  int size_ = 1;
  std::unique_ptr<Communicator> ranks_, again_;
  std::vector<Occasion> uses_;
};

// A changing set of groups. All ranks of the first group work on the same entry at a time, so that no rank waits for another for
// ever.
class Mixture {
 public:
  Mixture(MPI_Comm parent, std::uint64_t seed) : random_(seed) {
    MPI_Comm handle = MPI_COMM_NULL;
    check(MPI_Comm_dup(parent, &handle), "MPI_Comm_dup");
    all_ = std::make_unique<Group>(handle, seed);
  }

  void run(long communicators) {
    while (communicators > 0) {
      auto& place = places_[random_() % places_.size()];
      if (random_() % 3 == 0) {
        if (place) place->use_again();
        continue;
      }
      Group* parent = random_() % 2 ? all_.get() : places_[random_() % places_.size()].get();
      auto made = parent ? parent->make_another() : nullptr;  // made before its parent is destroyed, which may be the present entry
      place = std::move(made);
      if (place) place->use();
      --communicators;
    }
  }

  void clear() {
    for (auto& place : places_) place.reset();
  }

  // Releases some groups without destroying them, as some programs do.
  void forget_some() {
    for (std::size_t i = 0; i < places_.size(); i += 2) static_cast<void>(places_[i].release());
  }

 private:
  std::mt19937_64 random_;
  std::unique_ptr<Group> all_;
  std::array<std::unique_ptr<Group>, 12> places_;
};

struct Settings {
  long communicators = 300, threads = 1;
  std::uint64_t seed = 1;
};

// Runs each mixture; if there are several, each on a thread of its own.
void run(std::vector<Mixture>& mixtures, long communicators) {
  const auto run_one = [&](Mixture& mixture) {
    try {
      mixture.run(communicators / static_cast<long>(mixtures.size()));
      mixture.clear();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);  // the others may be waiting
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < mixtures.size(); ++i) threads.emplace_back(run_one, std::ref(mixtures[i]));
  run_one(mixtures[0]);
  for (std::thread& each : threads) each.join();
}

struct Held : Resources {
  Bytes taken = 0;  // shared memory that this process has allocated
};

// Collective. Memory that peers may still read is released only some time after the last of them has finished; memory that one rank
// releases may allow others to continue.
Held held() {
  SharedFile &heap = Process::current()->heap(), &control = Process::current()->control();
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 1000; ++i) {  // each call may release some memory
      heap.release_retired();
      control.release_retired();
    }
  }
  return {resources(), heap.taken_bytes() + control.taken_bytes()};
}

// Returns what has grown between two moments at which there are no groups; empty if nothing. It tolerates what is no leak: malloc's
// arenas and threads' initial memory come late in some runs, MPI libraries keep up to 600 bytes of each freed communicator, and
// pages behind released memory stay with the process.
std::string growth(const Held& before, const Held& after, long communicators) {
  struct Row {
    const char* what;
    Count before, after, slack;
  };
  std::string text;
  for (const Row& row :
       {Row{"descriptors", before.descriptors, after.descriptors, 0}, Row{"mappings", before.mappings, after.mappings, 16},
        Row{"KiB allocated", before.allocated >> 10, after.allocated >> 10, 256 + communicators},
        Row{"bytes of shared memory", before.taken, after.taken, 0},
        Row{"KiB resident", before.resident >> 10, after.resident >> 10, (16 << 10) + communicators}})
    if (row.after > row.before + row.slack)
      text += fmt::format("{}: {} after a fifth of the communicators, {} in the end\n", row.what, row.before, row.after);
  return text;
}

// MPICH has 2,046 contexts, and the program makes 1,750 communicators here. That works if the library keeps at most 256 contexts
// for later use; about 40 are left for MPICH itself.
void hold_many_contexts() {
  if (mpi_library != "mpich") return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<MPI_Comm> held(1750, MPI_COMM_NULL);
  for (MPI_Comm& each : held) check(MPI_Comm_dup(MPI_COMM_WORLD, &each), "MPI_Comm_dup, for want of contexts");
  for (MPI_Comm& each : held) MPI_Comm_free(&each);
}

void soak(const Settings& settings, std::vector<Mixture>& mixtures) {
  for (long i = 0; i < settings.threads; ++i) mixtures.emplace_back(MPI_COMM_WORLD, settings.seed + static_cast<std::uint64_t>(i));
  const long first = settings.communicators / 5, rest = settings.communicators - first;
  run(mixtures, first);
  const Held before = held();
  run(mixtures, rest);
  if (const std::string grown = growth(before, held(), rest); !grown.empty()) throw std::runtime_error(grown);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 2) hold_many_contexts();  // takes seconds with more ranks than cores
  if (rank == 0)
    std::printf("%ld communicators of %d ranks on %ld threads: all right, nothing has grown\n", settings.communicators, size,
                settings.threads);
}

Settings settings_of(int count, char** arguments) {
  static constexpr option known[] = {{"communicators", required_argument, nullptr, 'c'},
                                     {"seed", required_argument, nullptr, 's'},
                                     {"threads", required_argument, nullptr, 't'},
                                     {nullptr, 0, nullptr, 0}};
  Settings settings;
  for (int found = 0; (found = ::getopt_long(count, arguments, "", known, nullptr)) != -1;) {
    switch (found) {
      case 'c': settings.communicators = std::stol(optarg); break;
      case 's': settings.seed = std::stoull(optarg); break;
      case 't': settings.threads = std::stol(optarg); break;
      default: std::exit(2);  // getopt has said why
    }
  }
  return settings;
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille::testing;
  const Settings settings = settings_of(count, arguments);
  int given = MPI_THREAD_SINGLE;
  MPI_Init_thread(&count, &arguments, settings.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
  if (settings.threads > 1 && given < MPI_THREAD_MULTIPLE) {
    std::printf("skipped: this MPI does not give MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  std::vector<Mixture> mixtures;
  try {
    soak(settings, mixtures);
    mixtures[0].run(20);
    mixtures[0].forget_some();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  mixtures.clear();
}
