package record

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Input is the input of a command.
type Input struct {
	*ir.Module
	Source string // the name in generated files
	Dir    string // the folder in which Go types and files are looked up
}

// Read reads a model or an artifact, or records the program in the Go package of a folder.
func Read(ctx context.Context, arg string) (*Input, error) {
	if !IsPackage(arg) && filepath.Ext(arg) == ".go" {
		return nil, fmt.Errorf("%s is a Go file, want an ONNX file or the folder of a Go package, such as ./%s", arg, filepath.ToSlash(filepath.Dir(arg)))
	}
	if !IsPackage(arg) {
		m, err := onnx.ReadFile(arg)
		return &Input{m, filepath.Base(arg), filepath.Dir(arg)}, err
	}
	a, err := Package(ctx, arg)
	if err != nil {
		return nil, err
	}
	m, err := onnx.Decode(arg, a.Model, nil)
	return &Input{m, a.Package, a.Dir}, err
}
