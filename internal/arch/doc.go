// Package arch tests bbgen's architecture: the imports that each package may have, and restrictions on
// packages of the runtime. It has no code of its own.
//
// A new package needs a row in rules_test.go, and so does a new import between packages. Consider first
// whether the dependency is right: a shipped binary contains no compiler, the graph depends neither on its
// operators nor on its file format, and only runtime/host accesses the outside world. The message of a refused
// import says why, by the group of packages: see reasons_test.go, in which a group of its own needs a line.
//
// The test reads the source files itself. If it ran the go command, its result would be cached, as the test
// cache only tracks files that a test opens.
package arch
