package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/internal/cmd/view"
)

// example is a page of bbgen view.
type example struct {
	File, Title string
	args        []string // of bbgen view, the first a path below the source
}

var examples = []example{
	{"view-model.html", "A network for digits", []string{"examples/digits/digits.onnx"}},
	{"view-training.html", "A step of its training", []string{"examples/train/lenet.onnx", "--loss", "cross_entropy"}},
	{"view-program.html", "Federated averaging", []string{"examples/fedavg/program", "--peers", "client=8"}},
}

// writeExamples writes the pages of all examples.
func writeExamples(ctx context.Context, source, out string) error {
	for _, e := range examples {
		file := filepath.Join(out, e.File)
		if err := os.RemoveAll(file); err != nil {
			return err
		}
		cmd := view.Command()
		cmd.SetArgs(append([]string{filepath.Join(source, e.args[0]), "-o", file}, e.args[1:]...))
		cmd.SilenceUsage = true
		if err := cmd.ExecuteContext(ctx); err != nil {
			return fmt.Errorf("bbgen view %s: %w", e.args[0], err)
		}
	}
	return nil
}
