package project

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/engine"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// ProgramOptions say what [CompileProgram] makes.
type ProgramOptions struct {
	Source string                           // what the program was recorded from, as its author writes it
	Dir    string                           // where the author's Go types and model files are looked for
	Hosts  []string                         // what peers talk over: [Home.Network]
	Joins  [][]string                       // classes that one peer runs together: a main for each
	Stage  func(string)                     // told each stage as it ends
	Split  func(*ir.Module) error           // gives nodes their classes when all passes have run; nil: the program did
	Cut    func(*partitioner.Program) error // asked before code is made; nil: nobody asks
	Make   partitioner.Options
}

// CompileProgram returns the files of a distributed program in home: for each
// class of peers a main and a package called partition, and in sim a main that
// runs all of them in one process. It rewrites m.
func CompileProgram(m *ir.Module, home Home, opt ProgramOptions) ([]codegen.File, error) {
	c := &programCompiler{ProgramOptions: opt, home: home}
	if err := pass.Run(m, pass.Pipeline, opt.Stage); err != nil {
		return nil, err
	}
	if err := engine.Merge(m); err != nil {
		return nil, err
	}
	var err error
	if opt.Split != nil {
		if err = opt.Split(m); err != nil {
			return nil, err
		}
		c.stage("split")
	}
	if c.types, err = bind.Load(m, opt.Dir); err != nil {
		return nil, err
	}
	c.stage("bind")
	c.Make.Command = c.types.Command
	if c.prog, err = partitioner.Make(m, c.Make); err != nil {
		return nil, err
	}
	c.stage("cut")
	if opt.Cut != nil {
		if err := opt.Cut(c.prog); err != nil {
			return nil, err
		}
	}
	return c.print()
}

// programCompiler makes the files of one program.
type programCompiler struct {
	ProgramOptions
	home  Home
	types *bind.Types
	prog  *partitioner.Program
	out   []codegen.File
}

func (c *programCompiler) stage(name string) {
	if c.Stage != nil {
		c.Stage(name)
	}
}

// pkg is the import path of a class's package.
func (c *programCompiler) pkg(class string) string {
	return path.Join(c.home.Import, class, "partition")
}

// mains prints the programs: one for each target, and one that simulates all.
func (c *programCompiler) mains(targets []codegen.Target) error {
	var classes []string
	for _, p := range c.prog.Parts {
		classes = append(classes, p.Class)
	}
	for _, t := range targets {
		main, err := codegen.PeerMain(c.prog.Name, classes, t, c.Hosts)
		if err != nil {
			return err
		}
		c.out = append(c.out, codegen.File{Path: path.Join(t.Class(), "main.go"), Data: main})
	}
	main, err := codegen.SimMain(c.prog.Name, targets)
	if err != nil {
		return err
	}
	c.out = append(c.out, codegen.File{Path: "sim/main.go", Data: main})
	return nil
}

func (c *programCompiler) print() ([]codegen.File, error) {
	var targets []codegen.Target
	for _, p := range c.prog.Parts {
		if p.Class == "sim" {
			return nil, fmt.Errorf("%s: a class is called sim, which is the folder of the simulation: choose another name", c.Source)
		}
		if err := c.partition(p); err != nil {
			return nil, err
		}
		targets = append(targets, c.target(p.Class))
	}
	for _, list := range c.Joins {
		if err := c.checkJoin(list); err != nil {
			return nil, err
		}
		targets = append(targets, c.target(list...))
	}
	if err := c.mains(targets); err != nil {
		return nil, err
	}
	c.stage("print")
	if !c.home.Own {
		return c.out, nil
	}
	vendor, err := Vendor(c.home.Import, Imports(c.out))
	return append(c.out, vendor...), err
}

// partition makes the files of one class.
func (c *programCompiler) partition(p *partitioner.Partition) error {
	models, err := c.models(p)
	if err != nil {
		return err
	}
	components, err := c.types.Components(p, models)
	if err != nil {
		return err
	}
	files, err := codegen.GeneratePartition(p, codegen.PartitionOptions{Package: "partition", Source: c.Source, Components: components})
	if err != nil {
		return err
	}
	c.put(path.Join(p.Class, "partition"), files)
	return nil
}

// target is what peers of some classes run, which are one peer's.
func (c *programCompiler) target(classes ...string) codegen.Target {
	t := codegen.Target{Classes: slices.Sorted(slices.Values(classes))}
	for _, class := range t.Classes {
		t.Packages = append(t.Packages, c.pkg(class))
	}
	return t
}

// checkJoin says what is wrong with classes that one peer is to run together.
func (c *programCompiler) checkJoin(classes []string) error {
	var all []string
	for _, p := range c.prog.Parts {
		all = append(all, p.Class)
	}
	name := strings.Join(classes, "+")
	for i, class := range classes {
		if !slices.Contains(all, class) {
			return fmt.Errorf("join %s: there is no class %q; there are: %s", name, class, strings.Join(all, ", "))
		}
		if slices.Contains(classes[:i], class) {
			return fmt.Errorf("join %s: %s stands there twice", name, class)
		}
	}
	if len(classes) < 2 {
		return fmt.Errorf("join %s: want two classes at least, as in client+server", name)
	}
	return nil
}

func (c *programCompiler) put(dir string, files []codegen.File) {
	for _, f := range files {
		c.out = append(c.out, codegen.File{Path: path.Join(dir, f.Path), Data: f.Data})
	}
}
