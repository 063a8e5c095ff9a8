# Makes a manual page from its .in file. Replaces @VERSION@ by the version, a line @OPTIONS:build@ by
# the options of a command, and a line @TABLE:magics@ by one of the program's tables.
# Usage: cmake -DTOOL=<manual_tables> -DVERSION=<version> -DINPUT=<page.in> -DOUTPUT=<page> -P manpage.cmake
cmake_minimum_required(VERSION 3.25)
file(READ "${INPUT}" text)
string(REPLACE "@VERSION@" "${VERSION}" text "${text}")
string(REGEX MATCHALL "\n@[A-Z]+:[a-z]+@\n" markers "${text}")
foreach(marker IN LISTS markers)
  string(REGEX REPLACE "\n@OPTIONS:([a-z]+)@\n" "\\1" name "${marker}")
  string(REGEX REPLACE "\n@TABLE:([a-z]+)@\n" "\\1-table" name "${name}")
  execute_process(
    COMMAND "${TOOL}" "${name}"
    OUTPUT_VARIABLE table
    COMMAND_ERROR_IS_FATAL ANY)
  if(table STREQUAL "")
    message(FATAL_ERROR "${INPUT}: '${TOOL} ${name}' prints nothing")
  endif()
  string(REPLACE "${marker}" "\n${table}" text "${text}")
endforeach()
if(text MATCHES "@[A-Z]+[:@]")
  message(FATAL_ERROR "${INPUT}: unknown marker: ${CMAKE_MATCH_0}")
endif()
file(WRITE "${OUTPUT}" "${text}")
