// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/process.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <string>
#include <thread>
#include <utility>

#include "execute/shared/protocol/sleep.hpp"
#include "foundation/hash.hpp"
#include "foundation/system/proc.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Bytes largest_heap = Bytes{1} << 46;  // half of the address space of a process
constexpr Bytes largest_control = Bytes{1} << 36;

[[noreturn]] void refuse(const ProcessCard& card, const std::string& why) {
  throw Error(ErrorCode::environment, fmt::format("memory cannot be shared with process {}: {}", card.process, why));
}

// Returns twice the usable memory as a power of two, because the largest allocation is half of the file. Stays below the limit of
// file sizes: exceeding it would kill the process (SIGXFSZ).
Bytes heap_bytes() {
  const Bytes wanted = std::min(usable_memory(), largest_heap / 2) * 2;
  const auto bytes = std::bit_ceil(static_cast<std::uint64_t>(std::max(wanted, Extents::first)));
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return static_cast<Bytes>(bytes);
  const auto most = std::bit_floor(static_cast<std::uint64_t>(limit.rlim_cur));
  if (most < static_cast<std::uint64_t>(Extents::first))
    throw Error(ErrorCode::environment, fmt::format("the limit of file sizes (ulimit -f) is {} KiB, and memory that processes "
                                                    "share is a file of at least {} KiB; raise the limit",
                                                    limit.rlim_cur / 1024, Extents::first / 1024));
  return static_cast<Bytes>(std::min(bytes, most));
}

// Fills in host, pid namespace, start time, pid and cores. Leaves a field 0 if /proc does not tell it.
void describe_place(ProcessCard& card) {
  if (const std::string boot = boot_id(); !boot.empty()) card.host = text_hash(boot);
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) == 0) card.pid_space = status.st_ino;
  if (const auto state = process_state("/proc/self")) card.started = state->started;
  card.process = ::getpid();
  CPU_ZERO(&card.cores);
  if (::sched_getaffinity(0, sizeof card.cores, &card.cores) == 0) return;
  // The call fails if the machine has more cores than a cpu_set_t can hold.
  const auto cores = std::clamp<unsigned>(std::thread::hardware_concurrency(), 1, CPU_SETSIZE);
  for (unsigned core = 0; core < cores; ++core) CPU_SET(core, &card.cores);
}

bool can_read(const ProcessCard& card) {
  std::uint64_t found = 0;
  iovec here{&found, sizeof found}, there{reinterpret_cast<void*>(card.probe), sizeof found};
  return ::process_vm_readv(static_cast<pid_t>(card.process), &here, 1, &there, 1, 0) == sizeof found && found == card.id;
}

std::string directory_of(const ProcessCard& card) { return fmt::format("/proc/{}", card.process); }

std::unique_ptr<PeerFile> open_file(const ProcessCard& card, FileKind kind) {
  const bool is_heap = kind == FileKind::heap;
  return std::make_unique<PeerFile>(fmt::format("{}/fd/{}", directory_of(card), is_heap ? card.heap : card.control), kind, card.id,
                                    is_heap ? card.heap_inode : card.control_inode);
}

// Made when the library is loaded, because a process with several threads is not registered. A forked child is not registered.
class Registration {
 public:
  bool holds() const { return is_registered_ && !mark_.is_in_child(); }

 private:
  const ForkMark mark_;
  const bool is_registered_ = FullFence::register_process();
};
const Registration registration;

const ProcessCard& checked(const ProcessCard& card) {
  const auto state = process_state(directory_of(card));
  if (!state) refuse(card, "there is no such process in /proc; it has ended, or /proc shows other processes");
  if (state->started != card.started)
    refuse(card, "its number belongs to another process; it has ended, or /proc shows other processes");
  return card;
}

}  // namespace

std::uint64_t random_id() {
  std::uint64_t id = 0;
  while (id == 0)
    if (::getrandom(&id, sizeof id, 0) != sizeof id) throw Error(ErrorCode::environment, "the system call getrandom failed");
  return id;
}

Peer::Peer(const ProcessCard& card)
    : card_(checked(card)),
      files_{open_file(card, FileKind::heap), open_file(card, FileKind::control)},
      reads_private_memory_(can_read(card)) {}

Peer::Peer(const ProcessCard& card, std::shared_ptr<SharedFile> heap, std::shared_ptr<SharedFile> control)
    : card_(card), own_{std::move(heap), std::move(control)}, reads_private_memory_(can_read(card)) {}

bool Peer::is_there() const { return own_[0] || files_[0]->is_there() || files_[1]->is_there(); }

Bytes Peer::mapped_bytes() const { return own_[0] ? 0 : files_[0]->mapped_bytes() + files_[1]->mapped_bytes(); }

const std::shared_ptr<Process>& Process::current() {
  // Never destroyed, because other threads may use it until the process ends. The kernel frees the memory when the process ends.
  static const auto& process = *new std::shared_ptr<Process>(std::make_shared<Process>());
  if (process->is_in_child())
    throw Error(ErrorCode::misuse,
                "this process was forked from one that shares memory with others, and that memory belongs to the parent; share "
                "memory in the parent, or start another program (exec)");
  return process;
}

Process::Process() {
  describe_place(card_);
  card_.id = random_id();
  card_.is_registered = registration.holds();
  card_.probe = reinterpret_cast<std::uintptr_t>(&card_.id);
  const Bytes bytes = heap_bytes();
  heap_ = std::make_shared<SharedFile>(FileKind::heap, card_.id, bytes);
  control_ = std::make_shared<SharedFile>(FileKind::control, card_.id, std::min(bytes, largest_control));
  card_.heap = heap_->descriptor();
  card_.heap_inode = heap_->inode();
  card_.control = control_->descriptor();
  card_.control_inode = control_->inode();
}

std::shared_ptr<Peer> Process::known(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto entry = peers_.find(id);
  return entry == peers_.end() ? nullptr : entry->second;
}

std::shared_ptr<Peer> Process::meet(const ProcessCard& card) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = peers_.find(card.id); entry != peers_.end()) return entry->second;
  if (card.id != card_.id) check_reach(card);
  forget_lost_peers();
  auto peer = card.id == card_.id ? std::make_shared<Peer>(card_, heap_, control_) : std::make_shared<Peer>(card);
  peers_.emplace(card.id, peer);
  return peer;
}

void Process::check_reach(const ProcessCard& card) const {
  const auto is_known = [](const ProcessCard& one) { return one.host != 0 && one.pid_space != 0 && one.started != 0; };
  if (!is_known(card_) || !is_known(card))
    refuse(card, "/proc is missing or not accessible, and processes need it to find each other's memory; mount it");
  if (card.host != card_.host) refuse(card, "it is on another machine");
  if (card.pid_space != card_.pid_space)
    refuse(card,
           "it is on this machine but in another pid namespace, as containers are; give the containers one pid namespace to share "
           "memory (docker: --pid=host or --pid=container:NAME)");
}

// Removes peers that have ended, so that their number stays bounded in a program that starts processes again and
// again (MPI_Comm_spawn). The search takes place only when the number of peers has doubled since the last one, so its cost per
// new peer is constant on average.
void Process::forget_lost_peers() {
  if (peers_.size() < looked_over_at_) return;
  std::erase_if(peers_, [](const auto& entry) { return entry.second.use_count() == 1 && !entry.second->is_there(); });
  looked_over_at_ = std::max(2 * peers_.size(), few_peers);
}

Process::KnownProcesses Process::known_processes() const {
  const std::lock_guard lock(mutex_);
  return known_processes_;
}

void Process::set_known_processes(const KnownProcesses& known_processes) {
  const std::lock_guard lock(mutex_);
  known_processes_ = known_processes;
}

}  // namespace quadrille
