// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "foundation/system/file_replacement.hpp"
#include "foundation/system/proc.hpp"
#include "foundation/system/ticks.hpp"
#include "foundation/text/wording.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "mpi_face/watch/seen_record.hpp"
#include "watch/python_frames.hpp"
#include "watch/stacks.hpp"

namespace quadrille::command {
namespace {

using namespace mpi_face;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds most_patience{10'000};
constexpr milliseconds time_to_answer{700}, time_for_stacks{1500};
constexpr milliseconds time_for_mismatch{3000};  // the ranks do not go on

constexpr std::uint64_t not_told = 1, told_before = 2;  // values of WatchPage::mismatch

void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

// Is the process `process`, or has it been started by it?
bool descends_from(long number, pid_t process) {
  for (int depth = 0; depth < 16 && number > 1; ++depth) {
    if (number == process) return true;
    const auto facts = process_stat(fmt::format("/proc/{}", number));
    if (!facts) return false;
    number = facts->parent;
  }
  return false;
}

// Seconds of processor time that a process has used; negative: unknown.
double processor_seconds(long process) {
  const auto facts = process_stat(fmt::format("/proc/{}", process));
  return facts ? static_cast<double>(facts->used) / static_cast<double>(::sysconf(_SC_CLK_TCK)) : -1;
}

// How long the rank has been in the call, or in MPI_Finalize, that it is in.
double seconds_inside(const WatchedFile& file, std::uint64_t now_ticks) {
  const CallInProgress call = call_in_progress(file.page());
  const bool finalises = file.page().is_finalising != 0;
  const std::uint64_t since = finalises ? file.page().left_ticks : call.begin_ticks;
  if (!(finalises || call.is_inside) || now_ticks <= since) return 0;
  return static_cast<double>(now_ticks - since) / file.header().ticks_per_second;
}

// A message between watchers begins with the number of a question. The watcher of rank 0 asks by the number alone. The others
// answer by a message with the number and a rank for each rank, and end by the number alone. The number 0 says that they suspect a
// hang.
std::string to_message(std::uint64_t question, const std::string& rank = {}) {
  return std::string(reinterpret_cast<const char*>(&question), sizeof question) + rank;
}

std::uint64_t question_of(const std::string& message) {
  std::uint64_t question = 0;
  std::memcpy(&question, message.data(), std::min(message.size(), sizeof question));
  return question;
}

// The members of a communicator are kept once: with 100,000 ranks, they would be most of what watchers send and keep.
void forget_known_members(SeenRank& rank, std::set<CommunicatorKey>& known) {
  for (SeenCommunicator& each : rank.communicators)
    if (!each.world_ranks.empty() && !known.insert(each.key).second) each.world_ranks.clear();
}

// The sites with many live objects, in order. The loader changes addresses by whole pages, so all ranks have the same numbers.
std::vector<std::uint64_t> leaking_sites(const WatchPage& page) {
  constexpr std::uint64_t page_bytes = 4096;
  std::vector<std::uint64_t> sites;
  for (const LiveSite& each : page.sites)
    if (each.live > LiveSite::few) sites.push_back(static_cast<std::uint64_t>(each.kind) * page_bytes + each.site % page_bytes);
  std::sort(sites.begin(), sites.end());
  return sites;
}

// Will the program soon have no more communicators in MPICH?
bool has_too_many_communicators(const WatchPage& page) {
  return std::any_of(std::begin(page.sites), std::end(page.sites),
                     [](const LiveSite& each) { return each.kind == LiveSite::Kind::communicator && each.live > 1800; });
}

std::uint64_t progress_of(const std::vector<SeenRank>& ranks) {
  std::uint64_t begun = 1;  // so that it is not 0
  for (const SeenRank& each : ranks) begun += each.begun;
  return begun;
}

}  // namespace

Watcher::Watcher(pid_t process, WatchPlan plan, std::optional<Listener> listener)
    : process_(process), plan_(std::move(plan)), listener_(std::move(listener)) {}

// Finds the ranks of this node that have begun.
void Watcher::find_files() {
  std::error_code error;
  for (fs::directory_iterator each(plan_.folder, error), end; !error && each != end; each.increment(error))
    if (each->path().extension() == ".counters") take_file(each->path().string());
}

void Watcher::take_file(const std::string& path) {
  if (elsewhere_.contains(path)) return;
  // A script may start the program again, so the file of a rank that has ended may be another now.
  if (const auto known = files_.find(path); known != files_.end()) {
    if (&known->second == own_ || (!known->second.has_ended() && !known->second.header().end_unix_ns)) return;
    files_.erase(known);
  }
  auto file = WatchedFile::open(path);
  if (!file || file->header().run != plan_.run) return;
  if (words_of(file->header().host) != host_name()) {
    elsewhere_.insert(path);
    return;
  }
  WatchedFile& kept = files_.emplace(path, std::move(*file)).first->second;
  if (!own_ && descends_from(kept.header().process, process_)) own_ = &kept, read_places();
}

void Watcher::read_places() { places_.read(static_cast<pid_t>(own_->header().process), maps_path(own_->path())); }

SeenRank Watcher::look(bool with_stack) {
  const pid_t process = static_cast<pid_t>(own_->header().process);
  read_places();
  const auto place = [&](std::uint64_t address) { return places_.of(address); };
  // The program may change its arrays when the call has ended, so what was read counts only if the rank is still in the call.
  const std::uint64_t begun = call_in_progress(own_->page()).begun;
  const auto read = [&](std::uint64_t address, void* to, std::size_t bytes) {
    const iovec here{to, bytes}, there{reinterpret_cast<void*>(address), bytes};
    if (::process_vm_readv(process, &here, 1, &there, 1, 0) != static_cast<ssize_t>(bytes)) return false;
    const CallInProgress now = call_in_progress(own_->page());
    return now.is_inside && now.begun == begun;
  };
  SeenRank rank = seen_rank(read_watched_record(own_->path()), ticks(), place, read);
  add_process(rank);
  note_progress(rank.begun);
  const double used_s = processor_seconds(process);
  rank.processor_s = used_s < 0 ? -1 : used_s - processor_s_;
  if (with_stack) add_stack(rank);
  return rank;
}

// Adds where a rank computes. If the rank calls MPI through a binding of a language, the binding is where it calls, so the place of
// that call is taken from the stack, too.
void Watcher::add_stack(SeenRank& rank) {
  const pid_t process = static_cast<pid_t>(rank.process);
  if (!plan_.is_asked) return;  // a system call that is interrupted may return EINTR
  if (rank.state == SeenRank::State::computes || rank.state == SeenRank::State::sleeps) {
    rank.stack = where_it_computes(process, places_);
    return;
  }
  const Module* const caller = places_.module_at(call_in_progress(own_->page()).site - 1);
  if (rank.state != SeenRank::State::in_call || !caller || !is_mpi_binding(*caller)) return;
  const std::vector<std::string> frames = sample(process, places_).frames;
  const auto inside = std::find_if(rank.calls.rbegin(), rank.calls.rend(), [](const WatchedCall& each) { return !each.has_left; });
  if (!frames.empty() && inside != rank.calls.rend()) inside->place = frames.front();
}

void Watcher::note_progress(std::uint64_t begun) {
  if (begun != begun_) begun_ = begun, processor_s_ = processor_seconds(own_->header().process);
}

// Answers a question of the watcher that collects, which stands in the own rank's file.
void Watcher::answer() {
  if (!own_) return;
  const std::uint64_t asked = own_->asked();
  if (asked == answered_) {
    const CallInProgress call = call_in_progress(own_->page());
    if (call.begun != begun_ && !places_.module_at(call.site)) read_places();
    return note_progress(call.begun);
  }
  answered_ = asked;
  try {
    own_->write_answer(asked, look(asked & 1));
  } catch (const std::exception&) {
    // The file is being changed or is gone: the collecting watcher reads what it can by itself.
  }
}

// Looks for the own rank's file; if this watcher collects, or would, for those of the other ranks.
void Watcher::search() {
  if (!own_) plan_.rank ? take_file(record_path(plan_.folder, *plan_.rank)) : find_files();
  if (!own_) return;
  const bool is_first = own_->header().world_rank == 0;
  if (!is_first && lock_.number() < 0) {
    Descriptor lock(
        ::open((plan_.folder + "/" + host_name() + ".watcher").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (lock.number() >= 0 && ::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) lock_ = std::move(lock);
  }
  if (is_first || lock_.number() >= 0) find_files();
}

// True if this watcher collects what those of its node see.
bool Watcher::collects() const {
  if (own_->header().world_rank == 0) return true;
  return lock_.number() >= 0 && std::none_of(files_.begin(), files_.end(), [](const auto& each) {
           return each.second.header().world_rank == 0 && !each.second.has_ended();
         });
}

void Watcher::follow_links(Time now) {
  if (listener_)
    for (Link& each : listener_->progress(now)) {
      peers_.push_back({std::move(each), is_asking_ ? 0 : question_, {}});
      if (is_asking_) peers_.back().link.send(to_message(question_));
    }
  for (Peer& peer : peers_)
    for (const std::string& message : peer.link.progress(now)) {
      const std::uint64_t question = question_of(message);
      SeenRank rank;
      if (question == 0) {
        is_told_of_hang_ = true;
      } else if (message.size() == sizeof question) {
        peer.answered = question;
      } else if (question == question_ && from_bytes(std::string_view(message).substr(sizeof question), rank)) {
        forget_known_members(rank, known_members_);
        peer.ranks.push_back(std::move(rank));
      }
    }
  std::erase_if(peers_, [](const Peer& peer) { return peer.link.is_closed(); });

  if (own_->header().world_rank == 0) return;
  if (!up_) {
    if (const auto meeting = parse_meeting(words_of(own_->page().meeting))) up_.emplace(*meeting, now);
    return;
  }
  was_up_ |= up_->state() == Link::State::open;
  for (const std::string& message : up_->progress(now)) {
    asked_from_above_ = question_of(message);
    ask(asked_from_above_ & 1, now);
  }
}

bool Watcher::has_mismatch(std::uint64_t state) const {
  return std::any_of(files_.begin(), files_.end(), [=](const auto& each) { return each.second.page().mismatch == state; });
}

bool Watcher::is_suspicious() const {
  if (is_told_of_hang_) return true;
  const std::uint64_t now_ticks = ticks();
  return std::any_of(files_.begin(), files_.end(), [&](const auto& each) {
    return !each.second.has_ended() && seconds_inside(each.second, now_ticks) >= plan_.limit_s;
  });
}

void Watcher::ask(bool for_stacks, Time now) {
  find_files();  // a rank may have begun since the last search
  is_asking_ = true;
  asked_ = now;
  asked_of_mismatch_ = has_mismatch(not_told);
  for (auto& [path, file] : files_) file.ask(for_stacks);
  question_ = ((question_ >> 1) + 1) << 1 | (for_stacks ? 1 : 0);
  known_members_.clear();
  for (Peer& peer : peers_) {
    peer.ranks.clear();
    peer.link.send(to_message(question_));
  }
}

bool Watcher::has_all() const {
  // Soon after its begin, a program may have a mismatch before the watchers know each other.
  std::size_t known = files_.size();
  for (const Peer& peer : peers_) known += peer.ranks.size();
  if (asked_of_mismatch_ && asked_from_above_ == 0 && known < static_cast<std::size_t>(own_->header().world_size)) return false;
  return std::all_of(peers_.begin(), peers_.end(), [&](const Peer& peer) { return peer.answered >= question_; }) &&
         std::all_of(files_.begin(), files_.end(),
                     [](const auto& each) { return each.second.has_ended() || each.second.answer(each.second.asked()); });
}

// What is known of the ranks of this node: the answers of their watchers, or what their files say.
Watcher::Ranks Watcher::local_ranks() {
  Ranks ranks;
  for (const auto& [path, file] : files_) try {
      ranks.push_back(file.seen(file.asked()));
      forget_known_members(ranks.back(), known_members_);
    } catch (const std::exception&) {
      // It is gone.
    }
  return ranks;
}

void Watcher::send_answer() {
  for (const SeenRank& each : local_ranks()) up_->send(to_message(asked_from_above_, to_bytes(each)));
  up_->send(to_message(asked_from_above_));
  asked_from_above_ = 0;
}

void Watcher::conclude(Time now) {
  is_asking_ = false;
  is_told_of_hang_ = false;
  if (asked_from_above_ != 0) return send_answer();
  Ranks ranks = local_ranks();
  for (Peer& peer : peers_)
    if (peer.answered == question_) std::move(peer.ranks.begin(), peer.ranks.end(), std::back_inserter(ranks));
  const Count world_size = own_->header().world_size;
  if (has_mismatch(told_before)) return;
  if (plan_.checks) {
    const bool is_found = has_mismatch(not_told);
    // The ranks may have answered before the one that has found the mismatch did.
    if (is_found && !asked_of_mismatch_) return ask(true, now);
    auto mismatch = find_mismatch(ranks, world_size);
    if (!mismatch && is_found) mismatch = find_hang(ranks, world_size, {0});  // the blocks of an irregular call
    if (mismatch) {
      aborts_ = true;
      for (auto& [path, file] : files_) std::atomic_ref(file.page().mismatch).store(told_before, std::memory_order_relaxed);
      return print(*mismatch);
    }
  }
  const auto verdict = find_hang(ranks, world_size, {plan_.limit_s});
  // Perhaps it has been told, also by the watcher of a rank that has ended since.
  const std::uint64_t progress = progress_of(ranks);
  const bool is_late = verdict && verdict->cause == HangVerdict::Cause::late;
  if (!verdict || (is_late && verdict->quiet_s < least_late_s_) ||
      progress == std::atomic_ref(own_->page().told).load(std::memory_order_relaxed)) {
    next_question_ = now + patience_;
    patience_ = std::min(patience_ * 3 / 2, most_patience);
    return;
  }
  patience_ = milliseconds(1000);
  if (!(question_ & 1)) return ask(true, now);
  say(leaks_text(ranks));
  aborts_ = plan_.aborts;
  print(*verdict);
  if (is_late) least_late_s_ = 2 * verdict->quiet_s;  // a program may be late again and again
  for (auto& [path, file] : files_) std::atomic_ref(file.page().told).store(progress, std::memory_order_relaxed);
}

// Says once what the own rank has not freed. Of this node's ranks that leak at the same sites, the first says it. At the end, a
// rank with leaks waits, so that the watchers of other ranks see it, too.
void Watcher::tell_leaks(Time now, bool at_end) {
  std::optional<Time>& told = told_leaks_[at_end];
  if (told) {
    if (at_end && now - *told >= 2 * pace) std::atomic_ref(own_->page().leaks_told).store(1, std::memory_order_release);
    return;
  }
  told = now;
  const auto sites = leaking_sites(own_->page());
  if (sites.empty()) return;
  find_files();
  const bool is_first = std::none_of(files_.begin(), files_.end(), [&](const auto& each) {
    return each.second.header().world_rank < own_->header().world_rank && leaking_sites(each.second.page()) == sites;
  });
  if (!is_first) return;
  read_places();
  SeenRank rank;
  rank.rank = own_->header().world_rank;
  rank.live = live_objects(own_->page(), [&](std::uint64_t address) { return places_.of(address); });
  say(leaks_text({&rank, 1}));
}

void Watcher::print(const HangVerdict& verdict) {
  std::string text = text_of(verdict);
  if (up_ && up_->is_closed())
    text += fmt::format("the watcher of rank 0 cannot be reached, so this is only what {} sees\n", host_name());
  say(text);
  for (const auto& [ending, content] : {std::pair(".hang.txt", text), std::pair(".hang.json", json_text_of(verdict))})
    if (const Result<> written = replace_file(plan_.name + ending, content); !written)
      say(fmt::format("quadrille: {}{} cannot be written: {}\n", plan_.name, ending, written.error()));
}

// The listener is not polled: connections wait for the next tick.
void Watcher::add_polled(std::vector<pollfd>& polled) const {
  for (const Peer& peer : peers_) peer.link.add_polled(polled);
  if (up_) up_->add_polled(polled);
}

void Watcher::tick(Time now) {
  if (now >= next_search_) {
    search();
    next_search_ = now + (own_ ? milliseconds(2000) : pace);
  }
  answer();
  const bool is_finalising = own_ && std::atomic_ref(own_->page().is_finalising).load(std::memory_order_acquire);
  if (is_finalising || (own_ && has_too_many_communicators(own_->page()))) tell_leaks(now, is_finalising);
  if (!own_ || !collects()) return;
  follow_links(now);
  if (is_asking_) {
    const milliseconds longest = asked_of_mismatch_ ? time_for_mismatch : question_ & 1 ? time_for_stacks : time_to_answer;
    if (has_all() || now - asked_ >= longest) conclude(now);
    return;
  }
  // With --check, ranks of several nodes are compared from time to time.
  const bool compares = plan_.checks && (!peers_.empty() || (up_ && !up_->is_closed()));
  const bool differ = has_mismatch(not_told);
  if (!differ && (now < next_question_ || !(is_suspicious() || compares))) return;
  if (differ && was_up_ && up_->is_closed()) return;  // the watcher of rank 0 has told it
  if (up_ && !up_->is_closed()) {
    if (differ && now < next_question_) return;
    up_->send(to_message(0));
    next_question_ = now + milliseconds(1000);
  } else {
    ask(differ, now);
  }
}

// What a rank has left that ended well is removed.
void Watcher::end(std::optional<int> status, bool was_told_to_end) {
  const bool is_new = !own_, leaves_nothing = !plan_.is_asked && !plan_.reports;
  if (is_new || !plan_.rank) find_files();
  if (is_new && own_ && own_->header().process != process_) status.reset();  // it is the status of what has started the rank
  if (own_) {
    WatchPage& page = own_->page();
    // MPI ends a program that calls it after MPI_Finalize.
    const bool has_finalised = (page.is_finalising || own_->header().end_unix_ns != 0) && !call_in_progress(page).is_inside;
    if (status) std::atomic_ref(page.end).store(static_cast<std::uint64_t>(*status) + 1, std::memory_order_release);
    if (!was_told_to_end && !aborts_) tell_leaks(std::chrono::steady_clock::now(), true);
    // This is how launchers end the ranks of a job.
    was_told_to_end |= status && WIFSIGNALED(*status) && (WTERMSIG(*status) == SIGTERM || WTERMSIG(*status) == SIGINT);
    if (aborts_) return;  // watchers of other ranks may still read this rank's files
    if (!has_finalised && !was_told_to_end) {
      tell_end(status);
      if (!leaves_nothing) return;
    }
  }
  if (own_ && collects()) mpi_face::remove_old_report_folders();
  if (lock_.number() >= 0) ::unlink((plan_.folder + "/" + host_name() + ".watcher").c_str());
  for (const auto& [path, file] : files_) {
    const bool is_own = &file == own_ || !plan_.rank || file.header().world_rank == *plan_.rank || leaves_nothing;
    const bool has_ended = &file == own_ || file.page().is_finalising || file.header().end_unix_ns != 0 || file.has_ended();
    if (!is_own || !has_ended) continue;
    for (const std::string& each : {file.answer_path(), maps_path(path), plan_.reports ? "" : path}) ::unlink(each.c_str());
  }
  ::unlink(calls_path(plan_.folder, plan_.run).c_str());
  ::rmdir(plan_.folder.c_str());  // if it is empty
}

void Watcher::tell_end(std::optional<int> status) {
  const std::string words = status ? words_of_end(*status) : "ended";
  try {
    SeenRank rank = look(false);
    std::string last;
    for (const WatchedCall& each : rank.calls)
      if ((each.is_collective || !each.has_left) && each.function != "Finalize")
        last = fmt::format("; its last call was {}{}", each.function, each.place.empty() ? "" : ", " + each.place);
    const char* const how = own_->page().is_finalising ? "after a call that came after MPI_Finalize" : "without MPI_Finalize";
    say(fmt::format("quadrille: rank {} {} {}{}\n", rank.rank, words, how, last));
    rank.state = SeenRank::State::died;
    rank.end = status ? words : "ended without MPI_Finalize";
    own_->write_answer(own_->asked(), rank);
  } catch (const std::exception&) {
    return;  // its file is gone
  }
}

}  // namespace quadrille::command
