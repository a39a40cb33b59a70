// Gen generates package model: the training step of transformer.onnx.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/train"
)

func main() {
	files, err := Generate("transformer.onnx")
	for _, f := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join("model", f.Path), f.Bytes(), 0o666)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// Generate returns the files of the package.
func Generate(name string) ([]codegen.File, error) {
	m, err := onnx.ReadFile(name)
	if err != nil {
		return nil, err
	}
	adamw, err := train.NewOptimizer("adamw")
	if err != nil {
		return nil, err
	}
	how := train.Options{Loss: train.Loss{Name: "cross_entropy", Axis: -1}, Optimizer: adamw, ClipNorm: 1}
	r, err := bbgen.Compile(m, bbgen.Config{Package: "model", Source: "transformer.onnx", Train: &how})
	if err != nil {
		return nil, err
	}
	return r.Files, nil
}
