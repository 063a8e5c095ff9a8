# The experiment directory is in the set's folder, or below the absolute path that was given.
if [ -n "$nbscorep_results" ]; then
  case ${SCOREP_EXPERIMENT_DIRECTORY:-} in
    '')
      SCOREP_EXPERIMENT_DIRECTORY=$nbscorep_results/scorep
      [ "${SLURM_RESTART_COUNT:-0}" = 0 ] || SCOREP_EXPERIMENT_DIRECTORY+=-restart$SLURM_RESTART_COUNT
      ;;
    /*) SCOREP_EXPERIMENT_DIRECTORY+=/set-$nbscorep_set ;;
    *) SCOREP_EXPERIMENT_DIRECTORY=$nbscorep_results/$SCOREP_EXPERIMENT_DIRECTORY ;;
  esac
  export SCOREP_EXPERIMENT_DIRECTORY
fi
