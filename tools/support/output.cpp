// SPDX-License-Identifier: BSD-3-Clause
#include "support/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <ext/stdio_filebuf.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>
#include <utility>

#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

std::string directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

constexpr int most_links = 40;  // the same limit as in Linux

// Returns the path that symbolic links lead to, whether it exists or not. Links that form a cycle are returned unchanged; `stat`
// then refuses them.
std::string followed(std::filesystem::path path) {
  std::error_code none;
  for (int links = 0; links < most_links && !std::filesystem::exists(path, none); ++links) {
    const auto next = std::filesystem::read_symlink(path, none);
    if (none) return path.string();
    path = path.parent_path() / next;  // if `next` is absolute, the result is `next`
  }
  const auto real = std::filesystem::canonical(path, none);
  return none ? path.string() : real.string();  // the link /dev/stdout may lead to a pipe, which has no path
}

// If the links lead to an open file, as /dev/stdout and /dev/fd/3 do, returns its path in /proc. That path is itself a link, which
// must not be followed: the file behind it would be replaced, and `>> log` would lose the log's earlier content.
std::optional<std::filesystem::path> open_file_at(std::filesystem::path path) {
  std::error_code none;
  for (int links = 0; links < most_links; ++links) {
    const auto folder = std::filesystem::canonical(directory_of(path), none);
    if (none) return std::nullopt;
    if (folder.filename() == "fd" && folder.string().starts_with("/proc/")) return folder / path.filename();
    const auto next = std::filesystem::read_symlink(path, none);
    if (none) return std::nullopt;
    path = path.parent_path() / next;
  }
  return std::nullopt;
}

// Returns the descriptor of one of this process's own open files; nothing for files of other processes.
std::optional<int> descriptor_at(const std::filesystem::path& file) {
  std::error_code none;
  int number = 0;
  const std::string name = file.filename();
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc{} && end == name.data() + name.size();
  return is_number && file.parent_path() == std::filesystem::canonical("/proc/self/fd", none) ? std::optional(number)
                                                                                              : std::nullopt;
}

std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace

Output::Output(const std::optional<std::string>& file) {
  // writing beyond the limit of file sizes (ulimit -f) then fails like any other write, and is reported in a sentence
  std::signal(SIGXFSZ, SIG_IGN);
  if (!file || *file == "-") return;
  target_ = *file;
  if (target_.empty()) throw Error(ErrorCode::misuse, "--output needs the name of a file");
  if (const auto open = open_file_at(target_)) {
    use_open(*open);
    return;
  }
  target_ = followed(target_);
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    direct_ = !S_ISREG(status.st_mode);
    mode_ = status.st_mode & 0777;  // set-user-ID and the like are not carried over to new content
    owner_ = status.st_uid;
    group_ = status.st_gid;
    if (::access(target_.c_str(), W_OK) != 0) fail(errno);
  } else {
    if (errno != ENOENT || target_.back() == '/') fail(errno);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode_ = 0666 & ~mask;
  }
  if (!direct_ && ::access(directory_of(target_).c_str(), W_OK | X_OK) != 0) fail(errno);
}

void Output::use_open(const std::filesystem::path& file) {
  direct_ = true;
  descriptor_ = descriptor_at(file);
  if (descriptor_ == STDOUT_FILENO) target_.clear();
  if (!descriptor_ && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  const int flags = descriptor_ ? ::fcntl(*descriptor_, F_GETFL) : O_WRONLY;
  if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) fail(EBADF);
}

Output::~Output() {
  if (nameless_ >= 0) ::close(nameless_);
  if (temporary_.empty()) return;
  file_.close();
  ::unlink(temporary_.c_str());
}

std::ostream& Output::stream() {
  errno = 0;  // `flush` notices a failed write later and reads its reason from errno
  if (target_.empty()) return std::cout;
  if (file_.is_open()) return file_;
  if (descriptor_)
    static_cast<std::filebuf&>(*file_.rdbuf()) = __gnu_cxx::stdio_filebuf<char>(::dup(*descriptor_), std::ios::out);
  else if (direct_)
    file_.open(target_, std::ios::app);  // a file that another process has open keeps its content
  else
    open_beside();
  if (!file_) fail(errno);
  return file_;
}

void Output::open_beside() {
  nameless_ = ::open(directory_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (nameless_ >= 0) {
    file_.open(path_of(nameless_));
    if (file_.is_open()) return;
    ::close(std::exchange(nameless_, -1));  // without /proc the file could not be given a name later
  }
  // a short name, because the target's own name may already have the greatest length allowed
  std::string name = directory_of(target_) + "/.quadrille-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor == -1) fail(errno);
  ::close(descriptor);
  temporary_ = name;
  file_.open(name);
}

// Gives the new file the owner and mode of the old one. Only root can change the owner; for any other user the new file belongs to
// that user, as with editors that write a new file.
void Output::dress(int descriptor) const {
  const bool is_given = ::fchown(descriptor, owner_, group_) == 0 || ::fchown(descriptor, uid_t(-1), group_) == 0;
  ::fchmod(descriptor, is_given ? mode_ : mode_ & ~mode_t{S_IRWXG});
}

// Gives the finished file its name. linkat does not replace an existing file, so rename is used where there is one.
void Output::give_name() {
  if (temporary_.empty()) {
    const std::string file = path_of(nameless_);
    dress(nameless_);
    if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
    int error = errno;
    std::random_device random;
    std::string name;
    while (error == EEXIST) {
      name = fmt::format("{}/.quadrille-{:06x}", directory_of(target_), random() & 0xFFFFFF);
      if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) break;
      error = errno;
      name.clear();
    }
    if (name.empty()) fail(error);
    temporary_ = name;
  } else {
    const int descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
    dress(descriptor);
    ::close(descriptor);
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void Output::flush() {
  std::ostream& out = target_.empty() ? std::cout : file_;
  if (!out.flush()) fail(errno ? errno : EIO);
}

void Output::finish() {
  flush();
  if (target_.empty()) return;
  file_.close();
  if (!file_) fail(errno);
  if (!direct_) give_name();
}

void Output::finish(std::string_view text) {
  stream() << text;
  finish();
}

void Output::fail(int error) const {
  throw Error(ErrorCode::environment,
              fmt::format("cannot write {}: {}", target_.empty() ? "to stdout" : "'" + target_ + "'", std::strerror(error)));
}

}  // namespace quadrille::command
