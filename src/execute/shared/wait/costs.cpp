// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/wait/costs.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "execute/processor.hpp"
#include "execute/shared/wait/space.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the seconds of a copy of any size. Between two measured sizes it interpolates linearly in logarithms. Above the largest
// it scales in proportion; below the smallest it returns the smallest size's time.
double at(const std::array<double, 5>& seconds, Bytes bytes) {
  const auto& sizes = CopyCosts::sizes;
  if (bytes <= sizes.front()) return seconds.front();
  if (bytes >= sizes.back()) return seconds.back() * static_cast<double>(bytes) / static_cast<double>(sizes.back());
  const auto above = index(std::upper_bound(sizes.begin(), sizes.end(), bytes) - sizes.begin());
  const double part = std::log(static_cast<double>(bytes) / static_cast<double>(sizes[above - 1])) /
                      std::log(static_cast<double>(sizes[above]) / static_cast<double>(sizes[above - 1]));
  return seconds[above - 1] * std::pow(seconds[above] / seconds[above - 1], part);
}

// Never returns 0, even with a coarse clock, because `at` takes logarithms.
template <class Work>
double seconds_of(Work&& work) {
  const auto start = Clock::now();
  work();
  return std::max(1e-9, std::chrono::duration<double>(Clock::now() - start).count());
}

// The least of several times: larger times may include time in which other ranks or programs used the cores.
class Least {
 public:
  void add(double seconds) {
    second_ = std::min(second_, std::max(first_, seconds));
    first_ = std::min(first_, seconds);
  }
  double seconds() const { return first_; }
  bool is_confirmed() const { return second_ <= 1.1 * first_; }  // the second least time is close to the least

 private:
  double first_ = 1, second_ = 1;
};

// Measures copies: ranks 0 and 1 send each other messages in alternation, as in a loop of exchanges. The receiver of a step waits
// until the sender's flag holds the step's number.
class Handover {
 public:
  explicit Handover(SharedSpace& space) : space_(space) {
    struct Card {
      Offset slot;
      const void* memory;
    };
    if (space_.rank() < 2) {
      mine_.resize(index(CopyCosts::sizes.back()));
      taken_.resize(mine_.size());
      slot_ = space_.allocate(still + CopyCosts::sizes.back());
      std::memset(space_.at(slot_), 0, index(still + CopyCosts::sizes.back()));
      new (space_.at(slot_)) std::atomic<std::uint64_t>(0);
    }
    const Card card{slot_, mine_.data()};
    ByRank<Card> all(space_.size());
    space_.all_gather(&card, all.data(), sizeof card);
    if (space_.rank() > 1) return;
    const Card& other = all[1 - space_.rank()];
    others_slot_ = other.slot;
    others_memory_ = other.memory;
  }

  ~Handover() {
    if (slot_) space_.release(slot_);
  }

  // Repeats the copies of each size until the least times are confirmed.
  CopyCosts measure() {
    constexpr int least = 12, most = 48;
    CopyCosts costs;
    if (space_.rank() < 2)
      for (std::size_t i = 0; i < CopyCosts::sizes.size(); ++i) {
        Least in, out, once;
        int repetitions = 0;
        do {
          in.add(give(CopyCosts::sizes[i], true));
          out.add(take(CopyCosts::sizes[i], true));
          ++repetitions;
          const bool are_confirmed = in.is_confirmed() && out.is_confirmed() && once.is_confirmed();
          goes_on(slot_) = repetitions < least || (repetitions < most && !are_confirmed);
          give(CopyCosts::sizes[i], false);
          once.add(take(CopyCosts::sizes[i], false));
        } while (goes_on(space_.rank() == 0 ? slot_ : others_slot_));
        costs.in[i] = in.seconds(), costs.out[i] = out.seconds(), costs.once[i] = once.seconds();
      }
    return costs;
  }

 private:
  // A slot has three parts: a line with its flag and, at rank 0, whether the ranks repeat the size once more; bytes that the
  // sender writes anew in each step; and (at `still`) bytes that are only read.
  static constexpr Bytes line = 64, still = line + CopyCosts::sizes.back();

  std::atomic<std::uint64_t>& flag(Offset slot) const { return *reinterpret_cast<std::atomic<std::uint64_t>*>(space_.at(slot)); }

  // Rank 0 writes it before it sets its flag; rank 1 reads it after it has seen the flag.
  bool& goes_on(Offset slot) const { return *reinterpret_cast<bool*>(space_.at(slot) + sizeof(std::uint64_t)); }

  double give(Bytes bytes, bool through_slot) {
    ++step_;
    const double seconds = seconds_of([&] {
      if (through_slot) copy_long(space_.at(slot_) + line, mine_.data(), index(bytes));
    });
    flag(slot_).store(step_, std::memory_order_release);  // released after the copy into the slot; `take` acquires it
    space_.ring(1 - space_.rank());
    return seconds;
  }

  double take(Bytes bytes, bool through_slot) {
    space_.wait_until([&] { return flag(others_slot_).load(std::memory_order_acquire) >= step_; },
                      [&] { return 1 - space_.rank(); });
    return seconds_of([&] {
      const auto length = index(bytes);
      const TargetPiece target{taken_.data(), length};
      if (through_slot || !space_.reads_private_memory())  // without process_vm_readv, only the space's memory can be copied once
        copy_long(target.place, space_.at(others_slot_) + (through_slot ? line : still), length);
      else
        space_.read_private(1 - space_.rank(), others_memory_, {&target, 1});
    });
  }

  SharedSpace& space_;
  std::vector<std::byte> mine_, taken_;
  Offset slot_ = 0, others_slot_ = 0;
  const void* others_memory_ = nullptr;
  std::uint64_t step_ = 0;
};

// Uses the times of other sizes to correct times that were disturbed. A copy of fewer bytes takes at most as much time as one of
// more bytes. A copy takes at most twice the time of four copies of a quarter of its bytes. The factor 2 allows for a cache that
// only the quarters fit into.
void bound_by_each_other(std::array<double, 5>& seconds) {
  for (std::size_t i = seconds.size() - 1; i-- > 0;) seconds[i] = std::min(seconds[i], seconds[i + 1]);
  for (std::size_t i = 1; i < seconds.size(); ++i) seconds[i] = std::min(seconds[i], 2 * 4 * seconds[i - 1]);
}

// Returns about how long a rank waits until another rank has had the core once: the seconds of a barrier divided by the number of
// ranks per core. Equal at all ranks.
double seconds_of_turn(SharedSpace& space, int barriers) {
  space.barrier();
  const double seconds = seconds_of([&] {
    for (int i = 0; i < barriers; ++i) space.barrier();
  });
  ByRank<double> all(space.size());
  space.all_gather(&seconds, all.data(), sizeof seconds);
  return all[0] / barriers / std::max(1.0, static_cast<double>(space.size()) / static_cast<double>(space.core_count()));
}

// Measures copies where ranks share cores: rank 0 copies alone, while the other ranks wait. It handles as many blocks of a size as
// the ranks of one core handle in an all-to-all, so the copies find their data in the same caches. The median time counts: other
// ranks may interrupt some copies.
CopyCosts measure_alone(SharedSpace& space) {
  constexpr Bytes most = 1 << 20;  // more than the second-level cache has
  constexpr int least_samples = 8;
  std::vector<std::byte> mine(space.rank() < 2 ? index(most) : 0), area(space.rank() == 0 ? index(most) : 0);
  const std::byte* const memory = mine.data();
  ByRank<const std::byte*> all(space.size());
  space.all_gather(&memory, all.data(), sizeof memory);
  CopyCosts costs;
  if (space.rank() == 0)
    for (std::size_t i = 0; i < CopyCosts::sizes.size(); ++i) {
      const Bytes bytes = CopyCosts::sizes[i];
      const Count blocks = std::clamp<Count>(space.size() * space.size() / space.core_count(), 1, most / bytes);
      const auto median_s = [&](auto&& copy) {
        std::vector<double> seconds;
        for (Count round = 0; round < 1 + least_samples / blocks; ++round)
          for (Count block = 0; block < blocks; ++block) seconds.push_back(seconds_of([&] { copy(block * bytes); }));
        const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
        std::nth_element(seconds.begin(), middle, seconds.end());
        return *middle;
      };
      costs.in[i] = median_s([&](Bytes at) { copy_long(&area[index(at)], &mine[index(at)], index(bytes)); });
      costs.out[i] = median_s([&](Bytes at) { copy_long(&mine[index(at)], &area[index(at)], index(bytes)); });
      costs.once[i] = !space.reads_private_memory() ? costs.out[i] : median_s([&](Bytes at) {
        const TargetPiece target{&mine[index(at)], index(bytes)};
        space.read_private(1, all[1] + at, {&target, 1});
      });
    }
  space.barrier();  // until now rank 0 reads the memory of rank 1
  return costs;
}

struct KeptCosts {
  std::mutex mutex;  // protects the following member
  std::unordered_map<std::uint64_t, SharingCosts> by_process;
};

// Never destroyed, because other threads may use it until the process ends.
KeptCosts& all_kept_costs() {
  static auto& kept = *new KeptCosts;
  return kept;
}

}  // namespace

double CopyCosts::saved(Bytes bytes, bool first) const { return (first ? at(in, bytes) : 0.0) + at(out, bytes) - at(once, bytes); }

double CopyCosts::twice_s(Bytes bytes) const { return at(in, bytes) + at(out, bytes); }

double CopyCosts::once_s(Bytes bytes) const { return at(once, bytes); }

Bytes CopyCosts::eager_limit() const {
  for (std::size_t i = sizes.size() - 1; i-- > 0;)  // the largest size is not tried: it is always copied once
    if (in[i] + out[i] - once[i] < wait) return sizes[i];
  return sizes.front();
}

SharingCosts measure_costs(SharedSpace& space) {
  if (space.size() == 1) return {};
  SharingCosts costs;
  // This limit separates two cases: switching ranks by sched_yield takes a few microseconds, and waiting for the end of another
  // rank's time slice takes milliseconds.
  constexpr double time_of_waking = 100e-6;
  Least turn;
  int tries = 0;
  do turn.add(seconds_of_turn(space, 4));
  while (turn.seconds() >= time_of_waking && turn.seconds() < 5 * time_of_waking && ++tries < 3);
  costs.yields_hand_over = turn.seconds() < time_of_waking;
  costs.shared_cores = !space.core_for_every_rank();
  space.set_yields_hand_over(costs.yields_hand_over);
  std::optional<Handover> handover;  // until the gather below, because the other rank reads its memory
  if (costs.shared_cores) {
    Least wait;
    if (costs.yields_hand_over) wait.add(turn.seconds());
    wait.add(seconds_of_turn(space, 4));
    const double wait_s = wait.seconds();
    costs.copies = measure_alone(space);
    costs.copies.wait = wait_s;
  } else {
    costs.copies = handover.emplace(space).measure();
    for (auto* const seconds : {&costs.copies.in, &costs.copies.out, &costs.copies.once}) bound_by_each_other(*seconds);
    Least wait;
    for (int tries = 0; tries < 8 && (tries < 3 || !wait.is_confirmed()); ++tries) wait.add(seconds_of_turn(space, 16));
    costs.copies.wait = wait.seconds();
  }
  ByRank<SharingCosts> all(space.size());
  space.all_gather(&costs, all.data(), sizeof costs);
  return all[0];
}

std::optional<SharingCosts> kept_costs(std::uint64_t process) {
  KeptCosts& kept = all_kept_costs();
  const std::lock_guard lock(kept.mutex);
  const auto entry = kept.by_process.find(process);
  return entry == kept.by_process.end() ? std::nullopt : std::optional(entry->second);
}

void keep_costs(std::uint64_t process, const SharingCosts& costs) {
  KeptCosts& kept = all_kept_costs();
  const std::lock_guard lock(kept.mutex);
  kept.by_process.insert_or_assign(process, costs);
}

// Computing a cost takes a logarithm, which is too slow for each exchange.
CopyChoice::CopyChoice(const CopyCosts& costs)
    : eager_limit_(costs.eager_limit()),
      wait_s_(costs.wait),
      piece_s_(costs.twice_s(piece_bytes)),
      once_s_(costs.once_s(CopyCosts::sizes.back()) * static_cast<double>(piece_bytes) /
              static_cast<double>(CopyCosts::sizes.back())) {
  for (std::size_t power = 0; power < 63; ++power) {
    const Bytes bytes = Bytes{1} << power;
    out_less_s_[power] = costs.saved(bytes, false);
    in_s_[power] = costs.saved(bytes, true) - out_less_s_[power];
  }
}

double CopyChoice::at(const Table& table, Bytes bytes) {
  const auto power = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)) - 1);
  const double part = static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << power) - 1;
  return table[power] + part * (table[power + 1] - table[power]);
}

// Loading a message takes the same time as copying it out of the area.
double CopyChoice::saved_s(Bytes bytes, Count receivers, bool is_loaded) const {
  return at(in_s_, bytes) + (is_loaded ? 0 : static_cast<double>(receivers) * at(out_less_s_, bytes));
}

// Sets the way that the message takes if copying once is chosen, and returns the seconds that this way saves.
double CopyChoice::saved_by(CopiedMessage& message, bool in_pieces) const {
  if (message.bytes < least_rendezvous) return 0;
  const bool is_long = message.bytes > eager_limit_;
  if (!message.is_loaded && (!message.is_readable || (is_long && in_pieces))) {
    if (is_long) message.way = CopyWay::pieces;
    return 0;
  }
  const double saved = saved_s(message.bytes, message.receivers, message.is_loaded);
  if (is_long || saved > 0) message.way = CopyWay::rendezvous;
  return std::max(saved, 0.0);
}

// Each message that is not complete moves by one piece in two waits: one until the receiver has taken the piece, and one until
// the sender knows this.
double CopyChoice::pieces_by_once(const LongMessages& messages) const {
  const double together = static_cast<double>(messages.bytes) / static_cast<double>(messages.longest);
  return (piece_s_ + 2 * wait_s_ / together) / once_s_;
}

}  // namespace quadrille
