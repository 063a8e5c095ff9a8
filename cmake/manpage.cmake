# Makes a manual page from its .in file: @VERSION@ becomes the version, a line @OPTIONS:build@ the
# options of a command, a line @TABLE:magics@ one of the program's own tables.
# Usage: cmake -DTOOL=<nbscorep> -DVERSION=<version> -DINPUT=<page.in> -DOUTPUT=<page> -P manpage.cmake
cmake_minimum_required(VERSION 3.25)
file(READ "${INPUT}" text)
string(REPLACE "@VERSION@" "${VERSION}" text "${text}")
string(REGEX MATCHALL "\n@[A-Z]+:[a-z]+@\n" markers "${text}")
foreach(marker IN LISTS markers)
  string(REGEX REPLACE "\n@OPTIONS:([a-z]+)@\n" "\\1" name "${marker}")
  string(REGEX REPLACE "\n@TABLE:([a-z]+)@\n" "\\1-table" name "${name}")
  execute_process(
    COMMAND "${TOOL}" help --format=man "${name}"
    OUTPUT_VARIABLE table
    COMMAND_ERROR_IS_FATAL ANY)
  if(table STREQUAL "")
    message(FATAL_ERROR "${INPUT}: '${TOOL} help --format=man ${name}' prints nothing")
  endif()
  string(REPLACE "${marker}" "\n${table}" text "${text}")
endforeach()
if(text MATCHES "@[A-Z]+[:@]")
  message(FATAL_ERROR "${INPUT}: a marker is left: ${CMAKE_MATCH_0}")
endif()
file(WRITE "${OUTPUT}" "${text}")
