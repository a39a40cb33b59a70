package project

import (
	"fmt"
	"path/filepath"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Options say what [Compile] makes.
type Options struct {
	Package string         // "" is a program with a package called model below it
	Bind    map[string]int // symbolic dimensions to fix
	Serve   bool           // the program has the verb serve
	Sidecar bool           // weights stay in a file of their own
	Stage   func(string)   // told each stage as it ends
}

// Compile reads a model and returns the files of its peer in home.
func Compile(input string, home Home, opt Options) ([]codegen.File, error) {
	m, err := onnx.ReadFile(input)
	if err != nil {
		return nil, err
	}
	if opt.Stage != nil {
		opt.Stage("read")
	}
	name := opt.Package
	if name == "" {
		name = "model"
	}
	pkg, err := bbgen.Compile(m, bbgen.Options{
		Options: codegen.Options{Package: name, Source: filepath.Base(input), Sidecar: opt.Sidecar},
		Bind:    opt.Bind,
		Stage:   opt.Stage,
	})
	if err != nil {
		return nil, err
	}
	files, err := Peer(home, opt.Package, pkg, opt.Serve)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input, err)
	}
	return files, nil
}
