# How the build finds MPICH (cmake/mpi_plug_ins.cmake).
set(mpich_wrappers mpicxx.mpich mpicxx)
set(mpich_question -compile_info)
set(mpich_answer -I)
set(mpich_compile -compile_info)
set(mpich_link -link_info)
set(mpich_definitions MPICH_SKIP_MPICXX)
set(mpich_libraries mpich mpi)
