// Package project writes generated packages to disk: as part of an existing module, or as a module of their
// own that includes the runtime's sources. It first writes to a temporary folder and then moves files into
// place, and never changes a file that bbgen has not written.
package project

//go:generate go run ./vendorgen
