package differ

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Compiled is [Passes] for models, and also builds their code into one binary and runs it.
func (t *Toolchain) Compiled(models []*randomgraph.Model) (failures []*Failure, err error) {
	var ok []*checked
	for _, m := range models {
		c, f := check(m)
		switch {
		case f != nil:
			failures = append(failures, f)
		case len(c.sets) > 0:
			ok = append(ok, c)
		}
	}
	_, more, err := t.compiled(ok)
	return append(failures, more...), err
}

// compiled builds models that have passed into one binary and runs them. It returns the number of compared
// runs.
func (t *Toolchain) compiled(models []*checked) (compared int, failures []*Failure, err error) {
	dir, err := os.MkdirTemp(t.dir, "batch")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	b := &batch{Toolchain: t, dir: dir}
	if err := os.WriteFile(filepath.Join(dir, "importcfg"), t.imports, 0o666); err != nil {
		return 0, nil, err
	}
	for _, c := range models {
		if f := b.add(c); f != nil {
			failures = append(failures, f)
		}
	}
	if len(b.programs) == 0 {
		return 0, failures, nil
	}
	if err := b.build(); err != nil {
		return 0, failures, err
	}
	for _, s := range []Stage{Portable, Native} {
		n, more, err := b.compare(s)
		if err != nil {
			return compared, failures, err
		}
		compared += n
		failures = append(failures, more...)
	}
	return compared, failures, nil
}

// batch is programs that are linked into one binary.
type batch struct {
	*Toolchain
	dir      string
	programs []*checked
}

func packageName(i int) string { return fmt.Sprint("p", i) }

// add generates and compiles the code of a model.
func (b *batch) add(c *checked) *Failure {
	name := packageName(len(b.programs))
	var files []codegen.File
	err := guarded(func() (err error) {
		files, err = codegen.Generate(c.optimized, c.plan, codegen.Options{Package: name, Source: "random"})
		return err
	})
	if err != nil {
		return &Failure{c.model, Printing, -1, err}
	}
	var needed []codegen.File
	for _, f := range files {
		if !strings.HasSuffix(f.Path, "_test.go") {
			needed = append(needed, f)
		}
	}
	if err := b.compile(b.dir, name, needed); err != nil {
		return &Failure{c.model, Building, -1, err}
	}
	b.programs = append(b.programs, c)
	return nil
}

// build links the programs with a harness.
func (b *batch) build() error {
	config := bytes.NewBuffer(bytes.Clone(b.imports))
	var imports, list strings.Builder
	for i := range b.programs {
		name := packageName(i)
		fmt.Fprintf(config, "packagefile %s=%s\n", name, filepath.Join(b.dir, name+".a"))
		fmt.Fprintf(&imports, "\t%q\n", name)
		fmt.Fprintf(&list, "\t%s.Program,\n", name)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "importcfg"), config.Bytes(), 0o666); err != nil {
		return err
	}
	programs := "package main\n\nimport (\n\t\"github.com/bbgen/bbgen/runtime/model\"\n" + imports.String() + ")\n\nvar programs = []func() model.Program{\n" + list.String() + "}\n"
	files := []codegen.File{codegen.NewFile("main.go", harness), codegen.NewFile("programs.go", []byte(programs))}
	if err := b.compile(b.dir, "main", files); err != nil {
		return err
	}
	return b.link(b.dir)
}

// compare runs all programs at a level and compares their results.
func (b *batch) compare(s Stage) (compared int, failures []*Failure, err error) {
	for i := 0; i < len(b.programs); {
		p, err := b.start(s)
		if err != nil {
			return compared, failures, err
		}
		for ; i < len(b.programs); i++ {
			c := b.programs[i]
			n, f := p.check(i, c, s)
			compared += n
			if f != nil {
				failures = append(failures, f)
			}
			if p.died {
				i++
				break
			}
		}
		p.stop()
	}
	return compared, failures, nil
}

// judge compares the results of a run with those expected at a stage.
func (c *checked) judge(s Stage, set set, got []tensor.Value) error {
	if s == Portable {
		return identical(got, set.optimized)
	}
	return agrees(c.plain, set.in, got, set.want)
}
