// Package record records the distributed program in a Go package as an artifact. It builds and runs a small
// main that calls package dsl. Mistakes of the author are reported with the author's file and line.
package record
