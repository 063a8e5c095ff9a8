/* Internal to src/record: hearing of calls. */
#pragma once

#include "record/record_location.h"

/* The code of FRAME, which keeps it alive. */
PyObject *frame_code(PyObject *frame);

/* The frame that called FRAME, or NULL. It stays alive while FRAME runs. */
PyObject *frame_caller(PyObject *frame);

/* Prepares for this version of Python. Returns 0, or -1 with a Python exception. */
int hook_begin(PyObject *module);

/* Lets the calls of this thread, and of those that are started from now on, be recorded or not. Returns true
 * if that is a change. */
bool hook_set(struct location *location, bool records);

/* Takes the profile hook again, up to 3.11, if another profiler has taken it and has ended: Python does not give it
 * back. Returns true if it was lost. */
bool hook_renew(struct location *location);

/* Stops recording the calls of the main thread, whose module has ended: what follows is Python's own. */
void hook_end_main(struct location *location);

/* Records the calls of this thread from now on, which threading or another function has just started. FRAME: of
 * the function that begins, or NULL. */
void hook_begin_thread(PyObject *frame);
