// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "quadrille/error.hpp"

namespace quadrille::python {
namespace {

// The module keeps these for as long as the interpreter runs.
PyObject *error_class = nullptr, *wrong_class = nullptr, *does_not_apply_class = nullptr;

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::misuse: return "misuse";
    case ErrorCode::malformed: return "malformed";
    case ErrorCode::too_large: return "too_large";
    case ErrorCode::environment: return "environment";
    case ErrorCode::transport: return "transport";
    case ErrorCode::peer_lost: return "peer_lost";
  }
  return "";
}

PyObject* new_class(py::module_& module, const char* name, const char* text, PyObject* base) {
  PyObject* made = PyErr_NewExceptionWithDoc((std::string("quadrille.") + name).c_str(), text, base, nullptr);
  module.attr(name) = py::handle(made);
  return made;
}

void raise(PyObject* kind, const std::string& text, ErrorCode code) {
  py::object instance = py::reinterpret_borrow<py::object>(kind)(text);
  instance.attr("code") = name_of(code);
  PyErr_SetObject(kind, instance.ptr());
}

}  // namespace

void set_error(const Error& error) {
  std::string text = error.what();
  if (text.starts_with("input and output overlap;"))  // the rest names functions of C++
    text = "input and output overlap; give two separate buffers, or quadrille.in_place as the input";
  raise(error_class, text, error.code());
}

void raise_wrong(const std::string& text) {
  raise(wrong_class, text, ErrorCode::misuse);
  throw py::error_already_set();
}

void raise_does_not_apply(const std::string& text) {
  raise(does_not_apply_class, text, ErrorCode::misuse);
  throw py::error_already_set();
}

void add_errors(py::module_& module) {
  error_class = new_class(module, "Error",
                          "An error of the caller or of the environment, as one sentence.\n\ncode: misuse, malformed, too_large, "
                          "environment, transport or peer_lost.",
                          PyExc_RuntimeError);
  wrong_class = new_class(module, "ScheduleError", "A schedule is wrong; the text has the causes and the findings.", error_class);
  does_not_apply_class =
      new_class(module, "DoesNotApply",
                "An algorithm cannot solve the problem. An algorithm of your own raises it with the reason.", error_class);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_error(error);
    }
  });
}

}  // namespace quadrille::python
