package randomprogram

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/partitioner"
)

// Typechecker prints programs as Go, and checks the types of that. It compiles nothing, so it takes milliseconds.
type Typechecker struct {
	exports map[string]string // files with what packages export, by import path
}

// NewTypechecker compiles the packages that generated code imports, in the working directory's module.
func NewTypechecker() (*Typechecker, error) {
	const runtime = "github.com/bbgen/bbgen/runtime"
	cmd := exec.Command("go", "list", "-trimpath", "-deps", "-export", "-f", "{{.ImportPath}}={{.Export}}", runtime, runtime+"/collective", runtime+"/cpu/...", "embed", "strings")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaint.String())
	}
	t := &Typechecker{map[string]string{}}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		t.exports[path] = file
	}
	return t, nil
}

// check checks the types of all partitions of a program.
func (t *Typechecker) check(prog *partitioner.Program) error {
	for _, part := range prog.Parts {
		components, source, err := stubs(part)
		if err != nil {
			return err
		}
		plan, err := peerplan.Make(part, components)
		if err != nil {
			return err
		}
		files, err := codegen.GeneratePartition(plan, codegen.Options{Package: "partition", Source: prog.Name})
		if err != nil {
			return fmt.Errorf("class %s: %w", part.Class, err)
		}
		if err := t.types(source, files); err != nil {
			return fmt.Errorf("class %s: %w", part.Class, err)
		}
	}
	return nil
}

// types checks the types of files that import a package of components.
func (t *Typechecker) types(parts string, files []codegen.File) error {
	fset := token.NewFileSet()
	from := &imports{Importer: importer.ForCompiler(fset, "gc", t.open)}
	pkg, err := from.check(fset, partsPath, codegen.NewFile("parts.go", []byte(parts)))
	if err != nil {
		return fmt.Errorf("BUG: a stub: %w\n%s", err, parts)
	}
	from.parts = pkg
	_, err = from.check(fset, "bbgen.local/partition", files...)
	return err
}

// open returns what a package exports.
func (t *Typechecker) open(path string) (io.ReadCloser, error) {
	file := t.exports[path]
	if file == "" {
		return nil, fmt.Errorf("generated code imports %s", path)
	}
	return os.Open(file)
}

// imports imports the components, and packages of the runtime.
type imports struct {
	types.Importer
	parts *types.Package
}

// Import imports a package.
func (i *imports) Import(path string) (*types.Package, error) {
	if path == partsPath {
		return i.parts, nil
	}
	return i.Importer.Import(path)
}

// check checks a package.
func (i *imports) check(fset *token.FileSet, path string, files ...codegen.File) (*types.Package, error) {
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		p, err := parser.ParseFile(fset, f.Path, f.Bytes(), parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, f.Bytes())
		}
		parsed = append(parsed, p)
	}
	var errs []error
	conf := types.Config{Importer: i, Error: func(err error) {
		if len(errs) < 5 {
			errs = append(errs, errors.Join(err, errors.New(line(files, err))))
		}
	}}
	pkg, _ := conf.Check(path, fset, parsed, nil)
	return pkg, errors.Join(errs...)
}

// line returns the line of a type error.
func line(files []codegen.File, err error) string {
	var e types.Error
	if !errors.As(err, &e) {
		return ""
	}
	at := e.Fset.Position(e.Pos)
	for _, f := range files {
		if lines := strings.Split(string(f.Bytes()), "\n"); f.Path == at.Filename && at.Line <= len(lines) {
			return lines[at.Line-1]
		}
	}
	return ""
}
