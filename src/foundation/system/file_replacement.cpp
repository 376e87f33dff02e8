// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/file_replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include "foundation/text/parsing.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // the same limit as in Linux

auto reason(int error) { return cannot(std::strerror(error)); }

std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// True for /proc/PID/fd. Its entries are links that must not be followed: the file behind one would be replaced, and `>> log` would
// lose the log's earlier content.
bool holds_open_files(const fs::path& folder) { return folder.filename() == "fd" && folder.string().starts_with("/proc/"); }

// Returns the mode of new files. Does not call umask(2), which would change the mask of all threads for a moment.
mode_t mode_of_new_files() {
  constexpr std::string_view key = "Umask:\t";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (unsigned mask = 0; line.starts_with(key))
      if (std::from_chars(line.data() + key.size(), line.data() + line.size(), mask, 8).ec == std::errc{}) return 0666 & ~mask;
  return 0600;
}

bool is_foreign(const struct stat& status) { return status.st_uid != ::geteuid() && status.st_uid != 0; }

Result<> write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) return reason(errno);
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

FileReplacement::~FileReplacement() {
  if (!temporary_.empty()) ::unlinkat(folder_.number(), temporary_.c_str(), 0);
}

// Follows one link after the other, because the owner of each link must be checked. The folder stays open for all later steps, so
// that a name that changes meanwhile cannot lead them to another folder.
Result<> FileReplacement::aim_at(const std::string& file) {
  fs::path path = file;
  std::string foreign;
  for (int links = 0; links < most_links; ++links) {
    const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
    const int from = folder_.number() < 0 ? AT_FDCWD : folder_.number();
    Descriptor folder(::openat(from, parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() < 0) return reason(errno);
    folder_ = std::move(folder);
    name_ = path.has_filename() ? path.filename().string() : ".";
    std::error_code none;
    const fs::path real_folder = fs::read_symlink(path_of(folder_.number()), none);
    const bool is_own = real_folder == fs::canonical("/proc/self/fd", none);
    if (holds_open_files(real_folder) && (foreign.empty() || is_own)) return aim_at_open_file(is_own);
    if (!foreign.empty()) return cannot(fmt::format("'{}' is a link of another user", foreign));

    const Descriptor found(::openat(folder_.number(), name_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (found.number() < 0) return errno == ENOENT ? check_folder() : reason(errno);
    struct stat status {};
    if (::fstat(found.number(), &status) != 0) return reason(errno);
    if (!S_ISLNK(status.st_mode)) return aim_at_existing(status);
    if (is_foreign(status)) foreign = name_;
    char next[PATH_MAX];
    const ssize_t length = ::readlinkat(found.number(), "", next, sizeof next);
    if (length <= 0) return reason(length < 0 ? errno : ENOENT);
    path = std::string(next, static_cast<std::size_t>(length));
  }
  return reason(ELOOP);
}

Result<> FileReplacement::aim_at_open_file(bool is_own) {
  target_ = is_own ? Target::own_open : Target::open_elsewhere;
  int flags = O_WRONLY;
  if (is_own) {
    const auto number = number_in<int>(name_);
    if (!number) return reason(ENOENT);
    own_open_ = *number;
    flags = ::fcntl(own_open_, F_GETFL);
  } else if (::faccessat(folder_.number(), name_.c_str(), W_OK, 0) != 0) {
    return reason(errno);
  }
  if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) return reason(EBADF);
  return {};
}

Result<> FileReplacement::aim_at_existing(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return reason(EISDIR);
  if (S_ISFIFO(status.st_mode) && is_foreign(status)) return cannot(fmt::format("'{}' is a pipe of another user", name_));
  if (::faccessat(folder_.number(), name_.c_str(), W_OK, 0) != 0) return reason(errno);
  if (!S_ISREG(status.st_mode)) {
    target_ = Target::special;
    return {};
  }
  mode_ = status.st_mode & 0777;
  owner_ = status.st_uid;
  group_ = status.st_gid;
  return check_folder();
}

Result<> FileReplacement::check_folder() const {
  if (::faccessat(folder_.number(), ".", W_OK | X_OK, 0) != 0) return reason(errno);
  return {};
}

Result<> FileReplacement::open() {
  switch (target_) {
    case Target::replaced: return open_beside();
    case Target::own_open: file_ = Descriptor(::fcntl(own_open_, F_DUPFD_CLOEXEC, 0)); break;
    case Target::open_elsewhere:  // O_APPEND: the file keeps its content
      file_ = Descriptor(::openat(folder_.number(), name_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
      break;
    case Target::special:
      file_ = Descriptor(::openat(folder_.number(), name_.c_str(), O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
      break;
  }
  struct stat status {};
  if (file_.number() < 0 || ::fstat(file_.number(), &status) != 0) return reason(errno);
  if (target_ == Target::special && S_ISREG(status.st_mode)) return reason(EEXIST);  // it has changed since it was examined
  return {};
}

Result<> FileReplacement::open_beside() {
  file_ = Descriptor(::openat(folder_.number(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  // Without /proc the file could not be given a name later.
  if (file_.number() >= 0 && ::access(path_of(file_.number()).c_str(), F_OK) == 0) return {};
  return make_temporary([&](const char* name) {
    file_ = Descriptor(::openat(folder_.number(), name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    return file_.number() >= 0;
  });
}

// Calls `make` with random names until one is not in use. The names are short, because the target's own name may already have the
// greatest length allowed.
template <class Make>
Result<> FileReplacement::make_temporary(Make make) {
  std::random_device random;
  for (;;) {
    const std::string name = fmt::format(".quadrille-{:08x}", random());
    if (make(name.c_str())) {
      temporary_ = name;
      return {};
    }
    if (errno != EEXIST) return reason(errno);
  }
}

// Gives the new file the owner and mode of the old one. Only root can change the owner; for any other user the new file belongs to
// that user, as with editors that write a new file.
void FileReplacement::dress() const {
  if (!mode_) {
    ::fchmod(file_.number(), mode_of_new_files());
    return;
  }
  const bool is_given = ::fchown(file_.number(), owner_, group_) == 0 || ::fchown(file_.number(), uid_t(-1), group_) == 0;
  ::fchmod(file_.number(), is_given ? *mode_ : *mode_ & ~mode_t{S_IRWXG});
}

// linkat does not replace an existing file. If there is one, the new file gets a temporary name and is then renamed.
Result<> FileReplacement::link_nameless() {
  const std::string file = path_of(file_.number());
  const auto link = [&](const char* name) {
    return ::linkat(AT_FDCWD, file.c_str(), folder_.number(), name, AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(name_.c_str())) return {};
  return errno == EEXIST ? make_temporary(link) : reason(errno);
}

Result<> FileReplacement::finish() {
  if (target_ == Target::replaced) {
    dress();
    if (temporary_.empty())
      if (const Result<> linked = link_nameless(); !linked) return linked;
  }
  // Close before renaming: closing may report a failed write.
  if (::close(file_.release()) != 0) return reason(errno);
  if (temporary_.empty()) return {};
  if (::renameat(folder_.number(), temporary_.c_str(), folder_.number(), name_.c_str()) != 0) return reason(errno);
  temporary_.clear();
  return {};
}

Result<> FileReplacement::write(std::string_view text) {
  if (const Result<> opened = open(); !opened) return opened;
  rlimit limit{};
  // The limit is checked first, because exceeding it raises a signal.
  if (target_ == Target::replaced && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && text.size() > limit.rlim_cur) return reason(EFBIG);
  if (const Result<> written = write_all(file_.number(), text); !written) return written;
  if (target_ == Target::replaced && ::fsync(file_.number()) != 0) return reason(errno);
  if (const Result<> finished = finish(); !finished) return finished;
  const Descriptor folder(::openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() >= 0) ::fsync(folder.number());  // makes the new name durable; if it fails, the file is still valid
  return {};
}

Result<> replace_file(const std::string& file, std::string_view text) {
  FileReplacement replacement;
  if (const Result<> aimed = replacement.aim_at(file); !aimed) return aimed;
  return replacement.write(text);
}

}  // namespace quadrille
