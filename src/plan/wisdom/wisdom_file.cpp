// SPDX-License-Identifier: BSD-3-Clause
// Where wisdom files are, and how they are read and replaced.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "foundation/environment.hpp"
#include "plan/wisdom/wisdom_checks.hpp"
#include "quadrille/error.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr off_t most_bytes = off_t{1} << 26;
constexpr std::string_view extension = ".wisdom";
constexpr auto longest_wait = std::chrono::seconds(10);  // for the lock; a writer holds it only while it writes one file

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int operator*() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& file, const char* what, int error) {
  throw Error(ErrorCode::environment,
              fmt::format("the wisdom '{}' cannot be {}: {}; set QUADRILLE_WISDOM to another file or folder, or to off", file, what,
                          std::strerror(error)));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Returns the user's cache folder for wisdom; empty if there is no home folder.
fs::path standard_folder() {
  const fs::path cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (cache.is_absolute()) return cache / "quadrille" / "wisdom";
  return home.is_absolute() ? home / ".cache" / "quadrille" / "wisdom" : fs::path();
}

// Where wisdom is, from QUADRILLE_WISDOM and the home folder: one file for all machines, or a folder with a file for each. If both
// are empty, there is no wisdom.
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
  const std::string all =
      fmt::format("{:x}\n{}\n{}\n{}\n{}", table_fingerprint(), machine.processor, machine.cores, machine.network, machine.mpi);
  return fmt::format("{}-{}-cores-{}-{:08x}{}", slug(machine.processor), machine.cores, slug(machine.mpi),
                     text_hash(all) & 0xFFFFFFFF, extension);
}

struct Contents {
  std::string text;
  int error = 0;  // the system's error number; 0: the text is complete
  mode_t mode = 0;
};

Contents contents(const std::string& file) {
  // O_NONBLOCK: opening a pipe must not block.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!descriptor.is_open() || ::fstat(*descriptor, &status) != 0) return {{}, errno, 0};
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::malformed, fmt::format("the wisdom '{}' is not a regular file", file));
  Contents contents{{}, 0, status.st_mode & mode_t{0777}};
  char part[65536];
  for (;;) {
    const ssize_t count = ::read(*descriptor, part, sizeof part);
    if (count == 0) return contents;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {{}, errno, 0};
    contents.text.append(part, static_cast<std::size_t>(count));
    if (contents.text.size() > std::size_t{most_bytes})
      throw Error(ErrorCode::malformed, fmt::format("the wisdom '{}' is longer than 64 MiB", file));
  }
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

// An exclusive lock among all processes that write the wisdom file. The lock file is never removed. Otherwise two writers could
// hold locks on two different lock files with the same name.
class Lock {
 public:
  explicit Lock(const std::string& file)
      : descriptor_(::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
    if (!descriptor_.is_open()) fail(file, "locked", errno);
    const auto last = std::chrono::steady_clock::now() + longest_wait;
    while (::flock(*descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) fail(file, "locked", errno);
      if (std::chrono::steady_clock::now() > last) fail(file, "locked", ETIMEDOUT);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ~Lock() { ::flock(*descriptor_, LOCK_UN); }  // closing would not be enough: a forked child may hold the descriptor

 private:
  Descriptor descriptor_;
};

// Returns 0 or the system's error number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// Must be called with the lock held. So one name for the new file is enough, and a file that a killed writer has left is replaced.
void replace(const std::string& file, std::string_view text, std::optional<mode_t> mode) {
  rlimit limit{};
  // The limit is checked first, because exceeding it raises a signal.
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && text.size() > limit.rlim_cur) fail(file, "written", EFBIG);
  const std::string fresh = file + ".new";
  ::unlink(fresh.c_str());
  int error = 0;
  {
    const Descriptor descriptor(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!descriptor.is_open()) fail(file, "written", errno);
    error = write_all(*descriptor, text);
    if (mode) ::fchmod(*descriptor, *mode);
  }
  if (error == 0 && ::rename(fresh.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(fresh.c_str());
    fail(file, "written", error);
  }
  const Descriptor folder(::open(fs::path(file).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) ::fsync(*folder);  // makes the new name durable; if it fails, the file is still valid
}

// Returns the full path with symbolic links followed, and makes the folder if needed. The target of a link is locked and replaced,
// so all names of the file share one lock.
std::string followed(const std::string& file) {
  std::error_code error;
  const fs::path path = fs::absolute(file, error), folder = path.parent_path();
  if (!fs::is_directory(folder, error)) {
    fs::create_directories(folder.parent_path(), error);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail(file, "written", errno);
  }
  const fs::path real = fs::canonical(path, error);
  if (!error) return real;
  const fs::path real_folder = fs::canonical(folder, error);
  return error ? path.string() : (real_folder / path.filename()).string();
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

Wisdom read_wisdom(const std::string& file, const Fingerprint& machine) {
  const Wisdom nothing{machine, {}, {}, {}};
  if (file.empty()) return nothing;
  Contents there = contents(file);
  if (there.error == ESTALE) there = contents(file);  // NFS: another machine replaced the file while it was read
  return there.error == 0 ? parsed(there.text, file, machine) : nothing;
}

void save_wisdom(const std::string& file, const Wisdom& newer) {
  if (file.empty()) return;
  const std::string target = followed(file);
  const Lock lock(target);
  const Contents there = contents(target);
  if (there.error != 0 && there.error != ENOENT) fail(file, "read", there.error);
  Wisdom wisdom = there.error == 0 ? parsed(there.text, file, newer.machine) : Wisdom{newer.machine, {}, {}, {}};
  wisdom.merge(newer);
  const std::string text = wisdom_text(wisdom);
  if (there.error == 0 && text == there.text) return;
  parse_wisdom(text, file);  // never write what cannot be read
  replace(target, text, there.error == 0 ? std::optional(there.mode) : std::nullopt);
}

}  // namespace quadrille
