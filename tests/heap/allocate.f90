! SPDX-License-Identifier: BSD-3-Clause
! Prints "at" with the address of an allocated array, and then the mappings of the process.
program allocate_large
  use iso_c_binding
  use iso_fortran_env, only: int64
  implicit none
  real(8), allocatable, target :: numbers(:)
  character(len=500) :: line
  integer :: status
  allocate(numbers(100000))
  numbers = 1
  print '(a,z16.16)', 'at ', transfer(c_loc(numbers), 0_int64)
  open(10, file='/proc/self/maps', action='read')
  do
    read(10, '(a)', iostat=status) line
    if (status /= 0) exit
    print '(a)', trim(line)
  end do
  if (sum(numbers) /= 100000) stop 1
end program
