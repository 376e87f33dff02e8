// SPDX-License-Identifier: BSD-3-Clause
#include "watch/stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "foundation/system/proc.hpp"
#include "watch/python_frames.hpp"

#ifdef QUADRILLE_LIBDW
#include <elfutils/libdwfl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#endif

namespace quadrille::command {
namespace {

#ifdef QUADRILLE_LIBDW

// Why a process does not stop, by the error number of the attempt.
std::string reason_of(int error, pid_t process) {
  const auto stat = process_stat(fmt::format("/proc/{}", process));
  if (error == ESRCH || !stat || stat->state == 'Z' || stat->state == 'X') return "it has ended";
  if (error == ETIMEDOUT) return "its stack may not be read: it does not stop in time";
  if (beginning_of(fmt::format("/proc/{}/status", process), 4096).find("TracerPid:\t0\n") == std::string::npos)
    return "a debugger is attached";
  const int scope = std::atoi(beginning_of("/proc/sys/kernel/yama/ptrace_scope", 8).c_str());
  return "its stack may not be read: not allowed here, because " + (error == EPERM && scope > 0
                                                                        ? fmt::format("kernel.yama.ptrace_scope is {}", scope)
                                                                        : fmt::format("the system says: {}", std::strerror(error)));
}

// Stops a thread. Sets `signal` to the signal that the thread was about to get, or to 0. Returns 0, or an error number. If the
// thread does not stop in time, Linux releases it when the calling thread ends, so that must be soon.
int stop(pid_t thread, int& signal) {
  if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) return errno;
  ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  siginfo_t change{};
  // WNOWAIT: the exit status stays there for the parent, which may be this process.
  while (::waitid(P_PID, static_cast<id_t>(thread), &change, WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL | __WNOTHREAD) == 0 &&
         change.si_pid == 0 && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  if (change.si_pid == 0) return ETIMEDOUT;
  signal = change.si_status >> 8 == 0 ? change.si_status : 0;  // else it is an event of ptrace
  return change.si_code == CLD_TRAPPED ? 0 : ESRCH;
}

// Returns the program counters of the frames of the main thread, as return addresses.
std::vector<std::uint64_t> addresses_of(pid_t process, Dwfl* files, int& error) {
  std::vector<std::uint64_t> addresses;
  const auto add = [](Dwfl_Frame* frame, void* list) -> int {
    constexpr std::size_t most_frames = 64;
    auto& found = *static_cast<std::vector<std::uint64_t>*>(list);
    Dwarf_Addr counter = 0;
    bool is_running = false;  // else the counter is a return address
    if (!dwfl_frame_pc(frame, &counter, &is_running) || counter == 0) return DWARF_CB_ABORT;
    found.push_back(counter + (is_running ? 1 : 0));
    return found.size() < most_frames ? DWARF_CB_OK : DWARF_CB_ABORT;
  };
  if (dwfl_pid(files) != process) dwfl_linux_proc_attach(files, process, true);
  // The end of this thread releases all that it traces.
  std::thread([&] {
    int signal = 0;
    error = stop(process, signal);
    if (error != 0) return;
    dwfl_getthread_frames(files, process, add, &addresses);
    ::ptrace(PTRACE_DETACH, process, nullptr, static_cast<std::intptr_t>(signal));
  }).join();
  return addresses;
}

bool is_users(const Module& module) {
  static constexpr std::array beginnings{"libc.so",   "libc-",     "libm.so",     "libm-",    "libpthread",
                                         "ld-",       "libdl",     "librt",       "libgomp.", "libgfortran",
                                         "libstdc++", "libgcc_s.", "libquadmath", "libiomp",  "libomp."};
  const std::string name = base_name(module.path);
  return module.path.starts_with('/') && !is_mpi_binding(module) &&
         std::none_of(beginnings.begin(), beginnings.end(), [&](const char* beginning) { return name.starts_with(beginning); });
}

#endif

}  // namespace

StackSample sample(pid_t process, SourcePlaces& places) {
  places.read(process);
  StackSample sample{python_frames(process, places), ""};
  if (!sample.frames.empty()) return sample;
#ifdef QUADRILLE_LIBDW
  int error = 0;
  for (const std::uint64_t address : addresses_of(process, places.files(), error)) {
    const Module* const module = places.module_at(address - 1);
    const std::string place = places.of(address);
    if (module && is_users(*module) && !place.starts_with("_start+")) sample.frames.push_back(place);
  }
  if (error != 0) sample.why_not = reason_of(error, process);
#else
  sample.why_not = "its stack may not be read: this command was built without libdw";
#endif
  return sample;
}

std::vector<std::string> where_it_computes(pid_t process, SourcePlaces& places) {
  std::array<std::vector<std::string>, 3> found;
  for (auto& frames : found) {
    if (&frames != &found[0]) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    StackSample sampled = sample(process, places);
    if (sampled.frames.empty()) return {sampled.why_not.empty() ? "its stack has no frames" : sampled.why_not};
    constexpr std::size_t most_shown = 8;
    sampled.frames.resize(std::min(sampled.frames.size(), most_shown));
    frames = std::move(sampled.frames);
  }
  return found[1].front() == found[2].front() ? found[1] : found[0];
}

}  // namespace quadrille::command
