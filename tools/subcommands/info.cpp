// SPDX-License-Identifier: BSD-3-Clause
// quadrille info: describes this build, this machine, the memory that processes can share, the MPI libraries found, and how a race
// would run.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "execute/executions/plan_memory.hpp"
#include "execute/shared/memory/process.hpp"
#include "execute/shared/memory/program_heap.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/system/pipes.hpp"
#include "foundation/text/wording.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/types.hpp"
#include "quadrille/version.hpp"
#include "subcommands/subcommand.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// The extent to which this process can share memory with others, and the memory that its plans may take.
struct Sharing {
  std::string why_not;       // why this process cannot share memory; empty: it can
  std::string why_not_heap;  // why large allocations of programs would not come from shared memory; empty: they can
  // Two processes can share memory if both numbers agree.
  std::uint64_t machine = 0, pid_namespace = 0;
  Bytes heap_bytes = 0, control_bytes = 0;   // upper limits
  Bytes mapped_bytes = 0;                    // how much of the heap and the control file is mapped so far
  std::optional<Bytes> address_limit_bytes;  // ulimit -v; none: there is no limit
  Bytes free_address_bytes = 0;              // what is left of that limit, if there is one
  // Can sibling processes (ranks are siblings) read each other's private memory? Empty: not known.
  std::optional<bool> reads_private_memory;
  std::optional<int> ptrace_scope;  // kernel.yama.ptrace_scope, a setting that may forbid it
  Bytes plan_memory_bytes = 0;      // per rank; QUADRILLE_PLAN_MEMORY sets it
};

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

std::string private_memory_text(const Sharing& sharing) {
  if (!sharing.reads_private_memory)
    return "whether processes read each other's private memory is not known: no child could be started";
  if (*sharing.reads_private_memory) return "processes read each other's private memory: long messages are copied once";
  const std::string why = sharing.ptrace_scope.value_or(0) > 0
                              ? fmt::format("kernel.yama.ptrace_scope is {}", *sharing.ptrace_scope)
                              : "the system forbids it, as containers do by seccomp";
  return fmt::format("processes cannot read each other's private memory ({}): long messages are copied twice", why);
}

// Finds the facts of a Sharing. Call it only in a process with one thread, because it forks. Throws Error{environment} if
// QUADRILLE_PLAN_MEMORY is not a size.
Sharing sharing_of_this_process() {
  Sharing sharing;
  sharing.plan_memory_bytes = PlanMemory::bound_of_environment();
  rlimit limit{};
  if (const auto free = free_addresses(); free && ::getrlimit(RLIMIT_AS, &limit) == 0) {
    sharing.address_limit_bytes = static_cast<Bytes>(limit.rlim_cur);
    sharing.free_address_bytes = *free;
  }
  std::ifstream in("/proc/sys/kernel/yama/ptrace_scope");
  if (int scope = 0; in >> scope) sharing.ptrace_scope = scope;
  sharing.why_not_heap = why_no_program_heap();
  try {
    sharing.reads_private_memory = siblings_read_private_memory();
  } catch (const Error&) {}  // no pipe could be made, so it is not known
  try {
    Process& process = *Process::current();
    sharing.machine = process.card().host;
    sharing.pid_namespace = process.card().pid_space;
    sharing.heap_bytes = process.heap().bytes();
    sharing.control_bytes = process.control().bytes();
    sharing.mapped_bytes = process.heap().mapped_bytes() + process.control().mapped_bytes();
    process.meet(process.card());
  } catch (const Error& error) {
    sharing.why_not = error.what();
  }
  return sharing;
}

// several lines
std::string sharing_text(const Sharing& sharing) {
  const auto mebibytes = [](Bytes bytes) { return fmt::format("{} MiB", bytes >> 20); };
  std::string text;
  const auto add = [&](const char* what, const std::string& line) { text += fmt::format("{:<10} {}\n", what, line); };
  if (sharing.why_not.empty()) {
    add("memory", fmt::format("shared with processes of the same user on machine {:016x} in pid namespace {}", sharing.machine,
                              sharing.pid_namespace));
    add("", fmt::format("a heap of {} and a control file of {} at most; {} of them are mapped so far, more with use",
                        bytes_text(sharing.heap_bytes), bytes_text(sharing.control_bytes), bytes_text(sharing.mapped_bytes)));
  } else {
    add("memory", "not shared: " + sharing.why_not);
  }
  if (sharing.address_limit_bytes)
    add("", fmt::format("the limit of addresses (ulimit -v) is {} and leaves {}: memory of this and other processes is mapped when "
                        "it is needed, as far as that goes",
                        mebibytes(*sharing.address_limit_bytes), mebibytes(sharing.free_address_bytes)));
  add("", private_memory_text(sharing));
  add("heap", sharing.why_not_heap.empty() ? "large allocations of programs come from shared memory, if asked for (--heap)"
                                           : "no allocations of programs come from shared memory: " + sharing.why_not_heap);
  add("plans", fmt::format("take at most {} at each rank, then those used least recently give their memory back ({})",
                           bytes_text(sharing.plan_memory_bytes), PlanMemory::variable));
  return text;
}

Json sharing_json(const Sharing& sharing) {
  Json json{
      {"available", sharing.why_not.empty()}, {"reason", sharing.why_not}, {"machine", fmt::format("{:016x}", sharing.machine)}};
  json.update(MEMBERS_OF(sharing, pid_namespace, heap_bytes, control_bytes, mapped_bytes, address_limit_bytes, free_address_bytes));
  if (!sharing.address_limit_bytes) json["free_address_bytes"] = nullptr;
  json["why_no_heap"] = sharing.why_not_heap;
  json.update(MEMBERS_OF(sharing, reads_private_memory, ptrace_scope, plan_memory_bytes));
  return json;
}

struct InfoArguments {
  std::optional<std::string> output;
  bool json = false;
};

int run_info(const InfoArguments& options) {
  Output output(options.output);
  const Sharing sharing = sharing_of_this_process();  // it forks, so it must run before any thread is started
  const Machine machine = this_machine();
  const TransportChoice choice = choose_transport();
  Json found = Json::array();
  std::string lines;
  for (const PlugIn& plug_in : plug_ins()) {
    const std::string version = plug_in.installed ? mpi_version(plug_in) : "no plug-in was built for it";
    found.push_back({{"library", plug_in.mpi}, {"path", plug_in.path}, {"installed", plug_in.installed}, {"version", version}});
    lines +=
        fmt::format("{:<10} {}\n{:<10} {}{}\n", plug_in.mpi, version, "", plug_in.path, plug_in.installed ? "" : " is not there");
  }
  if (options.json)
    output.finish(document_text("info", {{"version", version()},
                                         {"compiler", compiler},
                                         {"build_type", build_type},
                                         {"machine", to_json(machine)},
                                         {"shared_memory", sharing_json(sharing)},
                                         {"plug_ins", std::move(found)},
                                         {"transport", name(choice.transport)},
                                         {"reason", choice.reason}}));
  else
    output.finish(fmt::format("quadrille  {}, {} build by {}\nmachine    {}\n{}{}chosen     {}: {}\n", version(), build_type,
                              compiler, to_string(machine), sharing_text(sharing), lines, name(choice.transport), choice.reason));
  return good;
}

}  // namespace

Subcommand add_info(CLI::App& command) {
  auto options = std::make_shared<InfoArguments>();
  OptionTable table(command, "info", "version, machine, shared memory, MPI libraries found, and which one would be used and why");
  table.add_json(options->json, "as a JSON object");
  table.add_output(options->output);
  table.set_footer("The environment variable QUADRILLE_MPI (" + alternatives(ids_or_none()) +
                   ") overrules what the launcher suggests; 'quadrille list "
                   "environment' lists all variables.\n"
                   "Two ranks can share memory if this command prints the same machine and pid namespace for both.\n\n"
                   "Examples:\n  quadrille info\n  mpirun -n 2 quadrille info");
  return {std::move(table), [options] { return run_info(*options); }};
}

}  // namespace quadrille::command
