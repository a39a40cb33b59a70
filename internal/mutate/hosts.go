package main

// hosts is the mutants of package runtime/host/peer and what it stands on.
var hosts = []Mutant{}
