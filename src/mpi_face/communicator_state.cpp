// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/communicator_state.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "execute/process_events.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_face/counting.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/learning.hpp"
#include "mpi_face/made_objects.hpp"
#include "mpi_face/recording/recorder.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/world.hpp"

namespace quadrille::mpi_face {
namespace {

// The table's rows by their handles, and in each thread a cache of recently used rows. Never destroyed, because MPI may call its
// callbacks late.
class Communicators {
 public:
  static Communicators& get() {
    static auto* const communicators = new Communicators;
    return *communicators;
  }

  CommunicatorState* find(MPI_Comm communicator) {
    struct Recent {
      std::uint64_t generation = 0;
      MPI_Comm communicator{};
      CommunicatorState* state = nullptr;
    };
    static thread_local std::array<Recent, 8> recent;
    Recent& mine = recent[hash_of(communicator) % recent.size()];
    const std::uint64_t now = generation_.load(std::memory_order_acquire);
    if (mine.generation == now && mine.communicator == communicator) [[likely]]
      return mine.state;
    CommunicatorState* const found = find_or_make(communicator);
    if (found || settings_.is_off) mine = {now, communicator, found};
    return found;
  }

  void expect_end() {
    const std::lock_guard lock(mutex_);
    if (watches_end()) EndOfMpi::promise();
  }

 private:
  CommunicatorState* find_or_make(MPI_Comm communicator) {
    if (settings_.is_off || communicator == MPI_COMM_NULL || !is_usable()) return nullptr;
    const std::lock_guard lock(mutex_);
    if (const auto found = states_.find(bits_of(communicator)); found != states_.end()) return found->second.get();
    if (!watches_end()) return nullptr;
    if (PMPI_Comm_set_attr(communicator, of_communicators_, nullptr) != MPI_SUCCESS) return nullptr;
    return states_.emplace(bits_of(communicator), std::make_unique<CommunicatorState>(communicator)).first->second.get();
  }

  bool is_usable() {
    int initialised = 0;
    return !is_over_.load(std::memory_order_relaxed) && PMPI_Initialized(&initialised) == MPI_SUCCESS && initialised;
  }

  // MPI_Finalize deletes the attributes of MPI_COMM_SELF. So the callback `end` runs when MPI is finalised,
  // whatever the program's language.
  bool watches_end() {
    if (of_communicators_ != MPI_KEYVAL_INVALID) return true;
    int of_self = MPI_KEYVAL_INVALID;
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &of_communicators_, nullptr) == MPI_SUCCESS &&
           PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &of_self, nullptr) == MPI_SUCCESS &&
           PMPI_Comm_set_attr(MPI_COMM_SELF, of_self, nullptr) == MPI_SUCCESS;
  }

  // Releases the lock before it calls MPI. MPICH may then free other communicators whose requests were pending, and
  // so call this function again.
  static int forget(MPI_Comm communicator, int, void*, void*) {
    Communicators& all = get();
    std::unique_ptr<CommunicatorState> forgotten;
    {
      const std::lock_guard lock(all.mutex_);
      if (const auto found = all.states_.find(bits_of(communicator)); found != all.states_.end()) {
        forgotten = std::move(found->second);
        if (Counting* const counting = Counting::get()) counting->forget(*forgotten);
        if (Recorder* const recorder = Recorder::get()) recorder->read_name(*forgotten);
        all.states_.erase(found);
      }
      all.generation_.fetch_add(1, std::memory_order_release);
    }
    if (forgotten && all.is_usable()) forgotten->finish();
    return MPI_SUCCESS;
  }

  // Removes a state and returns it; null if there is none.
  std::unique_ptr<CommunicatorState> take_any() {
    const std::lock_guard lock(mutex_);
    if (states_.empty()) return nullptr;
    return std::move(states_.extract(states_.begin()).mapped());
  }

  static int end(MPI_Comm, int, void*, void*) {
    Communicators& all = get();
    if (Counting* const counting = Counting::get(); counting && counting->record().ring()) {
      WatchPage& page = counting->record().ring().page();
      std::atomic_ref(page.left_ticks).store(ticks(), std::memory_order_relaxed);
      page.finalize_site = reinterpret_cast<std::uint64_t>(called_from);
      std::atomic_ref(page.is_finalising).store(1, std::memory_order_release);
    }
    MadeObjects::end();
    if (Recorder* const recorder = Recorder::get()) recorder->finish();
    EndOfMpi::run();
    // Each call of MPI may complete requests for which MPICH has kept a communicator that the program has freed. It is then freed,
    // and `forget` removes its state.
    std::vector<std::unique_ptr<CommunicatorState>> ended;
    while (std::unique_ptr<CommunicatorState> state = all.take_any()) {
      if (Counting* const counting = Counting::get()) counting->read_name(*state);
      if (Recorder* const recorder = Recorder::get()) recorder->read_name(*state);
      state->finish();
      ended.push_back(std::move(state));
    }
    all.is_over_.store(true, std::memory_order_relaxed);
    all.generation_.fetch_add(1, std::memory_order_release);
    Counting::end();
    Recorder::end();
    ended.clear();
    Learning::get().save();
    return MPI_SUCCESS;
  }

  const Settings& settings_ = Settings::get();
  std::atomic<std::uint64_t> generation_{1};  // incremented when a handle may begin to mean another communicator
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<CommunicatorState>> states_;
  int of_communicators_ = MPI_KEYVAL_INVALID;
};

}  // namespace

CommunicatorState* CommunicatorState::of(MPI_Comm communicator) { return Communicators::get().find(communicator); }
void CommunicatorState::expect_end() { Communicators::get().expect_end(); }

LateRanks::LateRanks(const KnownCommunicator& communicator)
    : communicator_(communicator), sampling_(communicator.ranks), last_s_(PMPI_Wtime()) {}

// The last rank to arrive waits for nobody. So the shortest time over all ranks is the time of the barrier itself, and the rest
// of a rank's time is its wait. The same allreduce finds the greatest cost, over all ranks, of the previous measurement.
double LateRanks::measure(CallOutcome& outcome) {
  const double begin_s = PMPI_Wtime();
  const std::uint64_t begin = ticks();
  PMPI_Barrier(communicator_.handle);
  const std::uint64_t took = ticks() - begin;
  const double took_s = PMPI_Wtime() - begin_s;

  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t least[] = {static_cast<std::int64_t>(took), most - last_cost_ns_, most};
  if (communicator_.rank == 0)
    least[2] = static_cast<std::int64_t>(cost_s_ > 0 ? sampling_.interval(begin_s - last_s_, cost_s_) : Sampling::first);
  PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, communicator_.handle);
  barrier_ticks_ = std::min(barrier_ticks_, static_cast<std::uint64_t>(least[0]));
  if (const double cost_s = 1e-9 * static_cast<double>(most - least[1]); cost_s > 0)
    cost_s_ = cost_s_ > 0 ? 0.75 * cost_s_ + 0.25 * cost_s : cost_s;
  sampling_.go_on(static_cast<std::uint64_t>(least[2]));

  const std::uint64_t late = took - std::min(took, barrier_ticks_);
  const double late_s = took > 0 ? took_s * static_cast<double>(late) / static_cast<double>(took) : 0;
  outcome.late_ticks = late;
  outcome.settling_ticks += ticks() - begin - late;
  last_s_ = PMPI_Wtime();
  const double cost_s = std::max(last_s_ - begin_s - late_s, 1e-9);
  last_cost_ns_ = static_cast<std::int64_t>(1e9 * cost_s);
  return cost_s;
}

CommunicatorState::CommunicatorState(MPI_Comm communicator)
    : facts_(communicator),
      deciding_(facts_),
      runner_(communicator, facts_.rank),
      irregular_(facts_, deciding_, runner_),
      late_ranks_(facts_),
      only_observes_(Settings::get().only_observes),
      counts_everywhere_(World::get().counts_everywhere() && facts_.ranks > 1 && facts_.is_of_one_world()) {}

void CommunicatorState::measure_late_ranks(CallOutcome& outcome) { deciding_.spend(late_ranks_.measure(outcome)); }

}  // namespace quadrille::mpi_face
