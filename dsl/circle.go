package dsl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// maxCalls limits the depth of calls between modules. Programs have a few levels.
const maxCalls = 100

// circle returns an error if calling a module here would never end, as it would be recorded inside itself.
// The same module with arguments of the same types records the same calls.
func (g *Graph) circle(m Module, in Args) error {
	depth := 0
	for f := g.fn; f != nil; f = f.caller {
		depth++
		if f.args != nil && reflect.DeepEqual(f.module, m) && slices.Equal(f.args.types(), in.types()) || f.args == nil && len(in) == 0 && reflect.DeepEqual(f.module, m) {
			return fmt.Errorf("modules call each other in a circle: %s", g.fn.chain(f, nameOf(m)))
		}
	}
	if depth > maxCalls {
		return fmt.Errorf("calls of modules stand %d deep inside each other, want %d at most; the last are %s", depth, maxCalls, g.fn.chain(g.fn.up(4), nameOf(m)))
	}
	return nil
}

// up returns the n-th caller up from a function.
func (f *function) up(n int) *function {
	for ; n > 0 && f.caller != nil; n-- {
		f = f.caller
	}
	return f
}

// chain prints the calls from one function down to f, which is about to call name.
func (f *function) chain(from *function, name string) string {
	names := []string{name}
	for ; ; f = f.caller {
		text := nameOf(f.module)
		if f != from && f.from != "" {
			text += " (" + f.from + ")"
		}
		names = append(names, text)
		if f == from {
			break
		}
	}
	slices.Reverse(names)
	return strings.Join(names, " calls ")
}

// types returns the types of the arguments, in the order of their names.
func (a Args) types() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		t := ""
		if v := a[name]; v.value != nil && v.ir != nil {
			t = v.ir.Type.String()
		}
		out = append(out, name+" "+t)
	}
	return out
}
