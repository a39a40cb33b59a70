// Package codegen prints a plan as Go files. It is the only package that knows
// what generated code looks like, and the only one that imports jennifer.
package codegen

// The packages that generated code imports.
const (
	pkgRuntime = "github.com/bbgen/bbgen/runtime"
	pkgCPU     = "github.com/bbgen/bbgen/runtime/cpu"
	pkgTensor  = "github.com/bbgen/bbgen/runtime/tensor"
)

// Options say how the code is to look.
type Options struct {
	Package string // the package's name
	Source  string // the base name of the file it comes from
	Sidecar bool   // weights stay in a file beside the binary
	Golden  bool   // testdata holds inputs and outputs for the package's test
}

// File is one generated file; Path is relative to the package's folder.
type File struct {
	Path string
	Data []byte
}
