// Package generated holds generated packages, one a folder with the graph
// that it comes from: they show what bbgen writes, and are built, compared byte
// for byte and run by the tests.
package generated
