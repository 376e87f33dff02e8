// SPDX-License-Identifier: BSD-3-Clause
// Watches a run: one watcher for each rank, in the process that started the rank's program. Each sees its own rank. One on each
// node collects what the others see: the watcher of rank 0, or whoever has the lock of the node. Those of other nodes send it to
// that of rank 0, which makes the verdict. Where they cannot, each node makes a verdict of its own part.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foundation/system/files.hpp"
#include "mpi_face/watch/verdict.hpp"
#include "watch/link.hpp"
#include "watch/places.hpp"
#include "watch/watched_file.hpp"

namespace quadrille::command {

struct WatchPlan {
  double limit_s = 10;   // a verdict is made when a call has taken so long
  bool is_asked = true;  // by the user; else nothing stops the program, and nothing of it stays when it has ended
  bool checks = false;   // the ranks compare their calls, and the first that does not match ends the program
  bool aborts = false;   // ends the program after a verdict
  bool reports = false;  // the counters are for a report, which removes them
  std::string folder;    // of the counters
  std::string name;      // NAME.hang.json and NAME.hang.txt get the verdict
  std::uint64_t run = 0;
  std::optional<Rank>
      rank;  // which the launcher gave to the program; without a launcher, all ranks in the folder are the program's
};

class Watcher {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds pace{250};  // between calls of `tick`

  // `process`: the program, or what starts it. `listener`: set if the program is rank 0 of several nodes.
  Watcher(pid_t process, WatchPlan plan, std::optional<Listener> listener);

  void add_polled(std::vector<pollfd>& polled) const;
  void tick(Time now);

  // The rank has ended, by itself or because it was told to. `status`: as of waitpid(2), if it is known.
  void end(std::optional<int> status, bool was_told_to_end);

  // The process that is the rank; 0: none has begun.
  pid_t rank_process() const { return own_ ? static_cast<pid_t>(own_->header().process) : 0; }
  bool aborts() const { return aborts_; }  // the program is to be ended, because it hangs

 private:
  using Ranks = std::vector<mpi_face::SeenRank>;
  struct Peer {
    Link link;
    std::uint64_t answered;  // the last question that it has answered
    Ranks ranks;             // the answers to the last question
  };

  void find_files();
  void take_file(const std::string& path);
  void read_places();
  void note_progress(std::uint64_t begun);
  void answer();
  mpi_face::SeenRank look(bool with_stack);
  void add_stack(mpi_face::SeenRank& rank);
  void search();
  bool collects() const;
  void follow_links(Time now);
  bool has_mismatch(std::uint64_t state) const;
  bool is_suspicious() const;
  void ask(bool for_stacks, Time now);
  bool has_all() const;
  Ranks local_ranks();
  void conclude(Time now);
  void tell_leaks(Time now, bool at_end);
  void print(const mpi_face::HangVerdict& verdict);
  void send_answer();
  void tell_end(std::optional<int> status);

  const pid_t process_;
  const WatchPlan plan_;
  SourcePlaces places_;                       // of the own rank's process
  std::map<std::string, WatchedFile> files_;  // of the ranks of this node, by path
  std::set<std::string> elsewhere_;           // paths of those of other nodes
  WatchedFile* own_ = nullptr;
  std::uint64_t answered_ = 0;         // the last question to this watcher that it has answered
  std::uint64_t begun_ = 0;            // calls of the own rank when it was seen last
  double processor_s_ = 0;             // its processor time then
  std::optional<Time> told_leaks_[2];  // when it was told what the rank has not freed: early, and at the end

  Descriptor lock_;  // of the node; this watcher collects
  std::optional<Listener> listener_;
  std::vector<Peer> peers_;             // watchers of other nodes, if this one is rank 0's
  std::optional<Link> up_;              // to the watcher of rank 0, if that is on another node
  bool was_up_ = false;                 // that link has been open
  std::uint64_t asked_from_above_ = 0;  // the question of the watcher of rank 0 that is not answered yet

  bool is_told_of_hang_ = false;                       // a watcher of another node suspects one
  std::uint64_t question_ = 0;                         // number of the last one; the lowest bit asks for stacks
  bool is_asking_ = false;                             // it is not answered yet
  bool asked_of_mismatch_ = false;                     // a rank had found a mismatch when the question was asked
  std::set<mpi_face::CommunicatorKey> known_members_;  // communicators whose members are in answers to it
  Time asked_{}, next_question_{}, next_search_{};
  double least_late_s_ = 0;                   // ranks that are late by less are not told of
  std::chrono::milliseconds patience_{1000};  // until the next question, if there was no verdict
  bool aborts_ = false;
};

}  // namespace quadrille::command
