package project

import (
	"path"
	"path/filepath"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/recompute"
	"github.com/bbgen/bbgen/ir/train"
)

// TrainOptions say what [CompileTrainer] makes.
type TrainOptions struct {
	Source string         // the model's file
	Bind   map[string]int // symbolic dimensions to fix
	Host   string         // the package below runtime/host that runs the trainer
	Stage  func(string)   // told each stage as it ends

	// Recomputed is told what a limit of memory cost; nil if nobody listens.
	Recomputed func(*recompute.Report)
}

// CompileTrainer returns the files of a program that trains a model, in home: a
// package called model, and a main that hands it to its host. It rewrites m.
func CompileTrainer(m *ir.Module, how train.Options, home Home, opt TrainOptions) ([]codegen.File, error) {
	pkg, err := bbgen.CompileTrainer(m, how, bbgen.Options{
		Options: codegen.Options{Package: "model", Source: filepath.Base(opt.Source)},
		Bind:    opt.Bind,
		Stage:   opt.Stage,

		Recomputed: opt.Recomputed,
	})
	if err != nil {
		return nil, err
	}
	var out []codegen.File
	for _, f := range pkg {
		out = append(out, codegen.File{Path: path.Join("model", f.Path), Data: f.Data})
	}
	main, err := codegen.TrainMain(path.Join(home.Import, "model"), opt.Host)
	if err != nil {
		return nil, err
	}
	out = append(out, codegen.File{Path: "main.go", Data: main})
	if !home.Own {
		return out, nil
	}
	vendor, err := Vendor(home.Import, Imports(out))
	return append(out, vendor...), err
}
