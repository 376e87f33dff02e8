// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/mpi_libraries.hpp"

#include <gtest/gtest.h>

#include <set>

namespace quadrille {
namespace {

std::string_view id_of(const MpiLibrary* library) { return library ? library->id : "none"; }

TEST(MpiLibraries, RowsAreComplete) {
  std::set<std::string_view> ids;
  for (const MpiLibrary& library : mpi_libraries) {
    EXPECT_TRUE(ids.insert(library.id).second) << library.id;
    EXPECT_EQ(library.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos) << library.id;
    EXPECT_FALSE(library.title.empty()) << library.id;
    EXPECT_EQ(find_mpi_library(library.id), &library);
    const MpiLauncher& launcher = library.launcher;
    EXPECT_TRUE(!library.has_plug_in || (launcher.rank && launcher.size)) << library.id << " is started by no launcher";
    EXPECT_EQ(launcher.rank == nullptr, launcher.size == nullptr) << library.id;
    EXPECT_EQ(launcher.proxy.empty(), launcher.proxy_option.empty()) << library.id;
    EXPECT_TRUE(!library.file.empty() || library.first_number >= 0) << library.id << " is in no file";
  }
  EXPECT_EQ(find_mpi_library("none"), nullptr);
  EXPECT_EQ(find_mpi_library(""), nullptr);
}

TEST(MpiLibraries, AreRecognisedByTheirVersionTexts) {
  EXPECT_EQ(id_of(library_of_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4")), "openmpi");
  EXPECT_EQ(id_of(library_of_version("MPICH Version:      4.0.2")), "mpich");
  EXPECT_EQ(id_of(library_of_version("MPI VERSION    : CRAY MPICH version 8.1.25")), "mpich");
  EXPECT_EQ(id_of(library_of_version("Intel(R) MPI Library 2021.9 for Linux* OS")), "mpich");
  EXPECT_EQ(id_of(library_of_version("MVAPICH2 Version      : 2.3.7")), "mpich");
  EXPECT_EQ(id_of(library_of_version("Another MPI 1.0")), "none");
  EXPECT_EQ(id_of(library_of_version("")), "none");
}

TEST(MpiLibraries, AreRecognisedByTheNamesOfTheirFiles) {
  EXPECT_EQ(id_of(library_of_file("libmpich.so.12.2.1")), "mpich");
  EXPECT_EQ(id_of(library_of_file("libmpi_abi.so.0")), "abi");
  EXPECT_EQ(id_of(library_of_file("libmpi.so.40")), "none");

  EXPECT_EQ(id_of(library_of_needed("libmpich.so.12")), "mpich");
  EXPECT_EQ(id_of(library_of_needed("libmpi_abi.so.0")), "abi");
  EXPECT_EQ(id_of(library_of_needed("libmpi.so.12")), "mpich");
  EXPECT_EQ(id_of(library_of_needed("libmpi.so.19")), "mpich");
  EXPECT_EQ(id_of(library_of_needed("libmpi.so.20")), "openmpi");
  EXPECT_EQ(id_of(library_of_needed("libmpi.so.40")), "openmpi");
  EXPECT_EQ(id_of(library_of_needed("libmpi.so")), "none");
  EXPECT_EQ(id_of(library_of_needed("libmpi_cxx.so.40")), "none");
  EXPECT_EQ(id_of(library_of_needed("libm.so.6")), "none");
}

TEST(MpiLibraries, AreRecognisedByTheirSymbols) {
  EXPECT_EQ(id_of(library_of_symbols([](std::string_view symbol) { return symbol == "ompi_mpi_comm_world"; })), "openmpi");
  EXPECT_EQ(id_of(library_of_symbols([](std::string_view) { return false; })), "mpich");
}

}  // namespace
}  // namespace quadrille
