# Removes the search path for libraries from each file of the installation that has one. Called in the folder of the source package.
file(GLOB_RECURSE files debian/tmp/usr/bin/* debian/tmp/usr/libexec/* debian/tmp/usr/lib/*.so debian/tmp/usr/lib/*.so.*)
foreach(file ${files})
  file(RPATH_REMOVE FILE ${file})
endforeach()
