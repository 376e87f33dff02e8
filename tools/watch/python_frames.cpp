// SPDX-License-Identifier: BSD-3-Clause
#include "watch/python_frames.hpp"

#ifdef QUADRILLE_PYTHON_OFFSETS

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "watch/python_offsets.h"

#endif

namespace quadrille::command {

#ifdef QUADRILLE_PYTHON_OFFSETS
namespace {

constexpr std::size_t most_python_threads = 4096, most_python_frames = 64, most_letters = 4096, most_line_bytes = 1 << 20;

// What is read makes no sense, or cannot be read.
struct Unreadable : std::exception {};

constexpr const quadrille_python_offsets& offsets = quadrille_python_3_11;

class Interpreter {
 public:
  Interpreter(pid_t process, std::uint64_t runtime, std::uint64_t code_type)
      : process_(process), runtime_(runtime), code_type_(code_type) {}

  bool is_known(std::uint64_t version) const { return value<unsigned long>(version) >> 16 == 0x030b; }

  std::vector<std::string> frames() const {
    std::vector<std::string> frames;
    std::uint64_t thread = pointer(pointer(runtime_ + offsets.runtime_interpreter) + offsets.interpreter_threads);
    for (std::size_t i = 0; value<unsigned long>(thread + offsets.thread_native_id) != static_cast<unsigned long>(process_); ++i) {
      thread = pointer(thread + offsets.thread_next);
      if (thread == 0 || i == most_python_threads) return frames;
    }
    std::uint64_t frame = pointer(pointer(thread + offsets.thread_frame_pointer) + offsets.frame_pointer_frame);
    for (std::size_t i = 0; frame != 0 && i < most_python_frames; ++i, frame = pointer(frame + offsets.frame_previous))
      if (std::string text = describe(frame); !text.empty()) frames.push_back(std::move(text));
    return frames;
  }

 private:
  std::string bytes(std::uint64_t address, std::size_t count) const {
    std::string bytes(count, '\0');
    struct iovec to {
      bytes.data(), count
    }, from{reinterpret_cast<void*>(address), count};
    if (::process_vm_readv(process_, &to, 1, &from, 1, 0) != static_cast<ssize_t>(count)) throw Unreadable{};
    return bytes;
  }

  template <class Value>
  Value value(std::uint64_t address) const {
    Value value;
    std::memcpy(&value, bytes(address, sizeof value).data(), sizeof value);
    return value;
  }

  std::uint64_t pointer(std::uint64_t address) const { return value<std::uint64_t>(address); }

  // Returns "program.py:31 (exchange)"; empty if the frame has not begun.
  std::string describe(std::uint64_t frame) const {
    const std::uint64_t code = pointer(frame + offsets.frame_code);
    if (pointer(code + offsets.object_type) != code_type_) throw Unreadable{};
    const auto instruction = (static_cast<std::int64_t>(pointer(frame + offsets.frame_instruction)) -
                              static_cast<std::int64_t>(code + offsets.code_instructions)) /
                             2;
    constexpr char owned_by_generator = 1;
    if (value<char>(frame + offsets.frame_owner) != owned_by_generator &&
        instruction < value<int>(code + offsets.code_first_traced))
      return {};
    const std::string file = text(pointer(code + offsets.code_file));
    return fmt::format("{}:{} ({})", base_name(file), line(code, instruction), text(pointer(code + offsets.code_name)));
  }

  // The location table (Objects/locations.md in CPython) has an entry for each run of instructions. Only the first byte of an entry
  // has its highest bit set. This byte has the kind of the entry, and how many instructions it is for.
  int line(std::uint64_t code, std::int64_t instruction) const {
    const std::uint64_t object = pointer(code + offsets.code_lines);
    const auto size = value<std::int64_t>(object + offsets.object_size);
    if (size < 0 || static_cast<std::size_t>(size) > most_line_bytes) throw Unreadable{};
    const std::string table = bytes(object + offsets.bytes_data, static_cast<std::size_t>(size));
    std::int64_t line = value<int>(code + offsets.code_first_line), end = 0;
    for (std::size_t i = 0; i < table.size() && end <= instruction;) {
      const auto head = static_cast<unsigned char>(table[i++]);
      const int kind = head >> 3 & 15;
      constexpr int one_line = 10, no_columns = 13, full = 14;
      end += (head & 7) + 1;
      if (kind == no_columns || kind == full) {
        std::uint64_t number = 0;  // in groups of 6 bits, the lowest first; bit 6 says that more follow
        for (unsigned shift = 0; i < table.size() && shift < 36; shift += 6) {
          const auto byte = static_cast<unsigned char>(table[i++]);
          number |= std::uint64_t{byte & 63u} << shift;
          if (!(byte & 64)) break;
        }
        const auto size_of_change = static_cast<std::int64_t>(number >> 1);  // the lowest bit is the sign
        line += number & 1 ? -size_of_change : size_of_change;
      } else if (kind >= one_line && kind < no_columns) {
        line += kind - one_line;
      }
      while (i < table.size() && !(table[i] & '\x80')) ++i;
    }
    if (line < 0 || line > INT32_MAX) throw Unreadable{};
    return static_cast<int>(line);
  }

  // Returns a string object in UTF-8.
  std::string text(std::uint64_t object) const {
    const auto length = value<std::int64_t>(object + offsets.text_length);
    const auto state = value<std::uint32_t>(object + offsets.text_state);
    const std::size_t width = state >> 2 & 7;
    const bool is_compact = state >> 5 & 1, is_ascii = state >> 6 & 1;
    if (length < 0 || length > std::int64_t{most_letters} || !is_compact || (width != 1 && width != 2 && width != 4))
      throw Unreadable{};
    const std::string data =
        bytes(object + (is_ascii ? offsets.text_ascii_data : offsets.text_data), static_cast<std::size_t>(length) * width);
    std::u32string letters(static_cast<std::size_t>(length), U'\0');
    for (std::size_t i = 0; i < letters.size(); ++i) std::memcpy(&letters[i], data.data() + i * width, width);
    return std::filesystem::path(letters).string();  // throws if it is no text
  }

  const pid_t process_;
  const std::uint64_t runtime_, code_type_;
};

}  // namespace

std::vector<std::string> python_frames(pid_t process, const SourcePlaces& places) {
  std::vector<std::string> frames;
  for (const Module& module : places.modules()) {
    const std::string name = base_name(module.path);
    if (!name.starts_with("python3") && !name.starts_with("libpython3")) continue;
    const std::uint64_t runtime = places.address_of("_PyRuntime", module), version = places.address_of("Py_Version", module),
                        code_type = places.address_of("PyCode_Type", module);
    if (runtime == 0 || version == 0 || code_type == 0) continue;
    const Interpreter interpreter(process, runtime, code_type);
    // A running thread may change the frames while they are read, so they are read until they are the same twice.
    for (int i = 0; i < 5; ++i) try {
        if (!interpreter.is_known(version)) return {};
        auto again = interpreter.frames();
        if (again == frames) break;
        frames = std::move(again);
      } catch (const std::exception&) {}
    break;
  }
  return frames;
}

#else

std::vector<std::string> python_frames(pid_t, const SourcePlaces&) { return {}; }

#endif

}  // namespace quadrille::command
