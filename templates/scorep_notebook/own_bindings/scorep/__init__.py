"""The API of Score-P's Python bindings, over nbscorep's own recorder (_recorder.py), or over nothing where the
script runs unmeasured. A script that uses it runs under Score-P's own bindings just as well."""
