// Package web is the command line of a training peer with a page: that of package train, with the flag -http.
// It is a separate package so that a peer without a page links no network.
package web

import (
	"os"

	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/model"
)

// Main trains a program according to the command line, and exits.
func Main(p model.TrainProgram) {
	os.Exit(train.Do(p, os.Args[1:], os.Stdout, os.Stderr, &Page{}))
}
