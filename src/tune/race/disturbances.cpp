// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/disturbances.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <system_error>

#include "foundation/system/proc.hpp"
#include "plan/gathered.hpp"
#include "quadrille/indexed.hpp"
#include "tune/cores.hpp"
#include "tune/race/clocks.hpp"

namespace quadrille {
namespace {

using Name = std::array<char, 128>;

Name name_of(const std::string& text) {
  Name name{};
  text.copy(name.data(), name.size() - 1);
  return name;
}

// Identifies this process on the machine. Includes the pid namespace, because process ids may be equal in different containers.
std::string process_id() {
  std::error_code error;
  return fmt::format("{} {}", std::filesystem::read_symlink("/proc/self/ns/pid", error).string(), ::getpid());
}

double seconds_of(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; }

// Binds the calling thread, which runs the rank, to one core while this object exists.
class OnOneCore {
 public:
  OnOneCore(int core, const cpu_set_t& allowed) : allowed_(allowed) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ::sched_setaffinity(0, sizeof one, &one);  // if the system refuses, the thread stays where it is
  }
  ~OnOneCore() { ::sched_setaffinity(0, sizeof allowed_, &allowed_); }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  const cpu_set_t& allowed_;
};

}  // namespace

LoadMeter::Usage LoadMeter::usage() {
  Usage usage{.seconds = static_cast<double>(monotonic_clock().now()) * 1e-9};
  // The first line of /proc/stat, in clock ticks (proc(5)): cpu user nice system idle iowait irq softirq steal
  std::ifstream statistics("/proc/stat");
  std::string cpu;
  std::array<double, 8> ticks{};
  statistics >> cpu;
  for (double& each : ticks) statistics >> each;
  if (statistics) usage.all = (ticks[0] + ticks[1] + ticks[2] + ticks[7]) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  usage.own = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
  return usage;
}

MachineLoad LoadMeter::read(Communicator& communicator) const {
  struct RankLoad {
    Name machine{}, process{};
    Usage used;
    Count cores = 0;
  };
  const Usage now = usage();
  const std::string machine = boot_id();
  const std::vector<RankLoad> loads =
      gathered(communicator, RankLoad{.machine = name_of(machine.empty() ? fmt::format("rank {}", communicator.rank()) : machine),
                                      .process = name_of(process_id()),
                                      .used = {now.seconds - start_.seconds, now.all - start_.all, now.own - start_.own},
                                      .cores = ::sysconf(_SC_NPROCESSORS_ONLN)});
  struct Machine {
    double others = 0, seconds = 0;  // CPU seconds of other programs, and the duration
    MachineLoad load;
    std::set<Name> processes;
  };
  std::map<Name, Machine> machines;
  for (const RankLoad& load_of_rank : loads) {
    const auto [known, is_new] = machines.try_emplace(load_of_rank.machine);
    Machine& each = known->second;
    if (is_new)
      each = {.others = load_of_rank.used.all,
              .seconds = load_of_rank.used.seconds,
              .load = {.cores = load_of_rank.cores},
              .processes = {}};
    ++each.load.ranks;
    if (each.processes.insert(load_of_rank.process).second) each.others -= load_of_rank.used.own;
  }
  MachineLoad worst;
  double most_missing = 0;  // cores that ranks and other programs need, minus the existing cores
  for (auto& [name, each] : machines) {
    // Ignores smaller values: the kernel counts in ticks, so such values are within the error.
    if (each.others > 0.05 && each.seconds > 0) each.load.others = each.others / each.seconds;
    const double missing = each.load.others + static_cast<double>(each.load.ranks - each.load.cores);
    if (worst.ranks == 0 || missing > most_missing) worst = each.load, most_missing = missing;
  }
  return worst;
}

ShuffledPlaces::ShuffledPlaces(Communicator& communicator) : communicator_(communicator) {
  allowed_ = own_cores();
  const ByRank<cpu_set_t> all = gathered(communicator, allowed_);
  const std::vector<Count>& nodes = communicator.nodes();
  const Count node = nodes[index(communicator.rank())];
  for (Rank rank = 0; rank < communicator.size(); ++rank)
    if (nodes[index(rank)] == node && !CPU_EQUAL(&all[rank], &allowed_)) return;
  if (CPU_COUNT(&allowed_) < 2 || CPU_COUNT(&allowed_) >= std::count(nodes.begin(), nodes.end(), node)) return;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed_)) cores_.push_back(core);
}

void ShuffledPlaces::draw(std::mt19937_64& random) {
  std::vector<Rank> order(index(communicator_.size()));
  std::iota(order.begin(), order.end(), Rank{0});
  std::shuffle(order.begin(), order.end(), random);
  if (cores_.empty()) return communicator_.barrier();
  const std::vector<Count>& nodes = communicator_.nodes();
  const auto own = std::find(order.begin(), order.end(), communicator_.rank());
  const auto before =
      std::count_if(order.begin(), own, [&](Rank rank) { return nodes[index(rank)] == nodes[index(communicator_.rank())]; });
  const OnOneCore here(cores_[static_cast<std::size_t>(before) % cores_.size()], allowed_);
  communicator_.barrier();  // now all ranks are on their cores
}

}  // namespace quadrille
