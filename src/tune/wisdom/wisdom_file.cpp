// SPDX-License-Identifier: BSD-3-Clause
// Where wisdom files are, and how they are read and replaced.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "foundation/environment.hpp"
#include "foundation/hash.hpp"
#include "foundation/system/file_replacement.hpp"
#include "foundation/system/files.hpp"
#include "quadrille/error.hpp"
#include "quadrille/wisdom.hpp"
#include "tune/wisdom/wisdom_checks.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_mebibytes = 64;
constexpr std::string_view extension = ".wisdom";
constexpr auto longest_wait = std::chrono::seconds(10);  // for the lock; writers hold the lock only while they write one file

[[noreturn]] void fail(const std::string& file, const char* what, const std::string& reason) {
  throw Error(ErrorCode::environment,
              fmt::format("the wisdom '{}' cannot be {}: {}; set QUADRILLE_WISDOM to another file or folder, or to off", file, what,
                          reason));
}

[[noreturn]] void fail(const std::string& file, const char* what, int error) { fail(file, what, std::strerror(error)); }

// Returns the user's cache folder for wisdom; empty if there is no home folder.
fs::path standard_folder() {
  const fs::path own = user_folder("XDG_CACHE_HOME", ".cache");
  return own.empty() ? own : own / "quadrille" / "wisdom";
}

// The places of wisdom, from QUADRILLE_WISDOM and the home folder: one file for all machines, or a folder with a file for each
// machine. If both are empty, there is no wisdom.
struct Place {
  fs::path file, folder;
};

Place place() {
  const std::string asked = checked_environment_value("QUADRILLE_WISDOM");
  if (asked == "off") return {};
  if (asked.empty()) return {{}, standard_folder()};
  std::error_code ignored;
  if (asked.back() == '/' || fs::is_directory(asked, ignored)) return {{}, asked};
  return {asked, {}};
}

// Reduces a text to lower-case letters and digits, with dashes between its words.
std::string slug(std::string_view text) {
  std::string slug;
  for (const char letter : text)
    if ((letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || (letter == '.' && !slug.empty()))
      slug += letter;
    else if (letter >= 'A' && letter <= 'Z')
      slug += static_cast<char>(letter - 'A' + 'a');
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  return slug.substr(0, 60);
}

std::string file_name(const Fingerprint& machine) {
  const std::string all = fmt::format("{} {:x}\n{}\n{}\n{}\n{}", wisdom_format, table_fingerprint(), machine.processor,
                                      machine.cores, machine.network, machine.mpi);
  return fmt::format("{}-{}-cores-{}-{:08x}{}", slug(machine.processor), machine.cores, slug(machine.mpi),
                     text_hash(all) & 0xFFFFFFFF, extension);
}

FileText contents(const std::string& file) {
  const auto read = [&] { return read_regular_file(file, most_mebibytes, fmt::format("the wisdom '{}'", file)); };
  FileText there = read();
  return there.error == ESTALE ? read() : there;  // NFS: another machine replaced the file while it was read
}

Wisdom parsed(const std::string& text, const std::string& file, const Fingerprint& machine) {
  Wisdom wisdom = parse_wisdom(text, file);
  const Fingerprint& other = wisdom.machine;
  const auto refuse = [&](const char* what, const auto& theirs, const auto& ours) {
    throw Error(ErrorCode::malformed,
                fmt::format("the wisdom '{}' is of another machine: its {} is '{}', here it is '{}'", file, what, theirs, ours));
  };
  if (other.processor != machine.processor) refuse("processor", other.processor, machine.processor);
  if (other.cores != machine.cores) refuse("number of cores", other.cores, machine.cores);
  if (other.network != machine.network) refuse("network", other.network, machine.network);
  if (other.mpi != machine.mpi) refuse("MPI library", other.mpi, machine.mpi);
  return wisdom;
}

// An exclusive lock among all processes that write the wisdom file. The lock file is never removed, because otherwise two writers
// could hold locks on two different lock files with the same name.
class Lock {
 public:
  // Locks the file to which the links of `file` lead, so all names of the file share one lock.
  Lock(const FileReplacement& target, const std::string& file)
      : descriptor_(::openat(target.folder(), (target.name() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
    if (descriptor_.number() < 0) fail(file, "locked", errno);
    const auto last = std::chrono::steady_clock::now() + longest_wait;
    while (::flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) fail(file, "locked", errno);
      if (std::chrono::steady_clock::now() > last) fail(file, "locked", ETIMEDOUT);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ~Lock() { ::flock(descriptor_.number(), LOCK_UN); }  // closing would not suffice: a forked child may hold the descriptor

 private:
  Descriptor descriptor_;
};

void make_folder_of(const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::absolute(file, error).parent_path();
  if (fs::is_directory(folder, error)) return;
  fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail(file, "written", errno);
}

}  // namespace

std::string wisdom_file(const Fingerprint& machine) {
  const Place at = place();
  return at.folder.empty() ? at.file.string() : (at.folder / file_name(machine)).string();
}

std::vector<std::string> wisdom_files() {
  const Place at = place();
  std::error_code error;
  if (at.folder.empty()) return fs::exists(at.file, error) ? std::vector{at.file.string()} : std::vector<std::string>{};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(at.folder, error))
    if (entry.path().extension() == extension) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

Wisdom read_any_wisdom(const std::string& file) {
  const FileText there = contents(file);
  if (there.error != 0) fail(file, "read", there.error);
  return parse_wisdom(there.text, file);
}

Wisdom read_wisdom(const std::string& file, const Fingerprint& machine) {
  const Wisdom nothing{machine, {}, {}, {}};
  if (file.empty()) return nothing;
  const FileText there = contents(file);
  return there.error == 0 ? parsed(there.text, file, machine) : nothing;
}

void save_wisdom(const std::string& file, const Wisdom& newer) {
  if (file.empty()) return;
  make_folder_of(file);
  FileReplacement target;
  const auto check = [&](const Result<>& done) {
    if (!done) fail(file, "written", done.error());
  };
  check(target.aim_at(file));
  const Lock lock(target, file);
  const FileText there = contents(file);
  if (there.error != 0 && there.error != ENOENT) fail(file, "read", there.error);
  Wisdom wisdom = there.error == 0 ? parsed(there.text, file, newer.machine) : Wisdom{newer.machine, {}, {}, {}};
  wisdom.merge(newer);
  const std::string text = wisdom_text(wisdom);
  if (there.error == 0 && text == there.text) return;
  parse_wisdom(text, file);  // throws, because a file that cannot be read must never be written
  check(target.write(text));
}

}  // namespace quadrille
