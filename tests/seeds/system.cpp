// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/system.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "seeds/memory.hpp"

namespace quadrille::seeds {
namespace {

Machine* in_use = nullptr;

#if defined(__x86_64__)
long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f;
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long x8 asm("x8") = number, x0 asm("x0") = a, x1 asm("x1") = b, x2 asm("x2") = c, x3 asm("x3") = d, x4 asm("x4") = e,
                   x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#endif

template <class T>
long word(T value) {
  if constexpr (std::is_pointer_v<T>)
    return static_cast<long>(reinterpret_cast<std::intptr_t>(value));
  else
    return static_cast<long>(value);
}

long with_errno(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

int fail_with(int error) {
  errno = error;
  return -1;
}

bool is_simulated() { return Fibres::current() != nullptr && in_use != nullptr; }

}  // namespace

struct Machine::Files {
  std::array<std::vector<int>, most_ranks> of_rank;
  std::map<std::uint64_t, std::uint64_t> numbers;  // by inode
  Clock closed;                                    // what ranks knew when they closed files
};

Machine::Machine(Chance& with) : chance(with), files_(new Files) { in_use = this; }

Machine::~Machine() {
  for (std::size_t rank = 0; rank < most_ranks; ++rank) end_process(rank);
  in_use = nullptr;
}

Machine* Machine::current() { return in_use; }

void Machine::note_file(std::size_t rank, int descriptor) { files_->of_rank[rank].push_back(descriptor); }

void Machine::forget_file(int descriptor) {
  std::size_t count = 0;
  for (auto& files : files_->of_rank) count += std::erase(files, descriptor);
  if (count > 0 && Fibres::current()) files_->closed.join(Memory::current()->released());
}

void Machine::see_closed_files() { Memory::current()->acquire(files_->closed); }

void Machine::end_process(std::size_t rank) {
  if (!files_->of_rank[rank].empty() && Fibres::current()) files_->closed.join(Memory::current()->released());
  for (const int descriptor : files_->of_rank[rank]) raw(SYS_close, descriptor);
  files_->of_rank[rank].clear();
}

std::uint64_t Machine::number_of_file(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return 0;
  return files_->numbers.emplace(status.st_ino, files_->numbers.size() + 1).first->second;
}

void system_munmap(void* place, std::size_t bytes) { raw(SYS_munmap, word(place), word(bytes)); }

void system_map_private(void* place, std::size_t bytes) {
  raw(SYS_mmap, word(place), word(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

}  // namespace quadrille::seeds

using namespace quadrille::seeds;
#define PLACE __builtin_return_address(0)

extern "C" {

int sched_yield() noexcept {
  if (!is_simulated()) return static_cast<int>(raw(SYS_sched_yield));
  Fibres::current()->give_way("yield", PLACE);
  return 0;
}

int nanosleep(const timespec* time, timespec* rest) {
  if (!is_simulated()) return static_cast<int>(with_errno(raw(SYS_nanosleep, word(time), word(rest))));
  Fibres::current()->sleep(time->tv_sec * 1'000'000'000 + time->tv_nsec, nullptr, PLACE);
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  if (!is_simulated()) return static_cast<int>(-raw(SYS_clock_nanosleep, clock, flags, word(time), word(rest)));
  const std::int64_t ns = time->tv_sec * 1'000'000'000 + time->tv_nsec;
  Fibres::current()->sleep(flags == TIMER_ABSTIME ? std::max<std::int64_t>(0, ns - Fibres::current()->now_ns()) : ns, nullptr,
                           PLACE);
  return 0;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!is_simulated()) return static_cast<int>(with_errno(raw(SYS_clock_gettime, clock, word(time))));
  const std::int64_t ns = Fibres::current()->now_ns();
  *time = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& each : a) each = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier) return 0;  // offers nothing, so each rank makes its own fences, which the model knows
  if (!is_simulated() || number != SYS_futex || !Memory::is_shared(reinterpret_cast<void*>(a[0])))
    return with_errno(raw(number, a[0], a[1], a[2], a[3], a[4], a[5]));
  auto* const word = reinterpret_cast<volatile std::uint32_t*>(a[0]);
  const void* const name = Memory::current()->canonical(const_cast<const std::uint32_t*>(word));
  Fibres& fibres = *Fibres::current();
  fibres.point("futex", PLACE);
  if ((a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE) return fibres.wake(name), 1;
  if (*word != static_cast<std::uint32_t>(a[2])) return fail_with(EAGAIN);
  if (in_use->spurious_one_in != 0 && in_use->chance.one_in(in_use->spurious_one_in)) return fail_with(EINTR);
  const auto* const longest = reinterpret_cast<const timespec*>(a[3]);
  const std::int64_t ns = longest ? longest->tv_sec * 1'000'000'000 + longest->tv_nsec : 3'600'000'000'000;
  return fibres.sleep(ns, name, PLACE) ? 0 : fail_with(ETIMEDOUT);
}

ssize_t process_vm_readv(pid_t process, const iovec* here, unsigned long here_count, const iovec* there, unsigned long there_count,
                         unsigned long flags) noexcept {
  if (!is_simulated())
    return with_errno(
        raw(SYS_process_vm_readv, process, word(here), word(here_count), word(there), word(there_count), word(flags)));
  Fibres& fibres = *Fibres::current();
  fibres.point("process_vm_readv", PLACE);
  if (!in_use->reads_private) return fail_with(EPERM);
  const auto* source = static_cast<const std::byte*>(there->iov_base);
  std::size_t left = there->iov_len, read = 0;
  if (Memory::is_shared(source) && !Memory::current()->is_mapped(source)) return fail_with(EFAULT);
  if (Memory::is_shared(source) && fibres.is_dead(Memory::current()->owner_of(source))) return fail_with(ESRCH);
  if (in_use->reads_in_parts && left > 1 && in_use->chance.one_in(2)) left = 1 + in_use->chance.below(left - 1);
  for (unsigned long i = 0; i < here_count && left > 0; ++i) {
    const std::size_t part = std::min(left, here[i].iov_len);
    if (Memory::is_shared(source)) Memory::current()->read(fibres.rank(), source, part, PLACE, true);
    if (Memory::is_shared(here[i].iov_base)) Memory::current()->write(fibres.rank(), here[i].iov_base, part, PLACE);
    const iovec to{here[i].iov_base, part}, from{const_cast<std::byte*>(source), part};  // the kernel notices what is not mapped
    if (const long got = raw(SYS_process_vm_readv, raw(SYS_getpid), word(&to), 1, word(&from), 1, 0);
        got != static_cast<long>(part))
      return read > 0 ? static_cast<ssize_t>(read) : fail_with(EFAULT);
    source += part, left -= part, read += part;
    fibres.point("process_vm_readv", PLACE);
  }
  return static_cast<ssize_t>(read);
}

int close(int file) {
  if (in_use) in_use->forget_file(file);
  return static_cast<int>(with_errno(raw(SYS_close, file)));
}

int stat(const char* path, struct stat* status) noexcept {
  const auto result = static_cast<int>(with_errno(raw(SYS_newfstatat, AT_FDCWD, word(path), word(status), 0)));
  if (result != 0 && is_simulated()) in_use->see_closed_files();
  return result;
}

int memfd_create(const char* name, unsigned flags) noexcept {
  if (is_simulated() && in_use->fails()) return fail_with(EMFILE);
  const int file = static_cast<int>(with_errno(raw(SYS_memfd_create, word(name), flags)));
  if (is_simulated() && file >= 0) in_use->note_file(Fibres::current()->rank(), file);
  return file;
}

// A copy of a descriptor is closed with the rank's process, too.
int fcntl64(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  const int result = static_cast<int>(with_errno(raw(SYS_fcntl, file, command, argument)));
  if (command == F_DUPFD_CLOEXEC && result >= 0 && is_simulated()) in_use->note_file(Fibres::current()->rank(), result);
  return result;
}
int fcntl(int file, int command, ...) __attribute__((alias("fcntl64")));

void* mmap(void* place, std::size_t bytes, int access, int flags, int file, off_t offset) noexcept {
  const bool is_shared_file = is_simulated() && (flags & MAP_SHARED) != 0 && file >= 0;
  if (is_shared_file && in_use->fails()) return fail_with(ENOMEM), MAP_FAILED;
  if (is_shared_file) place = Memory::current()->next_place(bytes), flags |= MAP_FIXED;
  void* const memory =
      reinterpret_cast<void*>(with_errno(raw(SYS_mmap, word(place), word(bytes), access, flags, file, word(offset))));
  if (is_shared_file && memory != MAP_FAILED)
    Memory::current()->map(memory, bytes, in_use->number_of_file(file), static_cast<std::uint64_t>(offset));
  return memory;
}

int munmap(void* place, std::size_t bytes) noexcept {
  if (is_simulated() && Memory::is_shared(place)) Memory::current()->unmap(place);
  return static_cast<int>(with_errno(raw(SYS_munmap, word(place), word(bytes))));
}

int fsync(int) { return 0; }  // takes long, and matters only if the machine crashes

ssize_t getrandom(void* buffer, std::size_t bytes, unsigned flags) noexcept {
  if (!is_simulated()) return with_errno(raw(SYS_getrandom, word(buffer), word(bytes), flags));
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(buffer)[i] = static_cast<unsigned char>(in_use->chance.next());
  static std::uint64_t calls = 0;  // processes of different runs have different ids, as the library keeps what it has measured
  ++calls;
  raw_copy(buffer, &calls, std::min(bytes, sizeof calls));
  return static_cast<ssize_t>(bytes);
}

int sched_getaffinity(pid_t process, std::size_t bytes, cpu_set_t* cores) noexcept {
  if (!is_simulated()) return with_errno(raw(SYS_sched_getaffinity, process, word(bytes), word(cores))) < 0 ? -1 : 0;
  std::memset(cores, 0, bytes);
  for (int core = 0; core < in_use->cores; ++core) CPU_SET_S(static_cast<std::size_t>(core), bytes, cores);
  return 0;
}

}  // extern "C"
