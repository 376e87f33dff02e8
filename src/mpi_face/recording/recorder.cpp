// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/recording/recorder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "mpi_face/handle_map.hpp"
#include "mpi_face/settings.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint64_t gaps_between_looks = 256;  // after so many gaps the number of threads is read

// The number of threads of this process. The folder of its threads has one link for each thread and two more: its name and ".".
std::uint64_t thread_count() noexcept {
  struct stat status {};
  return ::stat("/proc/self/task", &status) == 0 ? static_cast<std::uint64_t>(status.st_nlink) : 0;
}

bool is_threaded() noexcept {
  int level = MPI_THREAD_SINGLE;
  return PMPI_Query_thread(&level) == MPI_SUCCESS && level > MPI_THREAD_FUNNELED;
}

}  // namespace

constinit Recorder* Recorder::current_ = nullptr;

Recorder::Recorder(const std::string& folder, const recording::RankFacts& facts, const TickMoment& start, double ticks_per_second)
    : log_(folder, facts, message_function_names, start.ticks),
      facts_(facts),
      start_(start),
      sites_(log_),
      clock_(ticks_per_second),
      most_messages_ticks_(static_cast<std::uint64_t>(ticks_per_second / 10)),
      threads_at_start_(thread_count()) {
  log_.header().ticks_per_second = ticks_per_second;
  if (is_threaded()) clock_.use_wall_time();
  messages_ = &sites_.of(RecordedKind::point_to_point, "", here(*CommunicatorState::of(MPI_COMM_WORLD)));
  log_.header().uses_wall_time = clock_.uses_wall_time();
  clock_.begin(failed_);
}

CommunicatorHere& Recorder::here(CommunicatorState& state) {
  if (!state.recorded()) state.recorded() = sites_.open(state.communicator(), state.calls());
  return *state.recorded();
}

// A call inside another call of the same thread is part of the outer call.
void Recorder::note_unseen() noexcept {
  if (::pthread_equal(thread_, ::pthread_self())) return;
  std::atomic_ref(log_.header().unseen_calls).fetch_add(1, std::memory_order_relaxed);
}

// The MPI library's own threads exist when MPI_Init returns.
void Recorder::look_for_threads() noexcept {
  if (clock_.uses_wall_time() || thread_count() <= threads_at_start_) return;
  clock_.use_wall_time();
  log_.header().uses_wall_time = 1;
}

void Recorder::calibrate() noexcept {
  if (const double rate = tick_rate(start_, TickMoment::now()); rate > 0) log_.header().ticks_per_second = rate;
}

void Recorder::write(std::uint32_t site, recording::Gap& gap, std::uint64_t took) noexcept {
  log_.add({site, gap.computing, gap.away, took});
  gap = {};
}

void Recorder::write_messages() noexcept {
  if (messages_calls_ == 0) return;
  write(messages_->number, messages_gap_, messages_took_);
  messages_took_ = messages_calls_ = 0;
}

void Recorder::write(const SiteHere& site, std::uint64_t took) noexcept {
  write_messages();
  if (site.pace.is_long && ++long_gaps_ % gaps_between_looks == 1) look_for_threads();
  write(site.number, gap_, took);
}

int Recorder::run(CommunicatorState& state, const MpiCall& call, VendorCall vendor) {
  if (!enter()) return vendor();
  const int code = vendor();
  const std::uint64_t took = ticks() - began_;
  recording::Pace* pace = &failed_;
  if (code == MPI_SUCCESS) try {
      SiteHere& site = sites_.of(call.function, here(state), call);
      write(site, took);
      pace = &site.pace;
    } catch (const std::bad_alloc&) {  // no memory for a new site: the call is missing
    }
  leave(*pace);
  return code;
}

void Recorder::leave_passed(Function function, const MpiCall& call, MPI_Request request) noexcept {
  const std::uint64_t took = ticks() - began_;
  CommunicatorState* const state = request != MPI_REQUEST_NULL ? CommunicatorState::of(call.communicator) : nullptr;
  recording::Pace* pace = &failed_;
  if (state) try {
      const bool persists = is_persistent(function);
      SiteHere& site = sites_.of(function, here(*state), call);
      SiteHere& start = persists ? sites_.after(site) : site;
      write(site, took);
      requests_.insert_or_assign(bits_of(request), OpenRequest{&start, &sites_.after(start), persists, !persists});
      pace = &site.pace;
    } catch (const std::bad_alloc&) {}
  leave(*pace);
}

void Recorder::leave_message(MessageFunction function, std::uint64_t took) noexcept {
  const auto number = static_cast<std::size_t>(function);
  recording::LoggedFunction& counted = log_.header().functions[number];
  ++counted.calls;
  counted.ticks += took;
  ++messages_calls_;
  messages_gap_.computing += std::exchange(gap_.computing, 0);
  messages_gap_.away += std::exchange(gap_.away, 0);
  messages_took_ += took;
  if (messages_took_ + messages_gap_.computing > most_messages_ticks_) [[unlikely]] {
    write_messages();
    calibrate();
  }
  leave(after_messages_[number]);
}

void Recorder::leave_making(const char* function, MPI_Comm parent, MPI_Comm made) noexcept {
  const std::uint64_t took = ticks() - began_;
  recording::Pace* pace = &failed_;
  try {
    if (CommunicatorState* const state = CommunicatorState::of(parent)) {
      SiteHere& site = sites_.of(RecordedKind::making, function, here(*state));
      write(site, took);
      pace = &site.pace;
    }
    if (CommunicatorState* const state = made == MPI_COMM_NULL ? nullptr : CommunicatorState::of(made)) here(*state);
    calibrate();
  } catch (const std::bad_alloc&) {}
  leave(*pace);
}

Recorder::OpenRequest* Recorder::request(MPI_Request request) {
  const auto found = requests_.find(bits_of(request));
  return found == requests_.end() ? nullptr : &found->second;
}

void Recorder::forget_request(MPI_Request request) { requests_.erase(bits_of(request)); }

void Recorder::write_start(const OpenRequest& request, std::uint64_t took) noexcept { write(*request.start, took); }

void Recorder::write_completion(OpenRequest& request) noexcept {
  write(*request.completion, std::exchange(request.took, 0));
  request.is_active = false;
}

// Only the thread inside a call may write. Other threads must not wait for that thread, because its call may wait for another
// rank's call.
void Recorder::read_name(CommunicatorState& state) {
  if (!state.recorded()) return;
  const std::optional<std::string> name = RecordedSites::new_name(*state.recorded());
  if (!name) return;
  const bool was_outside = !is_inside_.exchange(true, std::memory_order_acquire);
  if (was_outside || ::pthread_equal(thread_, ::pthread_self())) {
    log_.rename(state.recorded()->number, *name);
  } else {
    const std::lock_guard lock(late_names_mutex_);
    late_names_.emplace_back(state.recorded()->number, *name);
  }
  if (was_outside) is_inside_.store(false, std::memory_order_release);
}

}  // namespace quadrille::mpi_face
