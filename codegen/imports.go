package codegen

import (
	"cmp"
	"path"
	"slices"

	"github.com/dave/jennifer/jen"
)

// nameImports names the author's packages in a file as they name themselves: their import paths need not end with that,
// as example.com/parts/v2 does not.
func (o Options) nameImports(f *jen.File) {
	for pkg := range o.PackageNames {
		f.ImportAlias(pkg, o.importName(pkg))
	}
}

// importName returns the name of an author's package in code. It is not one that the package of a partition declares.
func (o Options) importName(pkg string) string {
	name := cmp.Or(o.PackageNames[pkg], path.Base(pkg))
	if slices.Contains([]string{"peer", "edges", "failing"}, name) {
		return name + "pkg"
	}
	return name
}
