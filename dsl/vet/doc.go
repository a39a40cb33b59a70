// Package vet looks for mistakes in programs that are written with package dsl, as go vet
// does in Go: results that nobody reads, edges of which one end is missing, and quorums that
// are never reached. It reads sources, and runs nothing; bbgen vet records the program as
// well, and sees what only the record shows.
//
// Drivers of golang.org/x/tools/go/analysis take the [Analyzer]: a main of one's own that calls
// unitchecker.Main(vet.Analyzer) is a tool for go vet -vettool, and one that calls
// multichecker.Main runs it beside others.
package vet
