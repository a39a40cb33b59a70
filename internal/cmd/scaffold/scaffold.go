// Package scaffold implements bbgen new and bbgen init, which create a project: a module, or a folder of one,
// that builds, runs and passes its test.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

//go:embed templates
var files embed.FS

// template is the initial content of a project: the files of its folder, files shared with other templates,
// and the commands that generate the other files.
type template struct {
	short  string
	shared map[string]string // files of the folder shared, by their new names
	run    [][]string        // arguments of bbgen; DIR is replaced by the folder
}

// flowers trains the classifier of flowers.
var flowers = [][]string{
	{"train", "DIR/model.onnx", "--data", "DIR/data.csv", "--lr", "0.05", "--epochs", "100", "--batch", "10", "--val-split", "0", "--standardize", "--checkpoint", "DIR/.checkpoint", "-q", "-o", "DIR/trained.onnx"},
	{"DIR/trained.onnx", "-o", "DIR/model", "--package", "model", "-q"},
}

var (
	flowerFiles = map[string]string{"model.onnx": "classifier.ir", "data.csv": "flowers.csv"}
	peers       = [][]string{{"DIR/program", "-o", "DIR/peer", "--host", "tcp", "-q"}}
)

var templates = map[string]template{
	"classify":     {"a classifier in a Go program", flowerFiles, flowers},
	"train":        {"a network that learns a CSV file", flowerFiles, flowers},
	"serve":        {"an HTTP server with a model inside", flowerFiles, flowers},
	"federated":    {"federated averaging", map[string]string{"model.onnx": "classifier.ir"}, peers},
	"gossip":       {"peers of one class that send each other their values", nil, peers},
	"allreduce":    {"peers that compute together", nil, peers},
	"remote":       {"a program that computes on another machine", map[string]string{"model.onnx": "classifier.ir"}, nil},
	"dataparallel": {"workers that train one model", map[string]string{"model.onnx": "classifier.ir"}, peers},
	"digits":       {"a network written in Go, which learns to read digits", nil, nil},
	"regress": {"a regression in a Go program", map[string]string{"model.onnx": "regressor.ir", "data.csv": "prices.csv"}, [][]string{
		{"train", "DIR/model.onnx", "--data", "DIR/data.csv", "--loss", "mse", "--optimizer", "momentum", "--lr", "0.05", "--epochs", "100", "--batch", "20", "--val-split", "0", "--standardize", "--checkpoint", "DIR/.checkpoint", "-q", "-o", "DIR/trained.onnx"},
		{"DIR/trained.onnx", "-o", "DIR/model", "--package", "model", "-q"},
	}},
	"split": {"a model in two parts, each on a peer of its own", map[string]string{"model.onnx": "classifier.ir"}, [][]string{
		{"DIR/model.onnx", "--split", "2", "--assume", "batch=1", "-o", "DIR/peer", "--host", "tcp", "-q"},
	}},
}

// names returns the names of the templates.
func names() []string { return slices.Sorted(maps.Keys(templates)) }

// list describes the templates, one per line.
func list() string {
	var b strings.Builder
	for _, name := range names() {
		fmt.Fprintf(&b, "  %-12s %s\n", name, templates[name].short)
	}
	return b.String()
}

// find returns the template with the given name.
func find(name string) (template, error) {
	t, ok := templates[name]
	if !ok {
		if name == "" {
			return t, cli.Usagef("which template? give --template, one of %s", strings.Join(names(), ", "))
		}
		return t, cli.Usagef("--template is %q, want one of %s", name, strings.Join(names(), ", "))
	}
	return t, nil
}

// write writes a template's files into a folder with the import path module.
func (t *template) write(kind, dir, module string) error {
	root := path.Join("templates", kind)
	err := fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		text := strings.NewReplacer("MODULE", module, "NAME", path.Base(module)).Replace(string(b))
		return put(dir, strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".tmpl"), []byte(text))
	})
	for to, from := range t.shared {
		b, readErr := files.ReadFile(path.Join("templates/shared", from))
		if readErr == nil && strings.HasSuffix(from, ".ir") {
			b, readErr = model(from, b)
		}
		err = errors.Join(err, readErr, put(dir, to, b))
	}
	if kind == "split" {
		features := tensor.Of([]float32{5, 1.5}, 1, 2)
		err = errors.Join(err, put(dir, "testdata/features.pb", tensorio.AppendTensor(nil, "features", features)))
	}
	return err
}

// model returns the ONNX file of a graph's text form.
func model(name string, text []byte) ([]byte, error) {
	m, err := ir.Parse(name, string(text))
	if err != nil {
		return nil, err
	}
	return onnx.Encode(m)
}

// put writes a file, unless a different one exists.
func put(dir, name string, b []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if old, err := os.ReadFile(file); err == nil && !bytes.Equal(old, b) {
		return fmt.Errorf("%s is in the way: move it or choose another folder", file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o666)
}

// generate runs the command lines of a template.
func (t *template) generate(cmd *cobra.Command, dir string) error {
	root := cmd.Root()
	for _, line := range t.run {
		args := make([]string, len(line))
		for i, arg := range line {
			args[i] = strings.ReplaceAll(arg, "DIR", dir)
		}
		root.SetArgs(args)
		if err := root.ExecuteContext(cmd.Context()); err != nil {
			return fmt.Errorf("bbgen %s: %w", strings.Join(args, " "), err)
		}
	}
	return os.RemoveAll(filepath.Join(dir, ".checkpoint"))
}
