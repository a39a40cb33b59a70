package pass

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Pass is one rewriting of a module.
type Pass struct {
	Name  string
	Run   func(m *ir.Module) error
	After []*Pass // passes that must have run before
}

// Pipeline is every pass of a compilation, in order.
var Pipeline = []*Pass{Inline, Infer, Gradient, Expand, FuseQDQ, Fold, CSE, Fuse, Layout, Winograd, Join, DCE, Early}

// Run runs passes in order. After each, done is called with its name, unless
// it is nil, and the graph is verified.
func Run(m *ir.Module, passes []*Pass, done func(name string)) error {
	for _, p := range passes {
		if err := p.Run(m); err != nil {
			return err
		}
		if done != nil {
			done(p.Name)
		}
		if err := ir.Verify(m); err != nil {
			panic(fmt.Sprintf("BUG: after pass %s: %v", p.Name, err))
		}
	}
	return nil
}

// Find returns the pass of the given name, nil if there is none.
func Find(name string) *Pass {
	i := slices.IndexFunc(Pipeline, func(p *Pass) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return Pipeline[i]
}

// Without is the pipeline without a pass that others can do without.
func Without(p *Pass) []*Pass {
	return slices.DeleteFunc(slices.Clone(Pipeline), func(q *Pass) bool { return p == q })
}

// Until is the pipeline up to a pass, the pass included.
func Until(last *Pass) []*Pass { return Pipeline[:slices.Index(Pipeline, last)+1] }

// Names lists the passes of the pipeline.
func Names() []string {
	var s []string
	for _, p := range Pipeline {
		s = append(s, p.Name)
	}
	return s
}
