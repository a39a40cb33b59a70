// Package vet reports mistakes in programs that are written with package dsl, as go vet does for Go: unused
// results, edges with a missing end, and quorums that cannot be reached. It only reads sources; bbgen vet
// also records the program and finds mistakes that only the record shows.
//
// Drivers of golang.org/x/tools/go/analysis take the [Analyzer]: a main of one's own that calls
// unitchecker.Main(vet.Analyzer) is a tool for go vet -vettool, and one that calls
// multichecker.Main runs it beside others.
package vet
