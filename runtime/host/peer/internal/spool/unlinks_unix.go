//go:build unix

package spool

// unlinks says that a file may lose its name while it is open.
const unlinks = true
