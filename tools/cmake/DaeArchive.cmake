# Run by `cmake --install`: the installed archives of static libraries define global names
# that begin with dae_ alone. What one file of the library shares with another has
# other names in the sources, which would meet those of a program that is linked with
# it; they get the prefix dae__ in the copies that are installed.
#
#   DAE_NM, DAE_OBJCOPY   the tools; where there are none archives stay as they are
#   DAE_ARCHIVES          files, with DESTDIR

if(NOT DAE_NM OR NOT DAE_OBJCOPY)
  return()
endif()
set(lines)
foreach(archive IN LISTS DAE_ARCHIVES)
  execute_process(COMMAND ${DAE_NM} -g --defined-only ${archive}
    OUTPUT_VARIABLE names ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [A-Z] [A-Za-z_][A-Za-z0-9_.]*" names "${names}")
  foreach(line IN LISTS names)
    string(REGEX REPLACE "^.* " "" name "${line}")
    if(NOT name MATCHES "^dae_")
      list(APPEND lines "${name} dae__${name}")
    endif()
  endforeach()
endforeach()
if(NOT lines)
  return()
endif()
list(REMOVE_DUPLICATES lines)
string(REPLACE ";" "\n" text "${lines}")
list(GET DAE_ARCHIVES 0 first)
file(WRITE ${first}.names "${text}\n")
foreach(archive IN LISTS DAE_ARCHIVES)
  execute_process(
    COMMAND ${DAE_OBJCOPY} --redefine-syms=${first}.names ${archive}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE ${first}.names)
