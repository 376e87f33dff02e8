// SPDX-License-Identifier: BSD-3-Clause
#include "watch/stacks.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <utility>

#include "foundation/system/proc.hpp"
#include "watch/python_frames.hpp"

#if defined QUADRILLE_LIBDW && (defined __x86_64__ || defined __aarch64__)
#define QUADRILLE_UNWINDS
#include <elfutils/libdwfl.h>
#endif

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_threads = 64, most_frames = 64, most_shown = 8;
constexpr std::chrono::milliseconds longest_wait(500);  // for a thread to stop
constexpr const char *debugger_attached = "a debugger is attached", *has_ended = "it has ended";

std::string folder_of(pid_t process) { return fmt::format("/proc/{}", process); }

// Sets what the system tells of any process, even of one that may not be stopped.
void describe(pid_t process, ProcessSample& sample) {
  const auto stat = process_stat(folder_of(process));
  if (!stat) return;
  sample.state = stat->state;
  sample.processor_s = static_cast<double>(stat->used) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::string word = beginning_of(folder_of(process) + "/wchan", 64);
  std::string call;
  std::ifstream(folder_of(process) + "/syscall") >> call;
  if (!word.empty() && word != "0")
    sample.waits_in = word;
  else if (stat->state != 'R' && !call.empty() && call != "-1" && call != "running")
    sample.waits_in = "system call " + call;
}

bool is_traced(pid_t process) {
  std::ifstream status(folder_of(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != line.npos;
  return false;
}

#ifdef QUADRILLE_UNWINDS

std::string folder_of(pid_t process, pid_t thread) { return fmt::format("/proc/{}/task/{}", process, thread); }

std::string state_words(char state) {
  switch (state) {
    case 'R': return "runs";
    case 'S': return "sleeps";
    case 'D': return "waits for a device";
    case 'T': return "is stopped";
    case 't': return "is stopped by a debugger";
    default: return "has ended";
  }
}

// Returns the threads, the main thread first.
std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads{process};
  std::error_code ended;
  for (fs::directory_iterator at(folder_of(process) + "/task", ended), end; !ended && at != end; at.increment(ended))
    if (const pid_t thread = std::atoi(at->path().filename().c_str()); thread != process && threads.size() < most_threads)
      threads.push_back(thread);
  return threads;
}

std::string not_allowed(int error) {
  const int scope = std::atoi(beginning_of("/proc/sys/kernel/yama/ptrace_scope", 8).c_str());
  const std::string reason = error == EPERM && scope > 0 ? fmt::format("kernel.yama.ptrace_scope is {}", scope)
                                                         : fmt::format("the system says: {}", std::strerror(error));
  return "its stack may not be read: not allowed here, because " + reason;
}

// Stops a thread while this object exists. If the thread does not stop in time, it is released when the thread that made this
// object ends: that must then be soon.
class StoppedThread {
 public:
  explicit StoppedThread(pid_t thread) : thread_(thread) {
    if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
      error_ = errno;
      return;
    }
    ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
    error_ = ETIMEDOUT;
    for (auto limit = Clock::now() + longest_wait; Clock::now() < limit;
         std::this_thread::sleep_for(std::chrono::microseconds(20))) {
      const auto asked = Clock::now();
      siginfo_t change{};
      // WNOWAIT: the exit status stays there for the parent, which may be this process.
      if (::waitid(P_PID, static_cast<id_t>(thread), &change, WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL | __WNOTHREAD) != 0 ||
          (change.si_pid != 0 && change.si_code != CLD_TRAPPED)) {
        error_ = ESRCH;
        return;
      }
      if (change.si_pid != 0) {
        error_ = 0;
        // Without an event, the thread was about to get a signal. It gets the signal when it goes on.
        signal_ = change.si_status >> 8 == 0 ? change.si_status : 0;
        return;
      }
      ran_ = asked;
    }
  }
  ~StoppedThread() {
    if (error_ == 0) ::ptrace(PTRACE_DETACH, thread_, nullptr, static_cast<std::intptr_t>(signal_));
  }
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;

  int error() const { return error_; }            // 0: it is stopped; ESRCH: it has ended; ETIMEDOUT: it does not stop
  Clock::time_point ran() const { return ran_; }  // when it was last known not to be stopped

 private:
  const pid_t thread_;
  Clock::time_point ran_ = Clock::now();
  int error_ = 0, signal_ = 0;
};

// The registers of a thread, and its stack from the stack pointer upwards.
class Snapshot {
 public:
  // Copies them from a stopped thread. Returns false if they cannot be read.
  bool take(pid_t process, pid_t thread) {
    process_ = process;
    thread_ = thread;
    struct iovec registers {
      &registers_, sizeof registers_
    };
    if (::ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &registers) != 0 || registers.iov_len != sizeof registers_) return false;
#ifdef __x86_64__
    begin_ = registers_.rsp;
#else
    begin_ = registers_.sp;
#endif
    // A read ends at the first page that is not mapped, if each page is a part of its own.
    std::array<struct iovec, most_bytes / page> parts;
    std::uint64_t at = begin_;
    for (struct iovec& part : parts) {
      part = {reinterpret_cast<void*>(at), page - at % page};
      at += part.iov_len;
    }
    struct iovec copy {
      bytes_.data(), bytes_.size()
    };
    bytes_read_ = std::max<ssize_t>(0, ::process_vm_readv(process, &copy, 1, parts.data(), parts.size(), 0));
    return true;
  }

  // Returns the program counters of the frames, as return addresses. `dwfl` must be attached to this object by `from_snapshot`.
  std::vector<std::uint64_t> addresses(Dwfl* dwfl) const {
    std::vector<std::uint64_t> addresses;
    const auto add = [](Dwfl_Frame* frame, void* list) -> int {
      auto& found = *static_cast<std::vector<std::uint64_t>*>(list);
      Dwarf_Addr counter = 0;
      bool is_running = false;  // else the counter is a return address
      if (!dwfl_frame_pc(frame, &counter, &is_running) || counter == 0) return DWARF_CB_ABORT;
      found.push_back(counter + (is_running ? 1 : 0));
      return found.size() < most_frames ? DWARF_CB_OK : DWARF_CB_ABORT;
    };
    dwfl_getthread_frames(dwfl, thread_, add, &addresses);
    return addresses;
  }

  pid_t thread() const { return thread_; }

  bool read(std::uint64_t address, Dwarf_Word& word) const {
    if (address < begin_) return false;
    if (address - begin_ + sizeof word <= static_cast<std::uint64_t>(bytes_read_)) {
      std::memcpy(&word, bytes_.data() + (address - begin_), sizeof word);
      return true;
    }
    struct iovec to {
      &word, sizeof word
    }, from{reinterpret_cast<void*>(address), sizeof word};
    return ::process_vm_readv(process_, &to, 1, &from, 1, 0) == ssize_t{sizeof word};
  }

  // The numbers of registers are those of the processor's ABI for DWARF.
  bool set_registers(Dwfl_Thread* thread) const {
#ifdef __x86_64__
    const auto& r = registers_;
    const std::array<Dwarf_Word, 17> values{r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                            r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
    return dwfl_thread_state_registers(thread, 0, values.size(), values.data());
#else
    std::array<Dwarf_Word, 32> values;
    std::copy_n(registers_.regs, 31, values.begin());
    values[31] = registers_.sp;
    dwfl_thread_state_register_pc(thread, registers_.pc);
    return dwfl_thread_state_registers(thread, 0, values.size(), values.data());
#endif
  }

 private:
  static constexpr std::size_t page = 4096, most_bytes = 512 << 10;

  pid_t process_ = 0, thread_ = 0;
  user_regs_struct registers_{};
  std::uint64_t begin_ = 0;
  ssize_t bytes_read_ = 0;
  std::vector<char> bytes_ = std::vector<char>(most_bytes);
};

// libdwfl reads registers and memory of a snapshot by these functions.
constexpr Dwfl_Thread_Callbacks from_snapshot{
    .next_thread = [](Dwfl*, void* snapshot, void** thread) -> pid_t {
      return std::exchange(*thread, snapshot) ? 0 : static_cast<Snapshot*>(snapshot)->thread();
    },
    .get_thread =
        [](Dwfl*, pid_t, void* snapshot, void** thread) {
          *thread = snapshot;
          return true;
        },
    .memory_read = [](Dwfl*, Dwarf_Addr address, Dwarf_Word* word,
                      void* snapshot) { return static_cast<Snapshot*>(snapshot)->read(address, *word); },
    .set_initial_registers = [](Dwfl_Thread* thread,
                                void* snapshot) { return static_cast<Snapshot*>(snapshot)->set_registers(thread); },
    .detach = nullptr,
    .thread_detach = nullptr};

// The files of a process, by which its stacks are unwound.
class ProcessFiles {
 public:
  explicit ProcessFiles(pid_t process, Snapshot& snapshot) : dwfl_(dwfl_begin(&callbacks)) {
    if (!dwfl_) return;
    error_ = dwfl_linux_proc_report(dwfl_, process);
    is_ready_ = dwfl_report_end(dwfl_, nullptr, nullptr) == 0 && error_ == 0 &&
                dwfl_attach_state(dwfl_, nullptr, process, &from_snapshot, &snapshot);
  }
  ~ProcessFiles() { dwfl_end(dwfl_); }
  ProcessFiles(const ProcessFiles&) = delete;
  ProcessFiles& operator=(const ProcessFiles&) = delete;

  Dwfl* get() const { return is_ready_ ? dwfl_ : nullptr; }  // null: the process is gone, or may not be read
  int error() const { return error_; }                       // the system's error number, if there is one

 private:
  static int find_nothing(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) { return -1; }
  static constexpr Dwfl_Callbacks callbacks{
      .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = find_nothing, .section_address = nullptr, .debuginfo_path = nullptr};

  Dwfl* const dwfl_;
  int error_ = 0;
  bool is_ready_ = false;
};

void collect(pid_t process, bool only_main, ProcessSample& sample) {
  Snapshot snapshot;
  const ProcessFiles files(process, snapshot);
  if (!files.get()) {
    sample.why_not = files.error() == EACCES || files.error() == EPERM ? not_allowed(files.error()) : has_ended;
    return;
  }
  for (const pid_t id : only_main ? std::vector{process} : threads_of(process)) {
    const auto stat = process_stat(folder_of(process, id));
    if (!stat || stat->state == 'Z' || stat->state == 'X') continue;
    ThreadStack thread{.thread = id, .state = state_words(stat->state)};
    int error = 0;
    bool is_taken = false;
    Clock::time_point begin;
    {
      const StoppedThread stopped(id);
      begin = stopped.ran();
      error = stopped.error();
      is_taken = error == 0 && snapshot.take(process, id);
    }
    if (error == 0) thread.stopped_s = std::chrono::duration<double>(Clock::now() - begin).count();
    if (error == ESRCH) continue;
    if (is_taken) thread.addresses = snapshot.addresses(files.get());
    sample.threads.push_back(std::move(thread));
    if (error == 0) continue;
    const auto now = process_stat(folder_of(process, id));
    if (!now || now->state == 'Z' || now->state == 'X') {
      sample.threads.pop_back();
      continue;
    }
    sample.why_not = error != ETIMEDOUT  ? is_traced(process) ? debugger_attached : not_allowed(error)
                      : now->state == 'D' ? "its stack may not be read: it is in an uninterruptible wait"
                                         : "its stack may not be read: it got no processor core in time";
    return;
  }
}

// Calls `act` in a thread of its own, which gets no signals. The end of this thread releases all that it traces.
template <class Act>
void on_own_thread(const Act& act) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(act);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  thread.join();
}

#endif

bool is_users(const Module& module) {
  static constexpr std::array beginnings{"libc.so",   "libc-",     "libm.so",     "libm-",    "libpthread",
                                         "ld-",       "libdl",     "librt",       "libgomp.", "libgfortran",
                                         "libstdc++", "libgcc_s.", "libquadmath", "libiomp",  "libomp."};
  const std::string name = base_name(module.path);
  return module.path.starts_with('/') && !is_mpi_binding(module) &&
         std::none_of(beginnings.begin(), beginnings.end(), [&](const char* beginning) { return name.starts_with(beginning); });
}

}  // namespace

ProcessSample sample(pid_t process, SourcePlaces& places, bool only_main) {
  ProcessSample sample;
  describe(process, sample);
  if (sample.state == 0 || sample.state == 'Z' || sample.state == 'X') {
    sample.why_not = has_ended;
    return sample;
  }
  sample.python = python_frames(process, process);
  if (is_traced(process)) {
    sample.why_not = debugger_attached;
    return sample;
  }
#ifdef QUADRILLE_UNWINDS
  sample.modules = modules_of(process);
  on_own_thread([&] { collect(process, only_main, sample); });
  for (ThreadStack& thread : sample.threads)
    for (const std::uint64_t address : thread.addresses) thread.frames.push_back(places.of(address, sample.modules));
  if (sample.threads.empty() && sample.why_not.empty()) sample.why_not = has_ended;
#else
  static_cast<void>(places), static_cast<void>(only_main);
  sample.why_not = "its stack may not be read: this command was built without libdw";
#endif
  return sample;
}

std::vector<std::string> users_frames(const ThreadStack& thread, std::span<const Module> modules) {
  std::vector<std::string> frames;
  for (std::size_t i = 0; i < thread.frames.size(); ++i) {
    const Module* const module = module_at(thread.addresses[i] - 1, modules);
    if (module && is_users(*module) && !thread.frames[i].starts_with("_start+")) frames.push_back(thread.frames[i]);
  }
  return frames;
}

std::string users_frame(const ProcessSample& sample) {
  if (!sample.python.empty()) return sample.python.front();
  if (sample.threads.empty()) return {};
  const auto frames = users_frames(sample.threads.front(), sample.modules);
  return frames.empty() ? "" : frames.front();
}

std::vector<std::string> where_it_computes(pid_t process, SourcePlaces& places) {
  std::vector<std::vector<std::string>> found;
  std::map<std::string, int> counts;
  std::string why_not;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    auto frames = python_frames(process, process);
    if (frames.empty()) {
      const ProcessSample sampled = sample(process, places, true);
      why_not = sampled.why_not;
      if (!sampled.threads.empty()) frames = users_frames(sampled.threads.front(), sampled.modules);
      if (frames.empty() && !sampled.threads.empty()) frames = sampled.threads.front().frames;
    }
    if (frames.empty()) continue;
    ++counts[frames.front()];
    found.push_back(std::move(frames));
  }
  if (found.empty()) return {why_not.empty() ? "its stack has no frames" : why_not};
  auto frames = *std::max_element(found.begin(), found.end(),
                                  [&](const auto& a, const auto& b) { return counts[a.front()] < counts[b.front()]; });
  frames.resize(std::min(frames.size(), most_shown));
  return frames;
}

}  // namespace quadrille::command
