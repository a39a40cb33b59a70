package project

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// merge returns the Go files of a package of the runtime as few files: one for all that are built for the same systems. In
// each build, the Go command opens every file of the vendor folder, and to write files takes longer than to print them: with
// some hundred files, that was a third of an incremental build, and half of the time of bbgen.
func merge(pkg string, files []*source) map[string][]byte {
	slices.SortFunc(files, func(a, b *source) int { return strings.Compare(a.name, b.name) })
	var groups []*group
	for _, f := range files {
		constraint, comments := f.head()
		systems := f.systems()
		i := slices.IndexFunc(groups, func(g *group) bool {
			return g.constraint == constraint && g.systems == systems && g.takes(f)
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{constraint: constraint, systems: systems, pkg: f.ast.Name.Name, paths: map[string]string{}})
		}
		groups[i].add(f, comments)
	}
	out := map[string][]byte{}
	for i, g := range groups {
		number := ""
		if i > 0 {
			number = fmt.Sprint(i + 1)
		}
		out[path.Base(pkg)+number+g.systems+".go"] = g.print()
	}
	return out
}

// A group is a file with the declarations of several.
type group struct {
	constraint string // the line that limits the systems
	systems    string // the end of its name that does so
	pkg        string
	heads      []string          // comments before the package clause
	paths      map[string]string // by name, of its imports
	imports    []string
	names      []string // of the files
	bodies     [][]byte
}

// takes reports whether a file may be added: its imports have no names that others of the group have.
func (g *group) takes(f *source) bool {
	for name, im := range f.named() {
		if p, ok := g.paths[name]; ok && p != im {
			return false
		}
	}
	return true
}

func (g *group) add(f *source, comments string) {
	if comments != "" {
		g.heads = append(g.heads, comments)
	}
	for name, im := range f.named() {
		g.paths[name] = im
	}
	for _, im := range f.ast.Imports {
		line := im.Path.Value
		if im.Name != nil {
			line = im.Name.Name + " " + line
		}
		g.imports = append(g.imports, line)
	}
	if body := f.body(); len(body) > 0 {
		g.names = append(g.names, f.name)
		g.bodies = append(g.bodies, body)
	}
}

func (g *group) print() []byte {
	var parts []string
	if g.constraint != "" {
		parts = append(parts, g.constraint)
	}
	clause := "package " + g.pkg
	if n := len(g.heads); n > 0 {
		parts = append(parts, g.heads[:n-1]...)
		clause = g.heads[n-1] + "\n" + clause
	}
	parts = append(parts, clause)
	slices.Sort(g.imports)
	if list := slices.Compact(g.imports); len(list) > 0 {
		parts = append(parts, "import (\n\t"+strings.Join(list, "\n\t")+"\n)")
	}
	out := []byte(strings.Join(parts, "\n\n") + "\n")
	size := len(out)
	for i, b := range g.bodies {
		size += len(b) + len(g.names[i]) + len("\n// From .\n\n\n")
	}
	out = slices.Grow(out, size-len(out))
	for i, b := range g.bodies {
		out = fmt.Appendf(out, "\n// From %s.\n\n", g.names[i])
		out = append(append(out, b...), '\n')
	}
	return out
}
