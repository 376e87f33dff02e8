// SPDX-License-Identifier: BSD-3-Clause
#include "options/documents.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "foundation/nearest.hpp"
#include "foundation/system/descriptor.hpp"
#include "options/arguments.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/forms/document.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // a limit, because files such as /dev/zero never end

}  // namespace

std::string read_text(const std::string& file, const std::string& label) {
  const auto fail = [&](ErrorCode code, const std::string& reason) {
    throw Error(code, fmt::format("cannot read {}: {}", label, reason));
  };
  static bool has_read_stdin = false;
  if (file == "-" && std::exchange(has_read_stdin, true)) fail(ErrorCode::misuse, "it is read already; name '-' once");
  const Descriptor opened(file == "-" ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  const int number = file == "-" ? STDIN_FILENO : opened.number();
  struct stat status {};
  if (number < 0 || ::fstat(number, &status) != 0) fail(ErrorCode::environment, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorCode::environment, "it is a directory");
  std::string text;
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t length = ::read(number, piece.data(), piece.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) fail(ErrorCode::environment, std::strerror(errno));
    if (length == 0) break;
    if (std::memchr(piece.data(), 0, index(length))) fail(ErrorCode::malformed, "it is not a text file");
    if (text.size() + index(length) > most_bytes) fail(ErrorCode::too_large, "it is longer than 1 GiB");
    text.append(piece.data(), index(length));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) fail(ErrorCode::malformed, "it is empty");
  return text;
}

std::string printable(const std::string& text) {
  const bool has_controls = std::any_of(text.begin(), text.end(), [](unsigned char each) { return each < ' ' || each == 127; });
  try {
    if (!has_controls) return json_string(text), text;
  } catch (const Error&) {}
  return excerpt(text, text.size());
}

void check_names_file(const std::string& subject, bool about_problem, bool about_algorithm) {
  const bool exists = subject == "-" || ::access(subject.c_str(), F_OK) == 0;
  if (!exists && (about_problem || about_algorithm || nearest(subject, collective_names())))
    refuse_unknown("collective or file", subject, collective_names());
  if (about_algorithm) refuse("a file says itself which algorithm it holds; leave --algorithm out");
  if (about_problem) refuse("a file says itself which problem it is for; leave --ranks, --block and the like out");
}

std::string label_of(const std::string& file) { return file == "-" ? "stdin" : "'" + file + "'"; }

std::vector<Schedule> read_schedules(const std::string& file, const ReadText& read) {
  const std::string label = label_of(file);
  const std::string text = read(file, label);
  try {
    return parse_documents(text);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", label, error.what()));
  }
}

}  // namespace quadrille::command
