// SPDX-License-Identifier: BSD-3-Clause
#include "support/sharing.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "execute/executions/plan_memory.hpp"
#include "execute/shared/memory/process.hpp"
#include "foundation/system/pipes.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// Runs in the child whose memory is read: changes `word`, so that a reader sees this process's own copy, tells the parent that it
// is ready, and waits until the parent closes the pipe or ends.
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

// Tests with two children whether siblings can read each other's private memory. A parent and its child are not enough: a system
// may let a parent read its children and still forbid it between siblings.
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

}  // namespace

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

std::string to_string(const Sharing& sharing) {
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
  add("plans", fmt::format("take at most {} at each rank, then those used least recently give their memory back ({})",
                           bytes_text(sharing.plan_memory_bytes), PlanMemory::variable));
  return text;
}

nlohmann::ordered_json to_json(const Sharing& sharing) {
  nlohmann::ordered_json json{{"available", sharing.why_not.empty()},
                              {"reason", sharing.why_not},
                              {"machine", fmt::format("{:016x}", sharing.machine)},
                              {"pid_namespace", sharing.pid_namespace},
                              {"heap_bytes", sharing.heap_bytes},
                              {"control_bytes", sharing.control_bytes},
                              {"mapped_bytes", sharing.mapped_bytes}};
  json["address_limit_bytes"] = nullptr;
  json["free_address_bytes"] = nullptr;
  if (sharing.address_limit_bytes) {
    json["address_limit_bytes"] = *sharing.address_limit_bytes;
    json["free_address_bytes"] = sharing.free_address_bytes;
  }
  json["reads_private_memory"] = nullptr;
  if (sharing.reads_private_memory) json["reads_private_memory"] = *sharing.reads_private_memory;
  json["ptrace_scope"] = nullptr;
  if (sharing.ptrace_scope) json["ptrace_scope"] = *sharing.ptrace_scope;
  json["plan_memory_bytes"] = sharing.plan_memory_bytes;
  return json;
}

}  // namespace quadrille::command
