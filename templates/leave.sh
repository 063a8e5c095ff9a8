
# However this script ends, up to where another program replaces it.
nbscorep_leave() {
  nbscorep_status=$?
  set +e
@steps@}
trap nbscorep_leave EXIT
