// Package tools is the module of what bbgen's developers run: a go.mod of its
// own, so that a linter's dependencies are not those of the compiler.
//
//	GOWORK=off go tool -modfile=tools/go.mod staticcheck ./...
//
// GOWORK=off is needed because go.work and -modfile exclude each other.
package tools
