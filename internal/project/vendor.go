package project

import (
	_ "embed"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
)

// deps.txtar holds the sources of the runtime's own dependencies, as package
// vendorgen found them in the module cache.
//
//go:embed deps.txtar
var depsArchive []byte

// imports returns the import paths of Go files, each once, sorted.
func imports(files []codegen.File) []string {
	var out []string
	for _, f := range files {
		if path.Ext(f.Path) != ".go" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Bytes(), parser.ImportsOnly)
		if err != nil {
			panic("BUG: generated " + f.Path + ": " + err.Error())
		}
		for _, im := range parsed.Imports {
			p, _ := strconv.Unquote(im.Path.Value)
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// vendored returns the vendor folder of a module with packages that import the given
// paths, and its go.mod.
func vendored(module string, imports []string) ([]codegen.File, error) {
	v := &vendor{src: map[string]map[string][]byte{}, need: map[string]bool{}}
	if err := v.readRuntime(); err != nil {
		return nil, err
	}
	v.readDeps()
	for _, p := range imports {
		v.add(p)
	}
	return v.files(module), nil
}

// vendor collects the required packages.
type vendor struct {
	src  map[string]map[string][]byte // import path → file → content
	mods []depModule
	need map[string]bool
}

// depModule is a module of the runtime's dependencies.
type depModule struct{ path, version, goVersion string }

func (v *vendor) put(pkg, file string, b []byte) {
	if v.src[pkg] == nil {
		v.src[pkg] = map[string][]byte{}
	}
	v.src[pkg][file] = b
}

func (v *vendor) readRuntime() error {
	return fs.WalkDir(bbgen.Runtime, "runtime", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || !isSource(name) {
			return err
		}
		b, err := bbgen.Runtime.ReadFile(name)
		if err != nil {
			return err
		}
		v.put(path.Join(Module, path.Dir(name)), path.Base(name), b)
		return nil
	})
}

func isSource(name string) bool {
	switch path.Ext(name) {
	case ".go", ".s", ".h", ".html", ".css", ".js": // pages are embedded
		return true
	}
	return false
}

// readDeps reads deps.txtar. Its comment lists the modules, one in each line.
func (v *vendor) readDeps() {
	a := txtar.Parse(depsArchive)
	for line := range strings.Lines(string(a.Comment)) {
		if f := strings.Fields(line); len(f) == 3 {
			v.mods = append(v.mods, depModule{f[0], f[1], f[2]})
		}
	}
	for _, f := range a.Files {
		v.put(path.Dir(f.Name), path.Base(f.Name), f.Data)
	}
}

// add adds a package and its imports, if the archive has their sources.
func (v *vendor) add(pkg string) {
	if v.need[pkg] || v.src[pkg] == nil {
		return
	}
	v.need[pkg] = true
	for name, b := range v.src[pkg] {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.ImportsOnly)
		if err != nil {
			panic("BUG: vendored source " + pkg + "/" + name + ": " + err.Error())
		}
		for _, im := range f.Imports {
			p, _ := strconv.Unquote(im.Path.Value)
			v.add(p)
		}
	}
}

// files returns the required sources, vendor/modules.txt and go.mod.
func (v *vendor) files(module string) []codegen.File {
	var out []codegen.File
	for pkg := range v.need {
		for name, b := range v.src[pkg] {
			out = append(out, codegen.NewFile(path.Join("vendor", pkg, name), b))
		}
	}
	mods := append([]depModule{{Module, "v0.0.0", "1.26"}}, v.mods...)
	var list, req strings.Builder
	for _, m := range mods {
		pkgs := v.packages(m.path)
		if len(pkgs) == 0 {
			continue
		}
		for name, b := range v.src[m.path] {
			if strings.HasPrefix(name, "LICENSE") {
				out = append(out, codegen.NewFile(path.Join("vendor", m.path, name), b))
			}
		}
		fmt.Fprintf(&list, "# %s %s\n## explicit; go %s\n%s\n", m.path, m.version, m.goVersion, strings.Join(pkgs, "\n"))
		fmt.Fprintf(&req, "\t%s %s\n", m.path, m.version)
	}
	out = append(out,
		codegen.NewFile("vendor/modules.txt", []byte(list.String())),
		codegen.NewFile("go.mod", []byte("// "+header+"; DO NOT EDIT.\n\nmodule "+module+"\n\ngo 1.26\n\nrequire (\n"+req.String()+")\n")))
	slices.SortFunc(out, func(a, b codegen.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// packages returns the required packages of a module, sorted.
func (v *vendor) packages(mod string) []string {
	var out []string
	for p := range v.need {
		if p == mod || strings.HasPrefix(p, mod+"/") {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}
