// SPDX-License-Identifier: BSD-3-Clause
// Fingerprints of machines, from texts and files as systems have them.
#include "tune/wisdom/fingerprint.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <mutex>

#include "quadrille/groups.hpp"
#include "quadrille/wisdom.hpp"
#include "support/own_folder.hpp"

namespace quadrille {
namespace {

TEST(Fingerprint, ReadsTheProcessor) {
  EXPECT_EQ(processor_of("processor\t: 0\nmodel\t\t: 143\nmodel name\t: Intel(R)  Xeon(R) CPU \n\nmodel name\t: other\n"),
            "Intel(R) Xeon(R) CPU");
  EXPECT_EQ(processor_of("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"), "ARM implementer 0x41 part 0xd0c");
  EXPECT_EQ(processor_of("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n"), "POWER9, altivec supported");
  EXPECT_EQ(processor_of(""), "unknown");
}

TEST(Fingerprint, ShortensVersions) {
  EXPECT_EQ(short_mpi_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"),
            "Open MPI 4.1.4");
  EXPECT_EQ(short_mpi_version("MPICH Version:      4.0.2"), "MPICH 4.0.2");
  EXPECT_EQ(short_mpi_version("MVAPICH2 Version      :\t2.3.7"), "MVAPICH2 2.3.7");
  EXPECT_EQ(short_mpi_version("Intel(R) MPI Library 2021.9 for Linux* OS"), "Intel(R) MPI Library 2021.9");
  EXPECT_EQ(short_mpi_version("no number"), "no number");
  EXPECT_EQ(short_mpi_version(""), "");
}

class Network : public testing::OwnFolder {
 protected:
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((place_ / file).parent_path());
    std::ofstream(place_ / file) << text;
  }
};

TEST_F(Network, IsReadFromTheSystem) {
  EXPECT_EQ(network_of(place_), "unknown");
  write("net/lo/speed", "");
  write("net/veth0/speed", "10000\n");  // no device: virtual
  write("net/eth1/speed", "-1\n");
  write("net/eth1/device/vendor", "0x8086\n");
  EXPECT_EQ(network_of(place_), "unknown");
  for (const std::string name : {"eth0", "eth2"}) {
    write("net/" + name + "/speed", "25000\n");
    write("net/" + name + "/device/vendor", "0x8086\n");
    std::filesystem::create_symlink("/sys/bus/pci/drivers/ice", place_ / "net" / name / "device/driver");
  }
  EXPECT_EQ(network_of(place_), "2 x ice 25 Gbit/s");
  write("infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
  write("infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  write("infiniband/mlx5_1/ports/1/rate", "10 Gb/sec (4X SDR)\n");
  write("infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  EXPECT_EQ(network_of(place_), "mlx5 200 Gbit/s");
}

TEST(Fingerprint, IsTheSameOnAllRanks) {
  std::mutex mutex;
  std::vector<Fingerprint> all;
  run_threads(3, [&](Communicator& communicator) {
    const Fingerprint mine = fingerprint(communicator);
    const std::lock_guard guard(mutex);
    all.push_back(mine);
  });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
  EXPECT_GE(all[0].cores, 1);
  EXPECT_EQ(all[0].network, "none");
  EXPECT_EQ(all[0].mpi, "none");
  EXPECT_EQ(parse_wisdom(wisdom_text({all[0], {}, {}, {}}), "it").machine, all[0]);
}

}  // namespace
}  // namespace quadrille
