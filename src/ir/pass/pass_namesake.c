/* Names the scripts. Python searches the script's folder first, so a script with the name of a module
 * would take its place: in an import by Python itself, the bindings, a package that the notebook
 * imports, or in `python3 -m MODULE` of a cell, which would start the script again and again
 * (FINDINGS 2.16). So a script gets another name then. */
#include "base/paths.h"
#include "ir/passes.h"

/* Modules of Python's standard library, 3.8 to 3.14: sys.stdlib_module_names and those that were
 * added or removed between these versions, without private ones. */
static const char stdlib_modules[] =
        "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore "
        "atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar "
        "cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall "
        "compression concurrent configparser contextlib contextvars copy copyreg crypt csv "
        "ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email "
        "encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch "
        "formatter fractions ftplib functools gc genericpath getopt getpass gettext glob "
        "graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp "
        "importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale "
        "logging lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder "
        "msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers "
        "opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools "
        "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty "
        "pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline "
        "reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex "
        "shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 "
        "sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct "
        "subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib "
        "tempfile termios textwrap this threading time timeit tkinter token tokenize "
        "tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata "
        "unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound "
        "wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

/* Modules that other packages, or the processes that they start, import. Modules that the notebook
 * itself imports are found in the notebook. */
static const char common_modules[] =
        "sitecustomize usercustomize "
        "Cython IPython PIL absl accelerate aiohttp altair anndata anyio arrow astropy "
        "asttokens attr attrs babel bokeh boto3 botocore bs4 cachetools certifi cffi "
        "chardet charset_normalizer click cloudpickle colorama comm contourpy cryptography "
        "cupy cycler cython dask datasets dateutil debugpy decorator defusedxml dill "
        "distributed einops executing fastapi filelock flask fontTools frozenlist fsspec "
        "future git google graphviz greenlet grpc h5py httpx huggingface_hub idna imageio "
        "ipykernel ipywidgets jax jedi jinja2 joblib jsonschema jupyter_client jupyter_core "
        "keras kiwisolver lightning llvmlite lxml markdown markupsafe matplotlib "
        "matplotlib_inline mpi4py mpl_toolkits mpmath msgpack multidict multiprocess "
        "narwhals nbformat nest_asyncio netCDF4 networkx nltk numba numexpr numpy packaging "
        "pandas parso patsy pexpect pip pkg_resources platformdirs plotly polars "
        "prompt_toolkit psutil ptyprocess pyarrow pycparser pydantic pygments pyparsing "
        "pytest pytz pywt regex requests rich safetensors scipy seaborn setuptools six "
        "skimage sklearn sniffio soupsieve sqlalchemy statsmodels sympy tables tensorboard "
        "tensorflow threadpoolctl tokenizers toml tomli toolz torch torchvision tornado "
        "tqdm traitlets transformers triton typing_extensions tzdata tzlocal urllib3 "
        "wcwidth websocket wheel wrapt xarray xgboost yaml yarl zarr zipp zmq zstandard";

void pass_namesake(struct pass_context *context, struct program *program)
{
	struct slice chosen = context->options->script_name;
	struct slice script = path_file(chosen.len > 0 ? chosen : program->name);
	program->script = path_file(program->name);
	/* The program imports a module of this name, or Python or another package may. */
	bool is_module = slice_is_word_of(script, stdlib_modules) ||
	                 slice_is_word_of(script, common_modules);
	for (size_t i = 0; i < program->imports.count; i++)
		is_module |= slice_eq(program->imports.items[i].path, script);
	if (script.len == 0 || !is_module)
		return;
	if (chosen.len > 0)
		diag_add(context->diags, DIAG_NAME, (struct location){0},
		         "'%.*s.py' would hide the module '%.*s'; use another name",
		         SLICE_ARG(chosen), SLICE_ARG(script));
	else
		program->script =
		        arena_printf(context->arena, "%.*s_script", SLICE_ARG(program->script));
}
