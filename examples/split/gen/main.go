// Gen generates package whole: the training step of the network without a split.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/examples/split/program"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/train"
)

func main() {
	if err := write("whole"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files, err := generate("network.onnx")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Path), f.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the files of the package. The network is trained in the same way as its halves.
func generate(name string) ([]codegen.File, error) {
	m, err := onnx.ReadFile(name)
	if err != nil {
		return nil, err
	}
	o, err := train.NewOptimizer(program.Optimizer.Name)
	if err != nil {
		return nil, err
	}
	o.Rate, o.Momentum = program.Optimizer.Rate, program.Optimizer.Momentum
	how := train.Options{Loss: train.Loss{Name: "cross_entropy"}, Optimizer: o}
	r, err := bbgen.Compile(m, bbgen.Config{Package: "whole", Source: "network.onnx", Train: &how})
	if err != nil {
		return nil, err
	}
	return r.Files, nil
}
