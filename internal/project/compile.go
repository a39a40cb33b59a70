package project

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
)

// Options say what [Compile] makes.
type Options struct {
	Package    string         // "" is a program with a package called model below it
	Bind       map[string]int // symbolic dimensions to fix
	Verbs      codegen.Verbs  // what the program can do beside the usual
	Sidecar    bool           // weights stay in a file of their own
	NoWinograd bool           // no convolution is computed by Winograd's transforms
	Choices    *pass.Choices  // nil goes by the cost model
	Stage      func(string)   // told each stage as it ends
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
	return CompileModel(m, input, home, opt)
}

// CompileModel is [Compile] for a model that has been read from input.
func CompileModel(m *ir.Module, input string, home Home, opt Options) ([]codegen.File, error) {
	name := opt.Package
	if name == "" {
		name = "model"
	}
	golden := goldenData(input)
	pkg, err := bbgen.Compile(m, bbgen.Options{
		Options:    codegen.Options{Package: name, Source: filepath.Base(input), Sidecar: opt.Sidecar, Golden: golden != nil},
		Bind:       opt.Bind,
		NoWinograd: opt.NoWinograd,
		Choices:    opt.Choices,
		Stage:      opt.Stage,
	})
	if err != nil {
		return nil, err
	}
	pkg = append(pkg, golden...)
	files, err := Peer(home, opt.Package, pkg, opt.Verbs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input, err)
	}
	return files, nil
}

// maxGolden is how many bytes of test data a package may carry.
const maxGolden = 4 << 20

// goldenData is the test data beside a model, as ONNX's own cases have it: they
// become the generated package's test.
func goldenData(input string) []codegen.File {
	list, err := filepath.Glob(filepath.Join(filepath.Dir(input), "test_data_set_0", "*put_*.pb"))
	if err != nil {
		return nil
	}
	var out []codegen.File
	size := 0
	for _, name := range list {
		b, err := os.ReadFile(name)
		if size += len(b); err != nil || size > maxGolden {
			return nil
		}
		out = append(out, codegen.File{Path: "testdata/" + filepath.Base(name), Data: b})
	}
	return out
}
