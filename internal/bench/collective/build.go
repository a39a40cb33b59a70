package main

import (
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/train"
)

// here is the import path of this program.
const here = "github.com/bbgen/bbgen/internal/bench/collective"

// buildAll builds all programs into a folder, as static binaries: this program, the worker, and two trainers
// for each model: for one peer alone and for peers that share each batch.
func buildAll(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, pkg := range map[string]string{"collective": here, "worker": here + "/worker"} {
		tell("building %s", name)
		if err := (gobuild.Build{Packages: []string{pkg}, Out: filepath.Join(dir, name)}).Run(); err != nil {
			return err
		}
	}
	for _, m := range models {
		for _, host := range []string{alone, together} {
			if err := m.build(filepath.Join(dir, m.name+"-"+host), host); err != nil {
				return err
			}
		}
	}
	return nil
}

// The packages below runtime/host that run a trainer.
const (
	alone    = "train"
	together = "dataparallel"
)

// build builds a trainer with Adam.
func (m *model) build(bin, host string) error {
	tell("generating and building %s", filepath.Base(bin))
	module, err := onnx.ReadFile(m.file)
	if err != nil {
		return err
	}
	adam, err := train.NewOptimizer("adam")
	if err != nil {
		return err
	}
	tmp, remove, err := project.TempDir("", "bbgen-bench-*")
	if err != nil {
		return err
	}
	defer remove()
	home := project.Home{Dir: filepath.Join(tmp, "peer"), Import: "peer.bbgen.local", Own: true}
	r, err := bbgen.Compile(module, bbgen.Config{
		Source: filepath.Base(m.file), Import: home.Import, Hosts: []string{host},
		Train: &train.Options{Loss: train.Loss{Name: "cross_entropy", Axis: m.axis}, Optimizer: adam, Split: host == together},
	})
	if err != nil {
		return err
	}
	if err := project.Write(home, r.Files); err != nil {
		return err
	}
	return project.GoBuild(home.Dir, bin)
}
