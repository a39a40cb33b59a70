package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/types"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// dslPath is the import path of package dsl.
const dslPath = "github.com/bbgen/bbgen/dsl"

// ErrNoProgram is wrapped by errors about packages without a program.
var ErrNoProgram = errors.New("no program")

// ErrLibrary is wrapped by errors about packages without a function Program, whose modules have slots: another package
// binds these.
var ErrLibrary = errors.New("a library of modules")

// source is a package with a program.
type source struct {
	dir     string
	path    string   // import path
	module  string   // of the package; "" if there is none
	root    string   // the folder of the module
	name    string   // of the package
	program bool     // it has a function Program
	modules []string // the types to make a program of, if it has no function Program
}

// load finds the program in the package of a folder.
func load(ctx context.Context, dir string) (*source, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	list, err := packages.Load(&packages.Config{
		Context: ctx,
		Dir:     abs,
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedImports | // what it imports is read as compiled
			packages.NeedFiles | packages.NeedModule,
	}, ".")
	if err == nil && len(list) == 0 {
		err = listed(ctx, abs)
	}
	if err != nil && strings.Contains(err.Error(), "go.mod file not found") {
		return nil, fmt.Errorf("%s is a folder outside of any Go module, want an ONNX file or the folder of a Go package", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the go command cannot load the package: %s", dir, said(err))
	}
	p := list[0]
	if err := Wrong(p); err != nil {
		return nil, err
	}
	if p.Name == "main" {
		return nil, fmt.Errorf("%s is package main, which nothing can import: move the program to a package of its own", dir)
	}
	s := &source{dir: abs, path: p.PkgPath, name: p.Name}
	if p.Module != nil {
		s.module, s.root = p.Module.Path, p.Module.Dir
	}
	return s, s.find(dir, p.Types)
}

// Wrong returns the errors of a package. Those of the type checker are also reported by the go command.
func Wrong(p *packages.Package) error {
	checked := slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.TypeError })
	var errs []error
	for _, e := range p.Errors {
		if !checked || e.Kind != packages.ListError {
			e.Msg = missing(p, e.Msg)
			errs = append(errs, errors.New(near(e)))
		}
	}
	return errors.Join(errs...)
}

// missing replaces the type checker's message about an import that it cannot find by that of the go command,
// which says how to get the package.
func missing(p *packages.Package, msg string) string {
	rest, ok := strings.CutPrefix(msg, "could not import ")
	path, _, _ := strings.Cut(rest, " ")
	if im := p.Imports[path]; ok && im != nil && len(im.Errors) > 0 {
		return im.Errors[0].Msg
	}
	return msg
}

// said returns the go command's error text, without the text that package packages adds.
func said(err error) string {
	if _, text, ok := strings.Cut(err.Error(), "stderr: "); ok {
		return strings.TrimSpace(text)
	}
	return err.Error()
}

// listed returns the error of the go command for the package in a folder, which package packages does not return in some
// cases, such as a go.mod that is not up to date.
func listed(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "list", ".")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err == nil {
		return errors.New("it finds no package")
	}
	return errors.New(strings.TrimSpace(string(text)))
}

// near returns an error of the go command or the type checker with a relative file name.
func near(e packages.Error) string {
	file, rest, ok := strings.Cut(e.Pos, ":")
	if !ok {
		return e.Msg
	}
	return FromHere(file) + ":" + rest + ": " + e.Msg
}

// FromHere returns a file name relative to the working directory, if the file is below it.
func FromHere(file string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(here, file)
	if err != nil || strings.HasPrefix(rel, "..") {
		return file
	}
	return filepath.ToSlash(rel)
}

// find finds the function Program, or else modules.
func (s *source) find(dir string, p *types.Package) error {
	dsl := imported(p, dslPath)
	if dsl == nil {
		return fmt.Errorf("%s does not import %s: there is %w in it", dir, dslPath, ErrNoProgram)
	}
	program := dsl.Scope().Lookup("Program").Type()
	module := dsl.Scope().Lookup("Module").Type().Underlying().(*types.Interface)
	if f, ok := p.Scope().Lookup("Program").(*types.Func); ok {
		sig := f.Signature()
		if sig.Params().Len() > 0 || sig.Results().Len() != 1 || !types.Identical(sig.Results().At(0).Type(), program) {
			return fmt.Errorf("%s: func Program has the type %s, want func() dsl.Program", dir, sig)
		}
		s.program = true
		return nil
	}
	for _, name := range p.Scope().Names() {
		t, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || !t.Exported() || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		switch {
		case types.Implements(t.Type(), module):
			s.modules = append(s.modules, name+"{}")
		case types.Implements(types.NewPointer(t.Type()), module):
			s.modules = append(s.modules, "&"+name+"{}")
		}
	}
	if s.modules == nil {
		return fmt.Errorf("%s has %w: neither func Program() dsl.Program nor exported types that are dsl.Modules", dir, ErrNoProgram)
	}
	return nil
}

func imported(p *types.Package, path string) *types.Package {
	for _, im := range p.Imports() {
		if im.Path() == path {
			return im
		}
	}
	return nil
}

// main returns the source of a program that writes the artifact to a given file.
func (s *source) main() []byte {
	program := "author.Program()"
	if !s.program {
		list := make([]string, len(s.modules))
		for i, m := range s.modules {
			list[i] = strings.Replace("author."+m, "author.&", "&author.", 1)
		}
		program = fmt.Sprintf("dsl.Program{Name: %q, Modules: []dsl.Module{%s}}", s.name, strings.Join(list, ", "))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `package main

import (
	"fmt"
	"os"

	"github.com/bbgen/bbgen/dsl"

	author %q
)

func main() {
	model, err := dsl.Build(%s)
	if err == nil {
		err = os.WriteFile(os.Args[1], model, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`, s.path, program)
	return b.Bytes()
}
