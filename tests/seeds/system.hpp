// SPDX-License-Identifier: BSD-3-Clause
// The system calls of the simulated processes: the clock, sleeps and wakes, shared files, and reads of another process's memory.
// While a run is in progress, this program's own definitions replace those of the C library; the seed decides which calls fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "seeds/fibres.hpp"

extern "C" void* __real_memcpy(void*, const void*, std::size_t);

namespace quadrille::seeds {

inline void raw_copy(void* target, const void* source, std::size_t bytes) { __real_memcpy(target, source, bytes); }

void system_munmap(void* place, std::size_t bytes);
void system_map_private(void* place, std::size_t bytes);

// The machine of a run.
class Machine {
 public:
  explicit Machine(Chance& chance);
  ~Machine();  // closes all files of the run's processes
  static Machine* current();

  Chance& chance;
  int cores = 1;                      // on which the ranks may run
  bool reads_private = true;          // process_vm_readv is allowed
  bool reads_in_parts = false;        // process_vm_readv may read less than asked
  std::uint64_t fails_one_in = 0;     // memfd_create and mmap fail; 0: never
  std::uint64_t spurious_one_in = 0;  // a futex wait ends though nobody woke it

  bool fails() {
    const bool does = fails_one_in != 0 && chance.one_in(fails_one_in);
    has_failed_ = has_failed_ || does;
    return does;
  }
  bool has_failed() const { return has_failed_; }
  void note_file(std::size_t rank, int descriptor);
  void forget_file(int descriptor);    // it is closed
  void see_closed_files();             // who sees that files are closed sees what their ranks did before
  void end_process(std::size_t rank);  // closes its files, as the kernel does
  std::uint64_t number_of_file(int descriptor);

 private:
  struct Files;
  const std::unique_ptr<Files> files_;
  bool has_failed_ = false;
};

}  // namespace quadrille::seeds
