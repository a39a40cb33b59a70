package pass

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Pass is a transformation of a module.
type Pass struct {
	Name  string
	Run   func(c *Context, m *ir.Module) error
	After []*Pass // passes that must come before it, if both are run
}

// Pipeline lists the passes for every graph, in order.
var Pipeline = []*Pass{Inline, Infer, Gradient, Expand, FuseQDQ, Fold, CSE, Reroll, Fuse, Layout, Winograd, Join, Stored, DCE, Early}

func init() {
	if err := Ordered(Pipeline); err != nil {
		panic(err)
	}
}

// Ordered returns an error if a pass comes before one that it must come after.
func Ordered(passes []*Pass) error {
	for i, p := range passes {
		for _, before := range p.After {
			if slices.Contains(passes[i+1:], before) && !slices.Contains(passes[:i], before) {
				return fmt.Errorf("pass %s runs before %s, want it after", p.Name, before.Name)
			}
		}
	}
	return nil
}

// Run runs passes in order. After each of them it verifies the graph and calls c.Done. A nil context stands
// for the zero one.
func Run(m *ir.Module, passes []*Pass, c *Context) error {
	if err := Ordered(passes); err != nil {
		return err
	}
	if c == nil {
		c = new(Context)
	}
	for _, p := range passes {
		if err := p.Run(c, m); err != nil {
			return err
		}
		if err := ir.Verify(m); err != nil {
			panic(fmt.Sprintf("BUG: after pass %s: %v", p.Name, err))
		}
		if c.Done != nil {
			c.Done(p.Name)
		}
	}
	return nil
}

// Apply runs one pass with the zero context. It does not verify the graph: a caller whose graph may be wrong because of its
// author does, and returns an error. All others call [Run].
func (p *Pass) Apply(m *ir.Module) error { return p.Run(new(Context), m) }

// Until returns the passes up to and including the one with the given name, or all if none has that name.
func Until(passes []*Pass, name string) []*Pass {
	i := slices.IndexFunc(passes, func(p *Pass) bool { return p.Name == name })
	if i < 0 {
		return passes
	}
	return passes[:i+1]
}

// Names returns the names of passes.
func Names(passes []*Pass) []string {
	var s []string
	for _, p := range passes {
		s = append(s, p.Name)
	}
	return s
}
