@rem The scripts of package.json begin with the shell's exec, so that signals to npm reach Node itself; Windows' shell has none.
@%*
