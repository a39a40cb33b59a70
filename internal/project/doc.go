// Package project puts generated packages on disk: as part of the module that
// is there, or as a module of their own that carries the runtime's sources. It
// writes beside the destination first and moves files into place last, and it
// never touches a file that bbgen did not write.
package project

//go:generate go run ./vendorgen
