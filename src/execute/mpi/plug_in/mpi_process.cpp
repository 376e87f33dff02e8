// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/mpi_process.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/mpi/plug_in/group.hpp"
#include "execute/process_events.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"

namespace quadrille {
namespace {

constexpr int highest_tag = 32767;  // the highest tag that MPI guarantees; after as many plans a group leases another context

bool are_the_same(MPI_Group a, MPI_Group b) {
  int result = MPI_UNEQUAL;
  check_mpi(MPI_Group_compare(a, b, &result), "MPI_Group_compare");
  return result == MPI_IDENT;
}

// Does the group have processes outside MPI_COMM_WORLD? Returns false in a program that has only sessions, because MPI_COMM_WORLD
// is not known there.
bool span_worlds(MPI_Group members) {
  int has_world = 0;
  MPI_Initialized(&has_world);
  if (!has_world) return false;
  const Members world(MPI_COMM_WORLD);
  MPI_Group others = MPI_GROUP_NULL;
  int count = 0;
  check_mpi(MPI_Group_difference(members, world.get(), &others), "MPI_Group_difference");
  check_mpi(MPI_Group_size(others, &count), "MPI_Group_size");
  if (others != MPI_GROUP_EMPTY) MPI_Group_free(&others);
  return count > 0;
}

// The global state of the plug-in. A process uses one MPI library only.
struct Shared {
  const ForkMark mark;
  std::mutex mutex;                  // protects `kept` and `last`
  std::shared_ptr<MpiProcess> kept;  // until MPI_Finalize
  std::weak_ptr<MpiProcess> last;    // used if there are only sessions
  std::atomic<MpiProcess*> driven{nullptr};
};

// Never destroyed, because destructors of static objects may still wait, or finalise MPI.
Shared& shared() {
  static Shared& only = *new Shared;
  return only;
}

bool world_is_initialised() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  return initialised != 0;
}

bool is_main_thread() {
  int is_main = 0;
  return MPI_Is_thread_main(&is_main) == MPI_SUCCESS && is_main;
}

std::chrono::nanoseconds duration(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::steady_clock::now() - start;
}

// Returns a communicator of this process only, so that calls in it never wait for another process.
MPI_Comm communicator_of_one(MPI_Comm users, bool has_world) {
  MPI_Comm alone = MPI_COMM_NULL;
  if (has_world) {
    check_mpi(MPI_Comm_dup(MPI_COMM_SELF, &alone), "MPI_Comm_dup");
  } else {
    int rank = 0;
    check_mpi(MPI_Comm_rank(users, &rank), "MPI_Comm_rank");
    MPI_Group one = MPI_GROUP_NULL;
    check_mpi(MPI_Group_incl(Members(users).get(), 1, &rank, &one), "MPI_Group_incl");
    check_mpi(MPI_Comm_create_group(users, one, 0, &alone), "MPI_Comm_create_group");
    check_mpi(MPI_Group_free(&one), "MPI_Group_free");
  }
  check_mpi(MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return alone;
}

// Drives MPI's progress: a test of a request that is not complete makes progress on all communication. (MPI_Iprobe in a
// communicator of one process would not suffice: MPICH knows that no message can arrive there.) MPI_Request_get_status does not
// change the request, so several threads may call this at the same time.
void ask(MPI_Request request) {
  int done = 0;
  check_mpi(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), "MPI_Request_get_status");
}

// How often this thread has given its core to another thread.
long switches() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw + usage.ru_nivcsw : 0;
}

// Does a poll that finds nothing yield the core? MPI has no interface for this question, so polls are compared with sched_yield.
// If other threads want the core, we count how often they get it: during polls that yield they get it about as often as during
// sched_yield, during other polls seldom. If no thread wants the core, we compare times: a poll that yields takes about as long
// as sched_yield, several hundred nanoseconds; another poll takes a tenth of that. Pairs of polls and pairs of yields alternate,
// because the kernel may ignore every other yield of a thread.
bool asking_gives_core_away(MPI_Request request) {
  constexpr std::size_t samples = 12;  // only a few: in each yield, all other ranks on the core may run for a time slice
  std::vector<std::chrono::nanoseconds> polls, yields;
  long poll_switches = 0, yield_switches = 0;
  const auto sample = [](auto& times, long& count, const auto& call) {
    const long before = switches();
    times.push_back(duration(call));
    count += switches() - before;
  };
  while (polls.size() < samples) {
    for (int i = 0; i < 2; ++i) sample(polls, poll_switches, [&] { ask(request); });
    for (int i = 0; i < 2; ++i) sample(yields, yield_switches, [] { sched_yield(); });
  }
  if (2 * yield_switches >= static_cast<long>(samples)) return 2 * poll_switches >= yield_switches;
  return 2 * median_of(std::move(polls)) >= median_of(std::move(yields));
}

// Returns the ranks that a communicator's processes have in a group, or nothing if the group lacks one of them.
std::optional<std::vector<Rank>> ranks_among(MPI_Comm users, MPI_Group group) {
  const Members members(users);
  int ranks = 0;
  check_mpi(MPI_Group_size(members.get(), &ranks), "MPI_Group_size");
  std::vector<int> own(index(ranks)), found(own.size());
  std::iota(own.begin(), own.end(), 0);
  check_mpi(MPI_Group_translate_ranks(members.get(), ranks, own.data(), group, found.data()), "MPI_Group_translate_ranks");
  if (std::find(found.begin(), found.end(), MPI_UNDEFINED) != found.end()) return std::nullopt;
  return std::vector<Rank>(found.begin(), found.end());
}

}  // namespace

// ---- Contexts

Lease ContextPool::lease(MpiGroup& group, int count) {
  struct Proposal {
    std::uint64_t id;      // id of a context that this rank has; 0 if it has none
    std::uint64_t new_id;  // if the ids differ: id of the new context; the proposal of rank 0 is used
    int tags;
    bool has_room;  // may this rank make one more context?
  };
  std::optional<Members> members;
  std::optional<Place> place;
  Entry entry;
  const auto proposals = gathered_or_thrown(group, [&] {
    members.emplace(group.handle());
    if (reserve()) place.emplace(*this);
    entry = propose(group, members->get(), count);
    return Proposal{entry ? entry->id : 0, random_id(), entry ? entry->tags : 0, place.has_value()};
  });
  const bool agreed = std::all_of(proposals.begin(), proposals.end(),
                                  [&](const Proposal& each) { return each.id != 0 && each.id == proposals[0].id; });
  int tags = 0;
  if (agreed) {
    for (const Proposal& each : proposals) tags = std::max(tags, each.tags);
  } else {
    for (Rank rank = 0; rank < group.size(); ++rank)
      if (!proposals[rank].has_room)
        throw Error(ErrorCode::environment,
                    fmt::format("rank {} has plans for MPI messages, or of MPI's own collectives, over {} communicators, and can "
                                "have no more; destroy all such plans of one of them, or plan for shared memory",
                                rank, most));
    entry.reset();  // the context is no longer in use, so it can be freed if room is needed
    entry = make(group, members->get(), proposals[0].new_id);
    members->release();
  }
  const std::lock_guard lock(mutex_);
  QUADRILLE_ASSERT(entry && tags >= 0 && tags <= highest_tag - count);
  entry->tags = tags + count;
  entry->used = ++leases_;
  return {entry->communicator, tags + 1, entry};
}

// Returns the context that the group uses. If there is none, returns the most recently used idle context of the same processes;
// if there is none either, null.
ContextPool::Entry ContextPool::propose(const MpiGroup& group, MPI_Group members, int count) {
  const std::lock_guard lock(mutex_);
  const Entry* best = nullptr;
  bool best_is_own = false;
  for (const Entry& entry : entries_) {
    if (entry->tags > highest_tag - count) continue;
    const bool is_own = !is_idle(entry) && entry->user == &group;
    if (!is_own && !(is_idle(entry) && are_the_same(entry->members, members))) continue;
    if (best && std::pair(best_is_own, (*best)->used) > std::pair(is_own, entry->used)) continue;
    best = &entry;
    best_is_own = is_own;
  }
  if (!best) return nullptr;
  (*best)->user = &group;
  return *best;
}

// Reserves room for one context. Idle contexts count as room, because they can be freed. Returns false if there is no room.
bool ContextPool::reserve() {
  const std::lock_guard lock(mutex_);
  const auto idle = static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_idle));
  if (entries_.size() - idle + reserved_ >= most) return false;
  ++reserved_;
  return true;
}

ContextPool::Place::~Place() {
  const std::lock_guard lock(pool.mutex_);
  --pool.reserved_;
}

// Frees idle contexts, the least recently used first, until there is room. MPI defines MPI_Comm_free as collective, but MPI-3.1
// (6.4.3) expects implementations to make it local, and it is local in Open MPI and MPICH. MPI may reuse the context id only after
// all ranks have freed it.
void ContextPool::drop_idle() {
  while (entries_.size() + reserved_ > most) {
    auto oldest = entries_.end();
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
      if (is_idle(*entry) && (oldest == entries_.end() || (*entry)->used < (*oldest)->used)) oldest = entry;
    if (oldest == entries_.end()) return;  // other threads use the rest: for a while there are more than `most` contexts
    free((*oldest).get());
    entries_.erase(oldest);
  }
}

void ContextPool::free(Context* context) {
  MPI_Group_free(&context->members);
  MPI_Comm_free(&context->communicator);
}

void ContextPool::forget(const MpiGroup& group) {
  if (EndOfMpi::is_over()) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) {
    const bool goes = entry->spans_worlds && entry->user == &group && is_idle(entry);
    if (goes) free(entry.get());
    return goes;
  });
}

void ContextPool::free_all() {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) free(entry.get());
  entries_.clear();
}

// Makes a context by MPI_Comm_idup, so that this rank can yield its core while it waits for the other ranks. A group of one rank
// has no rank to wait for, so it calls MPI_Comm_dup: in a session of one process MPICH 4.0.2 crashes in the nonblocking call.
ContextPool::Entry ContextPool::make(const MpiGroup& group, MPI_Group members, std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    drop_idle();
  }
  const auto entry = std::make_shared<Context>();
  if (group.size() == 1) {
    check_mpi(MPI_Comm_dup(group.handle(), &entry->communicator), "MPI_Comm_dup");
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Comm_idup(group.handle(), &entry->communicator, &request), "MPI_Comm_idup");
    group.waiter().wait_all(1, &request);
  }
  check_mpi(MPI_Comm_set_errhandler(entry->communicator, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  entry->members = members;
  entry->spans_worlds = span_worlds(members);
  entry->id = id;
  entry->user = &group;
  const std::lock_guard lock(mutex_);
  entries_.push_back(entry);
  return entry;
}

// ---- The process

// If there are only sessions, no thread is the main thread, and MPI_Is_thread_main crashes in Open MPI 5.0.7.
bool MpiProcess::may_poll_here() const {
  return any_thread_ || (has_world_ ? is_main_thread() : std::this_thread::get_id() == made_by_);
}

std::shared_ptr<MpiProcess> MpiProcess::current() {
  const std::lock_guard lock(shared().mutex);
  if (shared().kept) return shared().kept;
  std::shared_ptr<MpiProcess> process = shared().last.lock();
  if (!process) shared().last = process = std::make_shared<MpiProcess>();
  if (process->has_world_) shared().kept = process;
  return process;
}

MpiProcess::MpiProcess() : has_world_(world_is_initialised()) {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  any_thread_ = level >= MPI_THREAD_SERIALIZED;
  many_threads_ = level == MPI_THREAD_MULTIPLE;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MpiGroup::forget, &group_key_, nullptr), "MPI_Comm_create_keyval");
  if (!has_world_) return;
  known_ranks_.reserve(most_known_ranks);  // reserved here, because `remember` must not throw while other ranks wait for this one
  if (EndOfMpi::is_promised()) {
    EndOfMpi::add([](void* memory) { static_cast<MpiProcess*>(memory)->end(); }, this);
    return;
  }
  int end_key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_end, &end_key, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, end_key, this), "MPI_Comm_set_attr");
  check_mpi(MPI_Comm_free_keyval(&end_key), "MPI_Comm_free_keyval");  // MPI frees the key with the attribute
}

// MPI_Finalize calls this function: it first deletes the attributes of MPI_COMM_SELF, while MPI can still be used.
int MpiProcess::note_end(MPI_Comm, int, void* memory, void*) {
  static_cast<MpiProcess*>(memory)->end();
  return MPI_SUCCESS;
}

void MpiProcess::stop_driving() {
  if (!is_driven_) return;
  MPI_Cancel(&never_);
  MPI_Wait(&never_, MPI_STATUS_IGNORE);
  MPI_Comm_free(&alone_);
}

void MpiProcess::end() {
  shared().driven.store(nullptr, std::memory_order_release);
  EndOfMpi::set_over();
  stop_driving();
  for (auto& [group, known_ranks] : known_ranks_) MPI_Group_free(&group);
  known_ranks_.clear();
  std::shared_ptr<MpiProcess> dropped;
  const std::lock_guard lock(shared().mutex);
  dropped.swap(shared().kept);
}

MpiProcess::~MpiProcess() {
  if (has_world_ || was_forked()) return;
  MpiProcess* expected = this;
  shared().driven.compare_exchange_strong(expected, nullptr);
  contexts_.free_all();
  stop_driving();
  MPI_Comm_free_keyval(&group_key_);
}

bool MpiProcess::can_remember(MPI_Comm users) const {
  if (!has_world_ || many_threads_ || known_ranks_.size() >= most_known_ranks) return false;
  return ranks_among(users, Members(MPI_COMM_WORLD).get()).has_value();
}

void MpiProcess::remember(MPI_Comm users, std::shared_ptr<const KnownRanks> known_ranks) {
  known_ranks_.emplace_back(Members(users).release(), std::move(known_ranks));
}

std::optional<MpiProcess::Known> MpiProcess::known(MPI_Comm users) const {
  constexpr int most_ranks = 128;  // the time of the search is proportional to the product of the two numbers of ranks
  int ranks = 1;
  check_mpi(MPI_Comm_size(users, &ranks), "MPI_Comm_size");
  if (known_ranks_.empty() || ranks == 1 || ranks > most_ranks) return std::nullopt;
  for (const auto& [group, known_ranks] : known_ranks_)
    if (auto members = ranks_among(users, group)) return Known{known_ranks, *std::move(members)};
  return std::nullopt;
}

void MpiProcess::drive(MPI_Comm users) {
  if (is_driven_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(shared().mutex);
  if (is_driven_.load(std::memory_order_relaxed)) return;
  int ranks = 1;
  check_mpi(MPI_Comm_size(users, &ranks), "MPI_Comm_size");
  // A single rank never waits, so it needs no progress. Besides, MPICH 4.0.2 cannot make a communicator in a session with one
  // process.
  if (!has_world_ && ranks == 1) return;
  alone_ = communicator_of_one(users, has_world_);
  check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, alone_, &never_), "MPI_Irecv");
  polls_yield_ = asking_gives_core_away(never_);
  is_driven_.store(true, std::memory_order_release);
  shared().driven.store(this, std::memory_order_release);
}

bool MpiProcess::was_forked() { return shared().mark.is_in_child(); }

bool MpiProcess::poll() {
  const MpiProcess* const process = shared().driven.load(std::memory_order_acquire);
  if (!process || was_forked() || !process->may_poll_here()) return false;
  ask(process->never_);
  return process->polls_yield_;
}

bool MpiProcess::polls_of_driven_yield() {
  const MpiProcess* const process = shared().driven.load(std::memory_order_acquire);
  return process && process->polls_yield_;
}

}  // namespace quadrille
