// SPDX-License-Identifier: BSD-3-Clause
// What this process shares with other processes, and what it knows of them. Each process has two shared files (shared_file.hpp):
// its heap, which other processes only read, and its control file, which they also write. A process finds the files of another
// process by the data in that process's card.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "execute/process_events.hpp"
#include "execute/shared/memory/shared_file.hpp"

namespace quadrille {

// Returns a random number that is not 0, for use as an id that no other process uses.
std::uint64_t random_id();

// The data by which other processes find a process's files. Cards are sent as bytes.
struct ProcessCard {
  std::uint64_t id;                         // random; identifies the process everywhere else
  std::uint64_t host;                       // identifies the running system: a hash of its boot id
  std::uint64_t pid_space;                  // inode of the pid namespace: pids can be compared only within one namespace
  std::uint64_t started;                    // start time of the process in clock ticks since boot
  std::int64_t process;                     // its pid
  std::int32_t heap, control;               // descriptors of its two files in that process
  std::uint64_t heap_inode, control_inode;  // inodes of these files
  bool is_registered;                       // for FullFence::make_for_all
  std::uint64_t probe;  // address of a word with `id` in private memory; other processes try to read it when they meet this one
  cpu_set_t cores;      // the cores on which it may run
};

// A process of a group as this process sees it: another process, or this one.
class Peer {
 public:
  explicit Peer(const ProcessCard& card);  // maps the first extent of both files; throws as PeerFile and Process::meet
  Peer(const ProcessCard& card, std::shared_ptr<SharedFile> heap, std::shared_ptr<SharedFile> control);  // for this process itself

  const ProcessCard& card() const { return card_; }

  // Throws as PeerFile::at.
  std::byte* at(FileKind kind, Place place) {
    const auto which = static_cast<std::size_t>(kind);
    return own_[which] ? own_[which]->at(place) : files_[which]->at(place);
  }

  bool is_there() const;
  bool reads_private_memory() const { return reads_private_memory_; }  // by process_vm_readv; tested when the processes meet
  Bytes mapped_bytes() const;                                          // 0 for this process itself

 private:
  const ProcessCard card_;
  std::array<std::shared_ptr<SharedFile>, 2> own_;  // by FileKind; set for this process itself
  std::array<std::unique_ptr<PeerFile>, 2> files_;  // by FileKind; set for another process
  const bool reads_private_memory_;
};

class Process {
 public:
  // Returns the object of this process; the first call makes it. Throws Error{environment} if the system provides no shared memory,
  // and Error{misuse} in a child that was forked from a process that had one.
  static const std::shared_ptr<Process>& current();

  Process();  // for current() and tests; several objects in one process act like several processes
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Is this a child that was forked after the object was made? Such a child must not access peers, because it lacks their
  // mappings. It must not release memory, because the memory belongs to its parent.
  bool is_in_child() const { return mark_.is_in_child(); }

  const ProcessCard& card() const { return card_; }
  SharedFile& heap() { return *heap_; }
  SharedFile& control() { return *control_; }

  // Returns the peer with this ProcessCard::id, or null if the processes have not met.
  std::shared_ptr<Peer> known(std::uint64_t id) const;
  // Returns the peer with this card; the first call maps its files. Throws Error{environment} with the reason if memory cannot be
  // shared: another host, another pid namespace (containers), /proc is missing or not accessible, address space is limited.
  std::shared_ptr<Peer> meet(const ProcessCard& card);

  // A set of processes that have all met each other. A process belongs to one such set at a time: the largest one in which it has
  // met other processes so far. meet.cpp sets it.
  struct KnownProcesses {
    std::uint64_t id = 0;
    Count size = 0;
    bool reads_private_memory = false;  // can each process read the private memory of each other process?
    Bytes control_bytes = 0;            // all other processes have mapped this many bytes at the start of each control file
  };
  KnownProcesses known_processes() const;
  void set_known_processes(const KnownProcesses& known_processes);

 private:
  void check_reach(const ProcessCard& card) const;
  void forget_lost_peers();

  static constexpr std::size_t few_peers = 16;

  const ForkMark mark_;
  ProcessCard card_{};
  std::shared_ptr<SharedFile> heap_, control_;

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Peer>> peers_;  // by ProcessCard::id
  std::size_t looked_over_at_ = few_peers;  // when there are this many peers, those that have ended are removed
  KnownProcesses known_processes_;
};

}  // namespace quadrille
