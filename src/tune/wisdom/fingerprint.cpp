// SPDX-License-Identifier: BSD-3-Clause
#include "tune/wisdom/fingerprint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <thread>
#include <vector>

#include "execute/agreement.hpp"
#include "foundation/system/proc.hpp"
#include "foundation/text/parsing.hpp"
#include "plan/gathered.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/wisdom.hpp"
#include "tune/cores.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

// 4096 bytes of /proc/cpuinfo include the first processor.
std::string contents(const fs::path& file) { return beginning_of(file, 4096); }

// Returns the text as one line of ASCII: trimmed, with single spaces, and '?' for other bytes, which JSON might not allow.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char letter : text)
    if (static_cast<unsigned char>(letter) > ' ')
      line += letter <= '~' && letter > ' ' ? letter : '?';
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

double number_at_the_start(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Returns the entries of a folder, sorted by name.
std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

using Adapters = std::map<std::string, int>;  // number of adapters by kind

// Counts ports by kind of adapter: mlx5_0 and mlx5_1 are of the same kind.
Adapters infiniband_adapters(const fs::path& folder) {
  Adapters adapters;
  for (const fs::path& device : entries(folder))
    for (const fs::path& port : entries(device / "ports")) {
      const std::string name = device.filename();
      const double rate = number_at_the_start(contents(port / "rate"));  // "200 Gb/sec (4X HDR)"
      if (rate > 0 && contents(port / "state").find("ACTIVE") != std::string::npos)
        ++adapters[fmt::format("{} {:g} Gbit/s", name.substr(0, name.find('_')), rate)];
    }
  return adapters;
}

// Skips loopback, bridges and other virtual interfaces, which have no device. Counts by the driver's name, because an interface's
// own name may differ between nodes of one kind.
Adapters ethernet_adapters(const fs::path& folder) {
  Adapters adapters;
  std::error_code error;
  for (const fs::path& interface : entries(folder)) {
    const double rate = number_at_the_start(contents(interface / "speed"));  // Mbit/s; -1 or an error if the interface is down
    if (!fs::exists(interface / "device", error) || rate <= 0) continue;
    const fs::path driver = fs::read_symlink(interface / "device" / "driver", error);
    ++adapters[fmt::format("{} {:g} Gbit/s", error ? "Ethernet" : driver.filename().string(), rate / 1000)];
  }
  return adapters;
}

// Returns the cores that the system allows this process, even if the launcher has bound it to fewer cores. A temporary thread
// asks for all cores, so the calling thread keeps its own cores.
cpu_set_t given_cores() {
  cpu_set_t cores = own_cores();
  try {
    std::thread([&cores] {
      cpu_set_t all;
      std::fill_n(reinterpret_cast<unsigned char*>(&all), sizeof all, static_cast<unsigned char>(0xFF));
      if (sched_setaffinity(0, sizeof all, &all) == 0) cores = own_cores();
    }).join();
  } catch (const std::system_error&) {}  // no thread could be started, so return the calling thread's cores
  return cores;
}

// Returns the number of cores of rank 0's node. If the ranks of this node are bound to fewer cores than there are ranks, only
// these cores count.
Count cores_of_first_node(Communicator& communicator) {
  const std::vector<Count>& nodes = communicator.nodes();
  const Count bound = communicator.transport().cores();
  if (bound < std::count(nodes.begin(), nodes.end(), nodes[0])) return bound;
  const cpu_set_t given = given_cores();
  return std::max<Count>(bound, CPU_COUNT(&given));
}

std::string mpi_of(Communicator& communicator) {
  for (const PlugIn& plug_in : plug_ins())
    if (plug_in.mpi == communicator.transport_name()) return short_mpi_version(mpi_version(plug_in));
  return "none";
}

}  // namespace

std::string processor_of(std::string_view cpuinfo) {
  const auto value = [&](std::string_view key) {
    for (std::size_t at = cpuinfo.find(key); at != std::string_view::npos; at = cpuinfo.find(key, at + 1)) {
      if (at > 0 && cpuinfo[at - 1] != '\n') continue;
      const std::string_view line = cpuinfo.substr(at, cpuinfo.find('\n', at) - at);
      if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) return one_line(line.substr(colon + 1));
    }
    return std::string();
  };
  if (const std::string model = value("model name"); !model.empty()) return model;
  const std::string maker = value("CPU implementer"), part = value("CPU part");  // ARM
  if (!maker.empty()) return fmt::format("ARM implementer {} part {}", maker, part);
  for (const char* key : {"cpu", "uarch", "isa"})  // POWER, RISC-V
    if (const std::string model = value(key); !model.empty()) return model;
  return "unknown";
}

std::string network_of(const fs::path& classes) {
  Adapters adapters = infiniband_adapters(classes / "infiniband");
  if (adapters.empty()) adapters = ethernet_adapters(classes / "net");
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : adapters) kinds.push_back(count == 1 ? kind : fmt::format("{} x {}", count, kind));
  return kinds.empty() ? "unknown" : one_line(fmt::format("{}", fmt::join(kinds, ", ")));
}

std::string short_mpi_version(std::string_view version) {
  const std::string line = one_line(version);
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  std::string words;
  for (std::string_view rest = line; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.size() > 1 && word[0] == 'v' && is_digit(word[1])) word.remove_prefix(1);
    if (word == "Version:" || word == "Version" || word == ":") continue;
    if (!words.empty()) words += ' ';
    words += word.substr(0, word.find(','));
    if (is_digit(word[0])) return words;
  }
  return line;  // the text has no version
}

Fingerprint fingerprint_at_first(Communicator& communicator) {
  const std::vector<Count>& nodes = communicator.nodes();
  const bool is_one_node = std::all_of(nodes.begin(), nodes.end(), [&](Count node) { return node == nodes[0]; });
  return {.processor = processor_of(contents("/proc/cpuinfo")),
          .cores = cores_of_first_node(communicator),
          .network = is_one_node ? "none" : network_of("/sys/class"),
          .mpi = mpi_of(communicator)};
}

Fingerprint fingerprint(Communicator& communicator) {
  const std::string told = told_or_thrown(communicator, 0, [&] {
    const Fingerprint first = fingerprint_at_first(communicator);
    return fmt::format("{}\n{}\n{}\n{}", first.cores, first.processor, first.network, first.mpi);
  });
  const std::vector<std::string_view> lines = split(told, '\n');
  return {.processor = std::string(lines.at(1)),
          .cores = number_in<Count>(lines[0]).value_or(0),
          .network = std::string(lines.at(2)),
          .mpi = std::string(lines.at(3))};
}

}  // namespace quadrille
