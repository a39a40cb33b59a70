//go:build unix

package spool

// unlinks reports whether an open file may lose its name.
const unlinks = true
