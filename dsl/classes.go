package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/host/suggest"
)

// classes returns the classes of the program: those with a module, and those to which a value is sent that is
// read there.
func (r *recorder) classes() map[string]bool {
	have := map[string]bool{}
	for _, fn := range r.roots {
		have[fn.class] = true
	}
	for _, s := range r.sends {
		if s.read {
			have[s.to.name] = true
		}
	}
	return have
}

// checkClasses reports uses of classes that do not exist, each once for a line.
func (r *recorder) checkClasses() {
	have := r.classes()
	type use struct{ class, pos string }
	seen := map[use]bool{}
	for _, f := range r.functions() {
		f.Body.Walk(func(n *ir.Node) {
			for _, c := range []string{n.Str("class"), n.Class} {
				if u := (use{c, n.Pos}); c != "" && !have[c] && !seen[u] {
					seen[u] = true
					r.failAt(pos{long: r.long[n.Pos]}, "no peers are of class %q%s", c, r.meant(c))
				}
			}
		})
	}
}

// meant returns the end of an error about a class that does not exist: the classes that do, and the one that
// is probably meant. It is "" for a class that exists.
func (r *recorder) meant(class string) string {
	have := r.classes()
	if have[class] {
		return ""
	}
	names := slices.Sorted(maps.Keys(have))
	text := "; there are " + strings.Join(names, ", ")
	if closest := suggest.Closest(class, names); closest != "" {
		text += fmt.Sprintf("; did you mean %q?", closest)
	}
	return text
}

// functions returns all recorded functions.
func (r *recorder) functions() []*ir.Func {
	out := slices.Clone(r.m.Funcs)
	for _, fn := range r.roots {
		out = append(out, fn.f)
	}
	return out
}
