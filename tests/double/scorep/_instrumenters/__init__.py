"""The instrumenters that --instrumenter-type chooses from."""
