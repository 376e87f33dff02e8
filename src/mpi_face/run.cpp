// SPDX-License-Identifier: BSD-3-Clause
// Finds a communicator's state from its handle: a table, and a cache of recently used entries in each thread.
#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "execute/process_events.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/counting.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/recording/recorder.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/world.hpp"

namespace quadrille::mpi_face {
namespace {

// Never destroyed, because MPI may call its callbacks late.
class States {
 public:
  static States& get() {
    static auto* const states = new States;
    return *states;
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
    if (found) mine = {now, communicator, found};
    return found;
  }

  // Call it in MPI_Init: all ranks then use the drop-in until the callbacks of the program's own attributes have run, and hand over
  // their counters even if they never call a collective.
  void expect_end() {
    const std::lock_guard lock(mutex_);
    if (watches_end()) EndOfMpi::promise();
  }

 private:
  CommunicatorState* find_or_make(MPI_Comm communicator) {
    if (communicator == MPI_COMM_NULL || !is_usable()) return nullptr;
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
    States& states = get();
    std::unique_ptr<CommunicatorState> forgotten;
    {
      const std::lock_guard lock(states.mutex_);
      if (const auto found = states.states_.find(bits_of(communicator)); found != states.states_.end()) {
        forgotten = std::move(found->second);
        if (Counting* const counting = Counting::get()) counting->forget(*forgotten);
        if (Recorder* const recorder = Recorder::get()) recorder->read_name(*forgotten);
        states.states_.erase(found);
      }
      states.generation_.fetch_add(1, std::memory_order_release);
    }
    if (forgotten && states.is_usable()) forgotten->finish();
    return MPI_SUCCESS;
  }

  static int end(MPI_Comm, int, void*, void*) {
    States& states = get();
    if (Recorder* const recorder = Recorder::get()) recorder->finish();
    std::unordered_map<std::uint64_t, std::unique_ptr<CommunicatorState>> ended;
    {
      const std::lock_guard lock(states.mutex_);
      ended.swap(states.states_);
    }
    EndOfMpi::run();
    for (const auto& [handle, state] : ended) {
      if (Counting* const counting = Counting::get()) counting->read_name(*state);
      if (Recorder* const recorder = Recorder::get()) recorder->read_name(*state);
    }
    for (const auto& [handle, state] : ended) state->finish();
    states.is_over_.store(true, std::memory_order_relaxed);
    states.generation_.fetch_add(1, std::memory_order_release);
    Counting::end();
    Recorder::end();
    return MPI_SUCCESS;
  }

  std::atomic<std::uint64_t> generation_{1};  // incremented when a handle may from now on mean another communicator
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<CommunicatorState>> states_;
  int of_communicators_ = MPI_KEYVAL_INVALID;
};

}  // namespace

CommunicatorState* CommunicatorState::of(MPI_Comm communicator) { return States::get().find(communicator); }

void begin_run() noexcept {
  try {
    int is_initialised = 0;
    if (Settings::get().is_off || PMPI_Initialized(&is_initialised) != MPI_SUCCESS || !is_initialised) return;
    States::get().expect_end();
    Recorder::begin();
    World& world = World::get();
    if (!world.is_wished()) return;
    world.begin();
    world.agree(Counting::get() != nullptr);
  } catch (const std::exception& error) {
    remark(error.what());
  }
}

// Catches all exceptions, because none may cross MPI's C interface.
int run(const MpiCall& call, VendorCall vendor) {
  try {
    if (Settings::get().is_off) return vendor();
    CommunicatorState* const state = States::get().find(call.communicator);
    if (!state) return vendor();
    if (Recorder* const recorder = Recorder::get()) return recorder->run(*state, call, vendor);
    if (Counting* const counting = Counting::get()) return counting->run(*state, call, vendor);
    if (Settings::get().only_observes) return vendor();
    CallOutcome outcome;
    return state->run(call, vendor, outcome);
  } catch (const std::exception& error) {
    remark(error.what());
    PMPI_Comm_call_errhandler(call.communicator, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
}

}  // namespace quadrille::mpi_face
