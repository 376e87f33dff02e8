// SPDX-License-Identifier: BSD-3-Clause
#include "support/output.hpp"

#include <fcntl.h>

#include <fmt/format.h>

#include <ext/stdio_filebuf.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

#include "quadrille/error.hpp"

namespace quadrille::command {

Output::Output(const std::optional<std::string>& file) {
  // writing beyond the limit of file sizes (ulimit -f) then fails like any other write, and is reported in a sentence
  std::signal(SIGXFSZ, SIG_IGN);
  if (!file || *file == "-") return;
  target_ = *file;
  if (target_.empty()) throw Error(ErrorCode::misuse, "the name of a file to write is empty");
  check(replacement_.aim_at(target_));
}

std::ostream& Output::stream() {
  errno = 0;  // `flush` notices a failed write later and reads its reason from errno
  if (target_.empty()) return std::cout;
  if (file_.is_open()) return file_;
  check(replacement_.open());
  const int own = ::fcntl(replacement_.descriptor(), F_DUPFD_CLOEXEC, 0);  // the stream closes it
  static_cast<std::filebuf&>(*file_.rdbuf()) = __gnu_cxx::stdio_filebuf<char>(own, std::ios::out);
  if (!file_.is_open()) fail(std::strerror(errno));
  return file_;
}

void Output::flush() {
  std::ostream& out = target_.empty() ? std::cout : file_;
  if (!out.flush()) fail(std::strerror(errno ? errno : EIO));
}

void Output::finish() {
  flush();
  if (target_.empty()) return;
  file_.close();
  if (!file_) fail(std::strerror(errno));
  check(replacement_.finish());
}

void Output::finish(std::string_view text) {
  stream() << text;
  finish();
}

void Output::check(const Result<>& done) const {
  if (!done) fail(done.error());
}

void Output::fail(const std::string& reason) const {
  throw Error(ErrorCode::environment,
              fmt::format("cannot write {}: {}", target_.empty() ? "to stdout" : "'" + target_ + "'", reason));
}

}  // namespace quadrille::command
