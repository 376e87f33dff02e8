// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

std::string directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

Output::Output(const std::optional<std::string>& file) {
  if (!file) return;
  target_ = *file;
  if (target_.empty()) throw Error(ErrorCode::misuse, "--output needs the name of a file");
  std::error_code none;
  if (const auto real = std::filesystem::canonical(target_, none); !none) target_ = real;  // not the link, what it leads to
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    direct_ = !S_ISREG(status.st_mode);
    mode_ = status.st_mode & 07777;
    if (::access(target_.c_str(), W_OK) != 0) fail(errno);
  } else {
    if (errno != ENOENT || target_.back() == '/') fail(errno);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode_ = 0666 & ~mask;
  }
  if (!direct_ && ::access(directory_of(target_).c_str(), W_OK | X_OK) != 0) fail(errno);
}

Output::~Output() {
  if (temporary_.empty()) return;
  file_.close();
  ::unlink(temporary_.c_str());
}

std::ostream& Output::stream() {
  errno = 0;  // a failed write is noticed by `flush`, and its reason is still there
  if (target_.empty()) return std::cout;
  if (file_.is_open()) return file_;
  if (direct_) {
    file_.open(target_);
  } else {
    std::string name = target_ + ".XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    if (descriptor == -1) fail(errno);
    temporary_ = name;
    ::fchmod(descriptor, mode_);
    ::close(descriptor);
    file_.open(name);
  }
  if (!file_) fail(errno);
  return file_;
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
  if (direct_) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
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
