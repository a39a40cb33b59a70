// Package state is the directory that a peer keeps between two runs: who else may open it,
// what its files are called, and how a file shows that it is whole.
//
// Files that people may read are JSON with a checksum ([Seal], [Unseal]). A [Snapshot] is
// written beside the last one and takes its place when it is safe; the one before is kept
// for the case that the last is damaged. The package knows no other content of its files.
package state
