# A shared library that is not linked but loaded when first needed
# (solver/linalg/libraries.c): `name` becomes a macro, the name to load it by.
# That is what it calls itself where the loader looks anyhow, else its path.
function(dae_loaded_library target name file)
  get_filename_component(folder "${file}" DIRECTORY)
  execute_process(COMMAND ${CMAKE_READELF} -d "${file}"
    OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "SONAME[^[]*\\[([^]]*)\\]")
    message(FATAL_ERROR "${file} is no shared library, and ${target} loads it "
      "when it runs. On Debian the packages libopenblas-serial-dev and "
      "libsuitesparse-dev have one")
  endif()
  set(loaded "${CMAKE_MATCH_1}")
  if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set(loaded "${folder}/${loaded}")
  endif()
  target_compile_definitions(${target} PRIVATE "${name}=\"${loaded}\"")
  set(${name} "${loaded}" PARENT_SCOPE)
endfunction()
