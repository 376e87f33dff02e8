# The library's objects also as an archive, for programs that are linked statically (`g++ -static`). Their ranks are threads or the
# processes of `quadrille run`. They cannot use MPI: a plug-in needs the shared library.
add_library(quadrille_static STATIC ${quadrille_objects})
target_include_directories(quadrille_static INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_compile_features(quadrille_static PUBLIC cxx_std_20)
set_target_properties(quadrille_static PROPERTIES OUTPUT_NAME quadrille ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
get_target_property(fmt_type fmt::fmt TYPE)
if(fmt_type STREQUAL STATIC_LIBRARY)
  target_link_libraries(quadrille_static PUBLIC fmt::fmt)
else()  # Debian has no archive of fmt
  target_sources(quadrille_static PRIVATE cmake/fmt_in_archive.cpp)
  quadrille_optimise(quadrille_static -O1)
endif()
target_link_libraries(quadrille_static PUBLIC tl::expected $<TARGET_NAME_IF_EXISTS:pugixml::static>)
install(TARGETS quadrille_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
