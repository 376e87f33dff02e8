// SPDX-License-Identifier: BSD-3-Clause
// Code that the programs *_mpi.cpp share: options with one value each, and a main that starts and ends MPI around a measurement.
#pragma once

#include <getopt.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace quadrille::bench {

struct ProgramOption {
  const char* name;  // "repetitions" for --repetitions
  bool takes_value = true;
  std::function<void(const char* value)> set;
};

// Makes an option with a number. Reading it throws std::invalid_argument or std::out_of_range if the value is not a number; a
// number below `least` becomes `least`.
inline ProgramOption number(const char* name, long& target, long least) {
  return {name, true, [&target, least](const char* value) { target = std::max(least, std::stol(value)); }};
}

inline ProgramOption word(const char* name, std::string& target) {
  return {name, true, [&target](const char* value) { target = value; }};
}

inline ProgramOption flag(const char* name, bool& target) {
  return {name, false, [&target](const char*) { target = true; }};
}

// Reads the options. If a word is not one of them, prints a message and exits with code 2.
inline void read_options(int count, char** arguments, const std::vector<ProgramOption>& options) {
  std::vector<option> known;
  for (const ProgramOption& each : options)
    known.push_back({each.name, each.takes_value ? required_argument : no_argument, nullptr, 'o'});
  known.push_back({});
  for (int position = 0, found = 0; (found = ::getopt_long(count, arguments, "", known.data(), &position)) != -1;) {
    if (found != 'o') std::exit(2);  // getopt has printed why
    const ProgramOption& given = options[static_cast<std::size_t>(position)];
    try {
      given.set(optarg);
    } catch (const std::exception&) {
      std::fprintf(stderr, "--%s takes a number, not '%s'\n", given.name, optarg);
      std::exit(2);
    }
  }
}

// The body of main: reads the options into what they name, then measures between MPI_Init and MPI_Finalize.
inline int run_program(int count, char** arguments, const std::vector<ProgramOption>& options,
                       const std::function<void()>& measure) {
  read_options(count, arguments, options);
  MPI_Init(&count, &arguments);
  try {
    measure();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace quadrille::bench
