// Package web is the command line of a training peer whose training can be watched: that of
// package train, with a page at -http. It is a package of its own so that a peer without a
// page links no network.
package web

import (
	"os"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/train"
)

// Main trains a program as the command line says, and exits.
func Main(p runtime.TrainProgram) {
	os.Exit(train.Do(p, os.Args[1:], os.Stdout, os.Stderr, &Page{}))
}
