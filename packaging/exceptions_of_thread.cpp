// SPDX-License-Identifier: BSD-3-Clause
// Part of the tarball's libquadrille only: the exceptions that a thread has thrown and caught. Each file of the tarball has the
// library of C++ inside, but the files throw exceptions to each other and ask std::uncaught_exceptions. So all of them count here
// (__cxa_get_globals in old_system.cpp).

extern "C" void* quadrille_exceptions_of_thread() {
  struct Exceptions {  // __cxa_eh_globals of the C++ ABI
    void* caught;
    unsigned int uncaught;
  };
  thread_local constinit Exceptions exceptions{};
  return &exceptions;
}
