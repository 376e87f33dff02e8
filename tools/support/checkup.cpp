// SPDX-License-Identifier: BSD-3-Clause
#include "support/checkup.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <tuple>
#include <vector>

#include "execute/executions/plan_memory.hpp"
#include "execute/shared/memory/process.hpp"
#include "execute/shared/memory/program_heap.hpp"
#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/system/pipes.hpp"
#include "mpi_face/policy/findings.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/wisdom.hpp"
#include "support/machine.hpp"

namespace quadrille::command {
namespace {

// Twice what a rank of Open MPI 4.1.4 (4 MiB) or of MPICH 4.0.2 (4.1 MiB) takes of /dev/shm in an alltoall.
constexpr Bytes shared_bytes_of_rank = Bytes{8} << 20;

// Runs in the child whose memory is read. Changes `word`, so that a reader can tell this process's copy from others. Tells the
// parent that the child is ready, and waits until the parent closes the pipe or ends.
[[noreturn]] void show(std::uint64_t& word, Pipe& ready, Pipe& hold) {
  word = ~word;
  hold.write_end = Descriptor();
  const char sign = 0;
  if (::write(ready.write_end.number(), &sign, 1) == 1) {
    char none = 0;
    [[maybe_unused]] const ssize_t end = ::read(hold.read_end.number(), &none, 1);
  }
  ::_exit(0);
}

// Tests with two children whether siblings can read each other's private memory. A test with a parent and its child is not
// enough: a system may let a parent read its children and still forbid reading between siblings.
std::optional<bool> siblings_read_private_memory() {
  static std::uint64_t word = 0x5175616472696c6c;
  Pipe ready = make_pipe(), hold = make_pipe();
  const pid_t shown = ::fork();
  if (shown < 0) return std::nullopt;
  if (shown == 0) show(word, ready, hold);
  std::optional<bool> reads;
  char sign = 0;
  ready.write_end = Descriptor();  // so that the parent does not wait for a child that ends early
  if (::read(ready.read_end.number(), &sign, 1) == 1) {
    const pid_t reader = ::fork();
    if (reader == 0) {
      std::uint64_t found = 0;
      iovec here{&found, sizeof found}, there{&word, sizeof word};
      ::_exit(::process_vm_readv(shown, &here, 1, &there, 1, 0) == sizeof found && found == ~word ? 0 : 1);
    }
    int status = 0;
    if (reader > 0 && ::waitpid(reader, &status, 0) == reader && WIFEXITED(status)) reads = WEXITSTATUS(status) == 0;
  }
  hold.write_end = Descriptor();
  ::waitpid(shown, nullptr, 0);
  return reads;
}

std::string mebibytes(Bytes bytes) { return fmt::format("{} MiB", bytes >> 20); }

}  // namespace

int allowed_cores() {
  cpu_set_t allowed;
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                               : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

CheckupLine check_memory() {
  CheckupLine line{.subject = "memory",
                   .value = "not shared with other processes, so messages go through the MPI library",
                   .figures = {{"plan_memory_bytes", PlanMemory::bound_of_environment()}}};
  rlimit limit{};
  if (const auto free = free_addresses(); free && ::getrlimit(RLIMIT_AS, &limit) == 0)
    line.figures.update({{"address_limit_bytes", limit.rlim_cur}, {"free_address_bytes", *free}});
  try {
    Process& process = *Process::current();
    process.meet(process.card());
    const auto& [machine, pid_namespace] = std::tie(process.card().host, process.card().pid_space);
    line.value =
        fmt::format("shared with processes of the same user on machine {:016x} in pid namespace {}", machine, pid_namespace);
    line.figures.update({{"machine", fmt::format("{:016x}", machine)}, {"pid_namespace", pid_namespace}});
  } catch (const Error& error) {
    line.advice = error.what();
  }
  return line;
}

CheckupLine check_heap() {
  const std::string why = why_no_program_heap();
  return {.subject = "heap",
          .value = why.empty() ? "large allocations of programs come from shared memory, if asked for ('quadrille wrap --heap')"
                               : "no allocations of programs come from shared memory",
          .advice = why};
}

CheckupLine check_tracing(std::optional<bool> is_allowed, int scope) {
  CheckupLine line{.subject = "ptrace",
                   .value = "processes read each other's private memory, so long messages are copied once",
                   .figures = {{"is_allowed", is_allowed}, {"yama_scope", scope}}};
  if (!is_allowed) line.value = "not known, because no child could be started";
  if (is_allowed.value_or(true)) return line;
  line.value = "processes cannot read each other's private memory, so long messages are copied twice";
  line.advice = fmt::format("{}, or use 'quadrille wrap --heap', which needs no such right",
                            scope > 0 ? fmt::format("kernel.yama.ptrace_scope is {}: set it to 0", scope)
                                      : "the system forbids it, as containers do: start them with --cap-add=SYS_PTRACE");
  return line;
}

CheckupLine check_tracing() {
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  try {
    return check_tracing(siblings_read_private_memory(), scope);
  } catch (const Error&) {  // no pipe could be made
    return check_tracing(std::nullopt, scope);
  }
}

CheckupLine check_shared_folder(const std::filesystem::path& folder, int cores) {
  struct statvfs facts {};
  const bool is_there = ::statvfs(folder.c_str(), &facts) == 0;
  const auto unit = static_cast<Bytes>(facts.f_frsize), needed = shared_bytes_of_rank * cores;
  const Bytes size = static_cast<Bytes>(facts.f_blocks) * unit, free = static_cast<Bytes>(facts.f_bavail) * unit;
  CheckupLine line{.subject = folder.string(),
                   .value = is_there ? fmt::format("{}, of which {} are free", mebibytes(size), mebibytes(free)) : "missing",
                   .is_in_the_way = free < 2 * shared_bytes_of_rank,
                   .figures = {{"size_bytes", size}, {"free_bytes", free}, {"needed_bytes", needed}}};
  if (free < std::max(needed, 2 * shared_bytes_of_rank))
    line.advice = fmt::format("provide a tmpfs with {} for {} ('docker run --shm-size'), because MPI libraries keep messages there",
                              mebibytes(needed), counted(cores, "rank"));
  return line;
}

CheckupLine check_control_groups(int cores, const std::string& membership, const std::string& root) {
  const Bytes all = usable_memory(), memory = control_group_limit(membership, root).value_or(all + 1);
  const bool is_limited = memory <= all;  // a limit above what the machine has is none
  const auto processors = control_group_cores(membership, root);
  const Bytes of_plans = PlanMemory::bound_of_environment() * cores;
  CheckupLine line{.subject = "cgroup",
                   .value = fmt::format("memory: {}; processor time: {}", is_limited ? mebibytes(memory) : "no limit",
                                        processors ? fmt::format("{:.3g} cores", *processors) : "no limit"),
                   .figures = {{"memory_limit_bytes", is_limited ? Json(memory) : Json()}, {"cores", processors}}};
  if (processors && *processors < cores)
    line.advice = fmt::format("start at most {} here, or raise the limit: the system stops ranks while others wait for them",
                              counted(std::max(1, static_cast<int>(*processors)), "rank"));
  else if (is_limited && memory < of_plans)
    line.advice = fmt::format("start fewer than {} here, raise the limit, or set {} lower: plans alone may take {}",
                              counted(cores, "rank"), PlanMemory::variable, mebibytes(of_plans));
  return line;
}

CheckupLine check_cores(int cores) {
  const auto all = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const bool is_bound = cores == 1 && all > 1 && launcher_value(&MpiLauncher::rank).empty();
  return {.subject = "cores",
          .value = fmt::format("this process may use {} of {} cores", cores, all),
          .advice = is_bound ? "start mpirun from a shell that is not bound to one core, because all ranks would share it" : "",
          .figures = {{"allowed", cores}, {"all", all}}};
}

CheckupLine check_hwloc() {
  const unsigned api = hwloc_get_api_version();
  CheckupLine line{.subject = "hwloc", .value = fmt::format("API {}.{}", api >> 16, api >> 8 & 0xFF)};
  try {
    line.value += ", sees " + to_string(this_machine());
  } catch (const Error& error) {
    line.advice = fmt::format("{}; look at HWLOC_XMLFILE and HWLOC_COMPONENTS, or mount /sys", error.what());
  }
  return line;
}

CheckupLine check_wisdom() {
  CheckupLine line{.subject = "wisdom"};
  std::size_t measured = 0;
  const std::vector<std::string> files = wisdom_files();
  for (const std::string& file : files) try {
      measured += read_any_wisdom(file).records.size();
    } catch (const Error& error) {
      line.advice = fmt::format("{}; remove the file, or 'quadrille tune' again", error.what());
    }
  const std::string file = mpi_face::findings_file();
  const std::size_t learned = file.empty() ? 0 : mpi_face::read_findings(file, mpi_face::day_now()).all().size();
  line.value = environment_value("QUADRILLE_WISDOM") == "off"
                   ? "off (QUADRILLE_WISDOM)"
                   : fmt::format("{} in {}, {} by earlier runs", counted(measured, "race"), counted(files.size(), "file"),
                                 counted(learned, "finding"));
  line.figures = {{"files", files}, {"races", measured}, {"findings", learned}};
  return line;
}

}  // namespace quadrille::command
