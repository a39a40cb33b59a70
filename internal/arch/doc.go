// Package arch holds bbgen's architecture as a test: which package may import
// which, and what a package of the runtime may never do. It has no code of its
// own.
//
// A new package needs a row in rules_test.go, and so does a new import between
// packages. Ask first whether the arrow belongs there: a shipped binary holds
// no compiler, the graph knows neither its operators nor its file format, and
// only runtime/host touches the world.
//
// The test reads the source files itself. One that asked the go command would
// pass from the test cache, which sees only the files that a test opens.
package arch
