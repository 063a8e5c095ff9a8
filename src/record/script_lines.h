/* Internal to src/record: which lines of the script take the time. A timer thread takes the interpreter's lock a
 * hundred times a second and looks at the main thread's stack. The time since the look before goes to the line that
 * is found there. A call of C that keeps the lock delays the look, and then counts in full for the line that called
 * it. (Py_AddPendingCall() would let the main thread look by itself, but up to 3.11 a loop without calls does not
 * notice a call that another thread adds.)
 *
 * The timer also finds out whether the main thread interprets Python or runs C code, from how it gets the lock. A
 * thread that interprets gives it up when it was asked for it for the switch interval (5 ms; CPython's ceval_gil). If
 * the main thread computes while the lock is free, it runs C code that has released it; if it computes for longer than
 * the switch interval while it was asked, it runs C code that keeps the lock. What it computed since the look before
 * then counts as native. Calls of C of less than a millisecond count as interpreted, like the calls themselves.
 *
 * Where the main thread itself waits for the lock when the timer looks, what it did not run since the look before
 * counts as waiting for it. */
#pragma once

#include "record/python_abi.h"

/* Begins to sample the script of the order in this process. Returns 0, or -1 and sets errno. */
int lines_begin(void);

/* Ends it. */
void lines_end(void);

/* Ends the timer thread before a fork, and starts it again some instructions after it: Python 3.12 and later warn of a
 * fork in a process with several threads. */
void lines_pause(void);
void lines_continue(void);

/* FUNCTION is called without arguments after every tenth sample, in the timer's thread. */
void lines_watch(PyObject *function);
