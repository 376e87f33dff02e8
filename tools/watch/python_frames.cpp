// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUADRILLE_PYTHON_HEADERS
#define Py_BUILD_CORE 1
#include <Python.h>
#undef HAVE_STD_ATOMIC  // C's header of that is none of C++20
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#if PY_MAJOR_VERSION != 3 || PY_MINOR_VERSION != 11
#error "the headers of CPython 3.11 are needed"
#endif
#endif

#include <fmt/format.h>
#include <sys/uio.h>

#include <cstring>
#include <filesystem>

#include "watch/python_frames.hpp"

namespace quadrille::command {

#ifdef QUADRILLE_PYTHON_HEADERS
namespace {

constexpr std::size_t most_python_threads = 4096, most_python_frames = 64, most_letters = 4096, most_line_bytes = 1 << 20;

// What is read makes no sense, or cannot be read.
struct Unreadable : std::exception {};

// Pointers lead to the memory of the interpreter's process.
class Interpreter {
 public:
  Interpreter(pid_t process, std::uint64_t runtime, std::uint64_t code_type)
      : process_(process),
        runtime_(reinterpret_cast<const _PyRuntimeState*>(runtime)),
        code_type_(reinterpret_cast<const PyTypeObject*>(code_type)) {}

  std::vector<std::string> frames() const {
    std::vector<std::string> frames;
    PyThreadState thread = copy(copy(&copy(&runtime_->interpreters.main)->threads.head));
    for (std::size_t i = 0; thread.native_thread_id != static_cast<unsigned long>(process_); ++i, thread = copy(thread.next))
      if (!thread.next || i == most_python_threads) return frames;
    const _PyInterpreterFrame* next = copy(&thread.cframe->current_frame);
    for (std::size_t i = 0; next && i < most_python_frames; ++i) {
      const _PyInterpreterFrame frame = copy(next);
      if (std::string text = describe(frame); !text.empty()) frames.push_back(std::move(text));
      next = frame.previous;
    }
    return frames;
  }

 private:
  std::string bytes(const void* there, std::size_t count) const {
    std::string bytes(count, '\0');
    const iovec to{bytes.data(), count}, from{const_cast<void*>(there), count};
    if (::process_vm_readv(process_, &to, 1, &from, 1, 0) != static_cast<ssize_t>(count)) throw Unreadable{};
    return bytes;
  }

  template <class Value>
  Value copy(const Value* there) const {
    Value value;
    std::memcpy(&value, bytes(there, sizeof value).data(), sizeof value);
    return value;
  }

  // Returns "program.py:31 (exchange)"; empty if the frame has not begun.
  std::string describe(const _PyInterpreterFrame& frame) const {
    const PyCodeObject code = copy(frame.f_code);
    if (code.ob_base.ob_base.ob_type != code_type_) throw Unreadable{};
    const auto instruction = frame.prev_instr - reinterpret_cast<const _Py_CODEUNIT*>(frame.f_code->co_code_adaptive);
    if (frame.owner != FRAME_OWNED_BY_GENERATOR && instruction < code._co_firsttraceable) return {};
    return fmt::format("{}:{} ({})", base_name(text(code.co_filename)), line(code, instruction), text(code.co_name));
  }

  // The location table (Objects/locations.md in CPython) has an entry for each run of instructions. Only the first byte of an entry
  // has its highest bit set. This byte has the kind of the entry, and how many instructions it is for.
  int line(const PyCodeObject& code, std::int64_t instruction) const {
    const auto* const object = reinterpret_cast<const PyBytesObject*>(code.co_linetable);
    const auto size = static_cast<std::size_t>(copy(&object->ob_base.ob_size));
    if (size > most_line_bytes) throw Unreadable{};
    const std::string table = bytes(object->ob_sval, size);
    std::int64_t line = code.co_firstlineno, end = 0;
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
  std::string text(const PyObject* object) const {
    const auto* const place = reinterpret_cast<const PyCompactUnicodeObject*>(object);
    const PyASCIIObject head = copy(&place->_base);
    const auto length = static_cast<std::size_t>(head.length), width = std::size_t{head.state.kind};
    if (length > most_letters || !head.state.compact || (width != 1 && width != 2 && width != 4)) throw Unreadable{};
    const void* const letters_there = head.state.ascii ? static_cast<const void*>(&place->_base + 1) : place + 1;
    const std::string data = bytes(letters_there, length * width);
    std::u32string letters(length, U'\0');
    for (std::size_t i = 0; i < letters.size(); ++i) std::memcpy(&letters[i], data.data() + i * width, width);
    return std::filesystem::path(letters).string();  // throws if it is no text
  }

  const pid_t process_;
  const _PyRuntimeState* const runtime_;
  const PyTypeObject* const code_type_;
};

}  // namespace

std::vector<std::string> python_frames(pid_t process, const SourcePlaces& places) {
  std::vector<std::string> frames;
  for (const Module& module : places.modules()) {
    const std::string name = base_name(module.path);
    if (!name.starts_with("python3.11") && !name.starts_with("libpython3.11")) continue;
    const std::uint64_t runtime = places.address_of("_PyRuntime", module), code_type = places.address_of("PyCode_Type", module);
    if (runtime == 0 || code_type == 0) continue;
    const Interpreter interpreter(process, runtime, code_type);
    // A running thread may change the frames while they are read, so they are read until they are the same twice.
    for (int i = 0; i < 5; ++i) try {
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
