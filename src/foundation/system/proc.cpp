// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/proc.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace quadrille {

std::optional<ProcessStat> process_stat(const std::string& directory) {
  std::ifstream in(directory + "/stat");
  std::string text;
  std::getline(in, text, '\0');
  const std::size_t begin = text.find('('), end = text.rfind(')');  // "12 (name) S 1 ...", where the name may hold anything
  if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
  ProcessStat stat{.name = text.substr(begin + 1, end - begin - 1)};
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  const auto skip = [&](int first, int last) {
    for (int field = first; field <= last; ++field) fields >> skipped;
  };
  fields >> stat.state >> stat.parent;  // fields 3 and 4
  skip(5, 13);
  std::uint64_t in_program = 0, in_system = 0;
  fields >> in_program >> in_system;
  stat.used = in_program + in_system;
  skip(16, 21);
  if (!(fields >> stat.started)) return std::nullopt;
  skip(23, 47);
  fields >> stat.words_begin >> stat.words_end;
  return stat;
}

std::string beginning_of(const std::string& file, std::size_t most) {
  std::ifstream in(file, std::ios::binary);
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

std::string own_command_line(std::size_t most) {
  std::string words = beginning_of("/proc/self/cmdline", most);
  const bool is_cut = words.size() == most;
  while (!words.empty() && words.back() == '\0') words.pop_back();
  for (char& letter : words)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  return is_cut ? words + "..." : words;
}

std::string host_name() {
  char name[64] = {};
  return ::gethostname(name, sizeof name - 1) == 0 || name[0] != '\0' ? name : "unknown";
}

}  // namespace quadrille
