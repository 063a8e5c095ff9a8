# requires: on_import
# Outside of Jupyter pandas takes any output for a terminal and shows as many columns as fit.
_nbscorep_on_import("pandas", lambda pandas: pandas.set_option("display.max_columns", 20))
