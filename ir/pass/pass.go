package pass

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Pass is one rewriting of a module.
type Pass struct {
	Name  string
	Run   func(c *Context, m *ir.Module) error
	After []*Pass // passes that come before it wherever both are run
}

// Pipeline is what every graph goes through, in order.
var Pipeline = []*Pass{Inline, Infer, Gradient, Expand, FuseQDQ, Fold, CSE, Fuse, Layout, Winograd, Join, DCE, Early}

func init() {
	if err := Ordered(Pipeline); err != nil {
		panic(err)
	}
}

// Ordered says which of some passes stands before one that it must come after.
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

// Run runs passes in order. After each of them the graph is verified, and the
// context told. A nil context stands for the zero one.
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

// Apply runs one pass alone, with the zero context; the graph is not verified, since
// others may have more to do to it first.
func (p *Pass) Apply(m *ir.Module) error { return p.Run(new(Context), m) }

// Until returns a list of passes up to the one of a name, which is included; all of them
// if none has that name.
func Until(passes []*Pass, name string) []*Pass {
	i := slices.IndexFunc(passes, func(p *Pass) bool { return p.Name == name })
	if i < 0 {
		return passes
	}
	return passes[:i+1]
}

// Names lists the names of passes.
func Names(passes []*Pass) []string {
	var s []string
	for _, p := range passes {
		s = append(s, p.Name)
	}
	return s
}
