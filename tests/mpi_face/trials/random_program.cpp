// SPDX-License-Identifier: BSD-3-Clause
// Random MPI programs that know the expected contents of each receive buffer: all blocking collectives on all kinds of
// communicators, with random types, counts and operators, and with messages and nonblocking collectives in flight at the same time.
// Run under any launcher, without and with the drop-in. A seed gives the same programs for each number of ranks.
//   random_program [--seed FIRST] [--programs N] [--steps N] [--only STEP,STEP...] [--limit SECONDS] [--print]
//     --programs   default 30; 850 where QUADRILLE_LONG=1
//     --steps N    only the first N steps of each program; --only: only these steps; to make a failing program small
//     --limit      seconds for one program, default 30
//     --ours       names of collectives, separated by commas: the run fails unless both Quadrille and the MPI library ran
//     calls of each of them
//     --print      prints each step
#include <getopt.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include "communicators.hpp"
#include "witness.hpp"

namespace quadrille::trials {
namespace {

struct Settings {
  std::uint64_t seed = 1;
  long programs = 30, steps = 1000;
  std::set<long> only;
  std::string ours;
  bool print = false;
  unsigned limit_s = 30;
};

// For the signal handlers.
char where[256];
void say_where(int signal) {
  const auto say = [](const char* text) { (void)!::write(2, text, std::strlen(text)); };
  say(signal == SIGALRM ? "hangs in " : "killed in ");
  say(where);
  say("\n");
  ::_exit(1);
}

enum class Deed { call, start_call, message, make, free, complete };

struct Step {
  long number;
  Deed deed;
  long communicator;
  Collective collective;
  int times;
  std::uint64_t seed;
};

// Whether to free types and operators that a nonblocking collective still uses. Open MPI 4.1.4 then writes to wrong addresses.
#ifdef OPEN_MPI
constexpr bool frees_early = false;
#else
constexpr bool frees_early = true;
#endif

struct Pending {
  std::vector<MPI_Request> requests;
  std::unique_ptr<PreparedCall> call;
  long step;
};

std::vector<Step> steps_of(std::uint64_t seed) {
  Random random(hash({seed, 1}));
  std::vector<Step> steps;
  std::vector<long> alive{0, 1};  // MPI_COMM_WORLD, and a duplicate of it
  long made = 2;
  const Count length = 5 + random.below(12);
  for (long i = 0; i < length; ++i) {
    static const std::vector<Deed> deeds{Deed::call,       Deed::call,    Deed::call, Deed::call, Deed::call,
                                         Deed::start_call, Deed::message, Deed::make, Deed::free, Deed::complete};
    Step step{i, random.of(deeds), random.of(alive), static_cast<Collective>(random.below(collective_count)), 1, random()};
    if (step.deed == Deed::free && step.communicator < 2) step.deed = Deed::make;
    if (step.deed == Deed::make) alive.push_back(step.communicator = made++);
    if (step.deed == Deed::free) std::erase(alive, step.communicator);
    if (step.deed == Deed::call) step.times = static_cast<int>(random.one_in(2) ? 1 + random.below(4) : 1 + random.below(40));
    steps.push_back(step);
  }
  return steps;
}

class Program {
 public:
  Program(const Settings& settings, std::uint64_t seed) : settings_(settings), seed_(seed) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    communicators_[0] = group_of(MPI_COMM_WORLD);
    MPI_Comm duplicate;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    communicators_[1] = group_of(duplicate);
  }

  long run() {
    for (const Step& step : steps_of(seed_)) {
      if (step.number >= settings_.steps || (!settings_.only.empty() && !settings_.only.count(step.number))) continue;
      run(step);
    }
    complete(true, own(0));
    for (auto& [number, group] : communicators_)
      if (number > 0 && group.communicator != MPI_COMM_NULL) MPI_Comm_free(&group.communicator);
    return faults_;
  }

 private:
  Random own(std::uint64_t step) const { return Random(hash({seed_, 2, step, static_cast<std::uint64_t>(rank_)})); }

  void note(const Step& step, const std::string& text) {
    std::snprintf(where, sizeof where, "seed %llu, step %ld, rank %d: %s", static_cast<unsigned long long>(seed_), step.number,
                  rank_, text.c_str());
    if (settings_.print) std::fprintf(stderr, "%s\n", where);
  }

  void check(PreparedCall& call, long step) {
    if (const auto fault = call.fault()) {
      ++faults_;
      std::fprintf(stderr, "seed %llu, step %ld, rank %d, call %llu: %s: %s\n", static_cast<unsigned long long>(seed_), step, rank_,
                   static_cast<unsigned long long>(call.iteration), call.text.c_str(), fault->c_str());
    }
  }

  void run(const Step& step) {
    Random shared(hash({seed_, 3, step.seed})), mine = own(step.seed);
    if (step.deed == Deed::make) {
      note(step, "making a communicator");
      communicators_[step.communicator] = group_of(random_communicator(communicators_[1].communicator, shared));
      return;
    }
    const auto found = communicators_.find(step.communicator);
    if (found == communicators_.end()) return;  // the step that makes it was left out
    Group& group = found->second;
    if (step.deed == Deed::free) {
      note(step, "freeing a communicator");
      complete(true, mine);  // by the standard a request may outlive its communicator, but not all MPI libraries support it
      if (group.communicator != MPI_COMM_NULL) MPI_Comm_free(&group.communicator);
      communicators_.erase(found);
    } else if (step.deed == Deed::complete) {
      note(step, "completing");
      complete(false, mine);
    } else if (group.communicator == MPI_COMM_NULL) {
      return;
    } else if (step.deed == Deed::message) {
      exchange(step, group, shared, mine);
    } else {
      // Groups from one split draw the same random numbers, which does not matter.
      collective(step, group, shared, mine);
    }
  }

  static bool is_possible(Collective c, const Group& group) {
#ifdef OPEN_MPI  // Open MPI 4.1.4 multiplies the displacements, which are in bytes, by the extents
    if (c == Collective::alltoallw && group.local.size() == 1 && !group.is_inter) return false;
    // Open MPI 4.1.4 counts the sender's elements by the receiver's type.
    if (group.is_inter && (c == Collective::scatterv || c == Collective::gatherv)) return false;
#else  // MPICH 4.0.2 ignores the displacement there
    if (c == Collective::allgatherv && group.local.size() == 1 && !group.is_inter) return false;
#endif
    return !group.is_inter || (c != Collective::scan && c != Collective::exscan && c != Collective::reduce_scatter &&
                               c != Collective::reduce_scatter_block);
  }

  // The same call, the same with other memory, a longer one, and one with another root.
  static std::vector<std::unique_ptr<PreparedCall>> prepared(const Step& step, const Group& group, Random& shared, Random& mine) {
    const Count most_units = shared.one_in(6) ? 5000 : 300;
    const Preparation::Change changes[] = {{}, {}, {.longer = true}, {.other_root = true}};
    const std::size_t count = step.deed == Deed::call && !group.is_inter && shared.one_in(2) ? 4 : 1;
    std::vector<std::unique_ptr<PreparedCall>> calls;
    for (std::size_t i = 0; i < count; ++i) {
      Random same_shared = shared, same_mine = mine;
      calls.push_back(std::make_unique<PreparedCall>());
      Preparation preparation(*calls.back(), group, same_shared, same_mine);
      preparation.change = changes[i];
      preparation.prepare(step.collective, most_units);
      calls.back()->iteration = 1000 * i;  // other data
    }
    return calls;
  }

  void collective(const Step& step, const Group& group, Random& shared, Random& mine) {
    if (!is_possible(step.collective, group)) return;
    const bool starts = step.deed == Deed::start_call && has_nonblocking(step.collective);
    const int times = shared.one_in(3) ? std::min(step.times, 3) : step.times;
    const bool frees = frees_early && mine.one_in(2);
    auto calls = prepared(step, group, shared, mine);
    note(step, calls[0]->text);
    if (starts) return start_call(step, std::move(calls[0]), frees);
    for (int i = 0; i < times; ++i)
      for (const auto& call : calls) {
        call->fill();
        begin_call();
        (call->large ? invoke_large : invoke)(step.collective, call->arguments);
        end_call(step.collective);
        check(*call, step.number);
        if (faults_ > 3) break_off();
      }
  }

  void start_call(const Step& step, std::unique_ptr<PreparedCall> call, bool frees) {
    call->text = "nonblocking " + call->text;
    call->fill();
    Pending pending{{start(step.collective, call->arguments)}, nullptr, step.number};
    if (frees) {
      for (const TypePointer& type : call->types) type->free();
      if (call->operation) call->operation->free();
    }
    pending.call = std::move(call);
    pending_.push_back(std::move(pending));
  }

  // Sends from each rank of one group to the next rank of the other.
  void exchange(const Step& step, const Group& group, Random& shared, Random& mine) {
    auto call = std::make_unique<PreparedCall>();
    const int tag = static_cast<int>(step.number);
    Preparation preparation(*call, group, shared, mine);
    const auto [to, from] = preparation.prepare_message(shared.one_in(3) ? 20000 : 50);
    note(step, call->text);
    call->fill();
    Pending pending{{MPI_REQUEST_NULL, MPI_REQUEST_NULL}, nullptr, step.number};
    const Arguments& a = call->arguments;
    if (from >= 0)
      MPI_Irecv(a.out.buffer, static_cast<int>(a.out.count), a.out.type, from, tag, group.communicator, &pending.requests[0]);
    if (to >= 0) MPI_Isend(a.in.buffer, static_cast<int>(a.in.count), a.in.type, to, tag, group.communicator, &pending.requests[1]);
    pending.call = std::move(call);
    pending_.push_back(std::move(pending));
  }

  void complete(bool all, Random random) {
    std::vector<Pending> left;
    for (Pending& pending : pending_) {
      if (!all && random.one_in(2)) {
        left.push_back(std::move(pending));
        continue;
      }
      MPI_Waitall(static_cast<int>(pending.requests.size()), pending.requests.data(), MPI_STATUSES_IGNORE);
      check(*pending.call, pending.step);
    }
    pending_ = std::move(left);
  }

  [[noreturn]] void break_off() {
    std::fprintf(stderr, "rank %d gives up\n", rank_);
    MPI_Abort(MPI_COMM_WORLD, 1);
    ::_exit(1);
  }

  const Settings& settings_;
  std::uint64_t seed_;
  int rank_ = 0;
  long faults_ = 0;
  std::map<long, Group> communicators_;
  std::vector<Pending> pending_;
};

Settings settings_of(int count, char** arguments) {
  static constexpr option known[] = {{"seed", required_argument, nullptr, 's'},  {"programs", required_argument, nullptr, 'n'},
                                     {"steps", required_argument, nullptr, 'k'}, {"only", required_argument, nullptr, 'o'},
                                     {"ours", required_argument, nullptr, 'w'},  {"print", no_argument, nullptr, 'p'},
                                     {"limit", required_argument, nullptr, 'l'}, {nullptr, 0, nullptr, 0}};
  Settings settings;
  if (const char* long_tests = std::getenv("QUADRILLE_LONG"); long_tests && std::strcmp(long_tests, "1") == 0)
    settings.programs = 850;
  for (int found = 0; (found = ::getopt_long(count, arguments, "", known, nullptr)) != -1;) {
    switch (found) {
      case 's': settings.seed = std::strtoull(optarg, nullptr, 10); break;
      case 'n': settings.programs = std::atol(optarg); break;
      case 'k': settings.steps = std::atol(optarg); break;
      case 'o':
        for (char* word = std::strtok(optarg, ","); word; word = std::strtok(nullptr, ",")) settings.only.insert(std::atol(word));
        break;
      case 'w': settings.ours = optarg; break;
      case 'p': settings.print = true; break;
      case 'l': settings.limit_s = static_cast<unsigned>(std::atol(optarg)); break;
      default: std::exit(2);  // getopt has printed the error
    }
  }
  return settings;
}

}  // namespace
}  // namespace quadrille::trials

int main(int count, char** arguments) {
  using namespace quadrille::trials;
  const Settings settings = settings_of(count, arguments);
  MPI_Init(&count, &arguments);
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) std::signal(signal, say_where);
  long faults = 0;
  for (long i = 0; i < settings.programs; ++i) {
    ::alarm(settings.limit_s);
    faults += Program(settings, settings.seed + static_cast<std::uint64_t>(i)).run();
  }
  ::alarm(settings.limit_s);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) std::printf("%ld programs on %d ranks: %ld faults\n", settings.programs, size, faults);
  const std::string missed = not_run_by_both(settings.ours);
  if (rank == 0 && !settings.ours.empty()) std::printf("run by ours: %s\n", runners_text().c_str());
  if (!missed.empty()) std::fprintf(stderr, "rank %d: not run by both ours and the MPI library: %s\n", rank, missed.c_str());
  MPI_Finalize();
  return faults > 0 || !missed.empty();
}
