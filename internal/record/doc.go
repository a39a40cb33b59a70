// Package record turns a Go package in which a distributed program is written into
// the program's artifact. It builds and runs a small main that calls package dsl;
// what the author did wrong comes back with the author's file and line.
package record
