package dsl

import (
	"reflect"
	"slices"
)

// bootstrap returns what peers of a root do before they accept input: the Bootstraps of the modules that it
// calls, in the order of the calls, and then its own. It is nil if there are none.
func (fn *function) bootstrap() func(*Graph) {
	own, ok := fn.module.(Bootstrapped)
	if !ok && len(fn.called) == 0 {
		return nil
	}
	return func(g *Graph) {
		for _, m := range fn.called {
			g.boot(m)
		}
		if ok {
			own.Bootstrap(g)
		}
	}
}

// boots ensures that the Bootstrap of a called module runs once, regardless of the number of calls.
func (g *Graph) boots(m Module, p pos) {
	b, ok := m.(Bootstrapped)
	root := g.fn.root()
	switch {
	case !ok:
	case root.plain:
		g.r.failAt(p, "module %s has a Bootstrap, and a plain model runs on no peer: write a Program", nameOf(m))
	case g.class != root.class:
		g.r.failAt(p, "module %s has a Bootstrap, which runs on peers of class %s, and is called for peers of class %s: call it in their module", nameOf(m), root.class, g.class)
	case root.phase != "":
		(&Graph{r: g.r, fn: root, class: root.class}).boot(b)
	case !root.hasCalled(b):
		root.called = append(root.called, b)
	}
}

// boot records the Bootstrap of a called module as a part of the root's.
func (g *Graph) boot(m Bootstrapped) {
	if !g.fn.hasCalled(m) {
		g.fn.called = append(g.fn.called, m)
		m.Bootstrap(g)
	}
}

// hasCalled reports whether a root has already called an equal module with the same slots.
func (fn *function) hasCalled(m Bootstrapped) bool {
	return slices.ContainsFunc(fn.called, func(x Bootstrapped) bool { return reflect.DeepEqual(x, m) })
}

// root returns the root module that a function is a part of.
func (fn *function) root() *function {
	for fn.caller != nil {
		fn = fn.caller
	}
	return fn
}
