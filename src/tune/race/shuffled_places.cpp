// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/shuffled_places.hpp"

#include <algorithm>
#include <numeric>

#include "plan/gathered.hpp"
#include "quadrille/indexed.hpp"
#include "tune/cores.hpp"

namespace quadrille {
namespace {

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
