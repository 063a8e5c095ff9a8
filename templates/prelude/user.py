import scorep.user
