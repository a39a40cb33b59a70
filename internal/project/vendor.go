package project

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
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
		s, err := parseSource(f.Path, f.Bytes())
		if err != nil {
			panic("BUG: generated " + f.Path + ": " + err.Error())
		}
		out = append(out, s.imported()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// vendored returns the vendor folder of a module with packages that import the given
// paths, and its go.mod.
func vendored(module string, imports []string) ([]codegen.File, error) {
	v := &vendor{deps: map[string]map[string][]byte{}, need: map[string]map[string][]byte{}}
	v.readDeps()
	for _, p := range imports {
		if err := v.add(p); err != nil {
			return nil, err
		}
	}
	return v.files(module), nil
}

// vendor collects the required packages.
type vendor struct {
	deps map[string]map[string][]byte // of the runtime's dependencies: import path → file → content
	mods []depModule
	need map[string]map[string][]byte // likewise, of what is required
}

// depModule is a module of the runtime's dependencies.
type depModule struct{ path, version, goVersion string }

// ofRuntime returns the sources of a package of the runtime, none if it is not one.
func ofRuntime(pkg string) (map[string][]byte, error) {
	dir, ok := strings.CutPrefix(pkg, Module+"/")
	if !ok {
		return nil, nil
	}
	list, err := fs.ReadDir(bbgen.Runtime, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out := map[string][]byte{}
	for _, d := range list {
		if d.IsDir() || strings.HasSuffix(d.Name(), "_test.go") || !isSource(d.Name()) {
			continue
		}
		if out[d.Name()], err = readSource(path.Join(dir, d.Name())); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readSource returns a file of the runtime as it is written to vendor folders.
func readSource(name string) ([]byte, error) {
	if path.Ext(name) != ".s" {
		return bbgen.Runtime.ReadFile(name)
	}
	f, err := bbgen.Runtime.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return joinLines(f, st.Size())
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
		pkg := path.Dir(f.Name)
		if v.deps[pkg] == nil {
			v.deps[pkg] = map[string][]byte{}
		}
		v.deps[pkg][path.Base(f.Name)] = f.Data
	}
}

// add adds a package and its imports, if it is of the runtime or of its dependencies.
func (v *vendor) add(pkg string) error {
	if v.need[pkg] != nil {
		return nil
	}
	files, err := ofRuntime(pkg)
	ours := files != nil
	if !ours {
		files = v.deps[pkg]
	}
	if err != nil || files == nil {
		return err
	}
	v.need[pkg] = files
	var sources []*source
	for name, b := range files {
		if path.Ext(name) != ".go" {
			continue
		}
		s, err := parseSource(name, b)
		if err != nil {
			panic("BUG: vendored source " + pkg + "/" + name + ": " + err.Error())
		}
		sources = append(sources, s)
	}
	if ours {
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return path.Ext(name) == ".go" })
		maps.Copy(files, merge(pkg, sources))
	}
	for _, s := range sources {
		for _, p := range s.imported() {
			if err := v.add(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// files returns the required sources, vendor/modules.txt and go.mod.
func (v *vendor) files(module string) []codegen.File {
	var out []codegen.File
	for pkg, files := range v.need {
		for name, b := range files {
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
		for name, b := range v.deps[m.path] {
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
