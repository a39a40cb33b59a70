package bind

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// heavy finds the packages that import package dsl, directly or indirectly, and returns the paths of imports.
// Those of the runtime never do.
func heavy(list []*packages.Package) map[string][]string {
	out := map[string][]string{}
	seen := map[*packages.Package][]string{}
	for _, p := range list {
		if strings.HasPrefix(p.PkgPath, pkgRuntime) {
			continue
		}
		if way := wayTo(p, pkgDSL, seen); way != nil {
			out[p.PkgPath] = way
		}
	}
	return out
}

// wayTo lists the packages between p and one that it imports, or returns nil.
func wayTo(p *packages.Package, path string, seen map[*packages.Package][]string) []string {
	if way, ok := seen[p]; ok {
		return way
	}
	seen[p] = nil
	var way []string
	if p.Imports[path] != nil {
		way = []string{}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Imports)) {
		if way != nil {
			break
		}
		if rest := wayTo(p.Imports[name], path, seen); rest != nil {
			way = append([]string{name}, rest...)
		}
	}
	seen[p] = way
	return way
}

// byWay describes a path of imports.
func byWay(way []string) string {
	if len(way) == 0 {
		return ""
	}
	return " by way of " + strings.Join(way, " and ")
}
