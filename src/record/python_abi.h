/* What the recorder uses of CPython 3.8 to 3.14, declared by hand: one binary serves all of them
 * (facts: the symbols and their signatures are the same in these versions, or weak here). Builds without the
 * global interpreter lock have other objects and are refused before this is loaded (_recorder.py). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PYTHON_WEAK __attribute__((weak))

typedef struct PyObject {
	ssize_t refcount;
	struct PyObject *type;
} PyObject;

typedef struct PyMethodDef {
	const char *name;
	void *function;
	int flags;
	const char *doc;
} PyMethodDef;

enum { METH_NOARGS = 0x4, METH_FASTCALL = 0x80 };

typedef struct PyModuleDef {
	PyObject head;
	PyObject *(*init)(void);
	ssize_t index;
	PyObject *copy;
	const char *name, *doc;
	ssize_t size;
	PyMethodDef *methods;
	void *slots, *traverse, *clear, *free;
} PyModuleDef;

enum { PYTHON_API_VERSION = 1013 };

typedef PyObject *(*python_fastcall)(PyObject *self, PyObject *const *arguments, ssize_t count);
typedef int (*python_hook)(PyObject *object, PyObject *frame, int what, PyObject *argument);

/* WHAT of a profile hook (cpython/pystate.h). */
enum { PyTrace_CALL = 0, PyTrace_RETURN = 3 };

extern PyObject _Py_NoneStruct;
extern PyObject PyCell_Type;
extern PyObject _Py_TrueStruct, _Py_FalseStruct;
extern PyObject *PyExc_RuntimeError, *PyExc_TypeError, *PyExc_OSError;

PyObject *PyModule_Create2(PyModuleDef *definition, int version);
PyObject *PyCFunction_NewEx(PyMethodDef *definition, PyObject *self, PyObject *module);
PyObject *PyImport_ImportModule(const char *name);
PyObject *PyObject_GetAttrString(PyObject *object, const char *name);
PyObject *PyObject_CallFunction(PyObject *callable, const char *format, ...);
PyObject *PyObject_CallMethod(PyObject *object, const char *name, const char *format, ...);
double PyFloat_AsDouble(PyObject *number);
int PyObject_IsTrue(PyObject *object);
PyObject *PyDict_GetItem(PyObject *dictionary, PyObject *key);
PyObject *PyDict_GetItemString(PyObject *dictionary, const char *key);
ssize_t PySequence_Index(PyObject *sequence, PyObject *value);
ssize_t PyTuple_Size(PyObject *tuple);
PyObject *PyTuple_GetItem(PyObject *tuple, ssize_t index);
PyObject *PyCell_Get(PyObject *cell);
PyObject *PyObject_Call(PyObject *callable, PyObject *arguments, PyObject *named);
int PyDict_Contains(PyObject *dictionary, PyObject *key);
int Py_AddPendingCall(int (*function)(void *), void *data);
const char *PyUnicode_AsUTF8AndSize(PyObject *text, ssize_t *size);
int PyUnicode_Compare(PyObject *left, PyObject *right);
PyObject *PyUnicode_FromString(const char *text);
PyObject *PyLong_FromUnsignedLong(unsigned long value);
PyObject *PyLong_FromLong(long value);
long PyLong_AsLong(PyObject *number);
PyObject *PyErr_Occurred(void);
void PyErr_Clear(void);
PyObject *PyErr_Format(PyObject *type, const char *format, ...);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);
const char *Py_GetVersion(void);
unsigned long PyThread_get_thread_ident(void);
int PyGILState_Ensure(void);
void PyGILState_Release(int state);
struct PyThreadState *PyThreadState_Get(void);
struct PyThreadState *PyEval_SaveThread(void);
void PyEval_RestoreThread(struct PyThreadState *state);

PyObject *PyEval_GetFrame(void);
void PyEval_SetProfile(python_hook hook, PyObject *object);
int PyFrame_GetLineNumber(PyObject *frame);

/* 3.9 and newer */
PYTHON_WEAK PyObject *PyFrame_GetCode(PyObject *frame);
PYTHON_WEAK PyObject *PyFrame_GetBack(PyObject *frame);
PYTHON_WEAK PyObject *PyThreadState_GetFrame(struct PyThreadState *state);
/* 3.10 and newer */
PYTHON_WEAK int PyGC_Disable(void);
PYTHON_WEAK int PyGC_Enable(void);
/* up to 3.11 */
PYTHON_WEAK int _PyCode_GetExtra(PyObject *code, ssize_t index, void **extra);
PYTHON_WEAK int _PyCode_SetExtra(PyObject *code, ssize_t index, void *extra);
PYTHON_WEAK ssize_t _PyEval_RequestCodeExtraIndex(void (*destroy)(void *));
/* 3.12 and newer */
PYTHON_WEAK PyObject *PyFrame_GetVar(PyObject *frame, PyObject *name);
PYTHON_WEAK int PyUnstable_Code_GetExtra(PyObject *code, ssize_t index, void **extra);
PYTHON_WEAK int PyUnstable_Code_SetExtra(PyObject *code, ssize_t index, void *extra);
PYTHON_WEAK ssize_t PyUnstable_Eval_RequestCodeExtraIndex(void (*destroy)(void *));

#define Py_None (&_Py_NoneStruct)
