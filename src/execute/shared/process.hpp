// SPDX-License-Identifier: BSD-3-Clause
// This process as others know it, and others as it knows them. A process has two files (shared_file.hpp): its heap, which others
// read, and its control file, which others also write. Processes find each other's files by cards.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "execute/fork_mark.hpp"
#include "execute/shared/costs.hpp"
#include "execute/shared/peer_file.hpp"
#include "execute/shared/shared_file.hpp"

namespace quadrille {

// What a process tells others to be found by. It is sent as bytes.
struct ProcessCard {
  std::uint64_t id;                         // random; what else is said of this process refers to it
  std::uint64_t host;                       // of the running system: a hash of its boot id
  std::uint64_t pid_space;                  // inode of the pid namespace: pids can be compared only within one namespace
  std::uint64_t started;                    // when the process started, clock ticks since boot
  std::int64_t process;                     // its number
  std::int32_t heap, control;               // descriptors
  std::uint64_t heap_inode, control_inode;  // of these files
  std::uint64_t probe;  // address of a word in private memory that holds `id`, to find out whether others may read there
  cpu_set_t cores;      // on which it may run
};

// Another process, or this one as its own peer.
class Peer {
 public:
  explicit Peer(const ProcessCard& card);  // maps the beginning of both files; throws as PeerFile, and as Process::meet
  Peer(const ProcessCard& card, std::shared_ptr<SharedFile> heap, std::shared_ptr<SharedFile> control);  // this process itself

  const ProcessCard& card() const { return card_; }

  // Throws as PeerFile::at.
  std::byte* at(FileKind kind, Place place) {
    const auto which = static_cast<std::size_t>(kind);
    return own_[which] ? own_[which]->at(place) : files_[which]->at(place);
  }

  bool is_there() const;
  bool reads_private_memory() const { return reads_private_memory_; }  // by process_vm_readv; found out when it is met
  Bytes mapped_bytes() const;                                          // 0 for this process itself

 private:
  const ProcessCard card_;
  std::array<std::shared_ptr<SharedFile>, 2> own_;  // by FileKind: these are set
  std::array<std::unique_ptr<PeerFile>, 2> files_;  // or these
  const bool reads_private_memory_;
};

class Process {
 public:
  // This process's, made when it is first asked for. Throws Error{environment} where the machine gives no shared memory, and
  // Error{misuse} in a child that was forked from a process that had one.
  static const std::shared_ptr<Process>& current();

  Process();  // for tests, and current(); several in one process are to each other what processes are
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // True in a child that was forked since this was made. It must not touch peers, whose mappings it does not have, nor give back
  // what is its parent's.
  bool is_in_child() const { return mark_.is_in_child(); }

  const ProcessCard& card() const { return card_; }
  SharedFile& heap() { return *heap_; }
  SharedFile& control() { return *control_; }

  // Null if they have not met.
  std::shared_ptr<Peer> known(std::uint64_t id) const;
  // Throws Error{environment} that says why memory cannot be shared: another host, another pid namespace (containers), /proc is not
  // there or closed, addresses are limited.
  std::shared_ptr<Peer> meet(const ProcessCard& card);

  // Processes that have all met each other have a circle in common: the largest group that has met so far. Written by meet.cpp.
  // A process belongs to one circle at a time: the largest group in which all have met.
  struct Circle {
    std::uint64_t id = 0;
    Count size = 0;
    bool reads_private_memory = false;  // do all of each other's
    Bytes control_bytes = 0;  // so many bytes of each one's control file, from its beginning, are mapped by all the others
  };
  Circle circle() const;
  void set_circle(const Circle& circle);

  std::optional<SharingCosts> costs() const;  // measured once
  void set_costs(const SharingCosts& costs);

 private:
  void check_reach(const ProcessCard& card) const;
  void forget_lost_peers();

  static constexpr std::size_t few_peers = 16;

  const ForkMark mark_;
  ProcessCard card_{};
  std::shared_ptr<SharedFile> heap_, control_;

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Peer>> peers_;  // by their cards' ids
  std::size_t looked_over_at_ = few_peers;                          // so many peers: then those that are gone are forgotten
  Circle circle_;
  std::optional<SharingCosts> costs_;
};

}  // namespace quadrille
