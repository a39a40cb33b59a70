package optest

import (
	"github.com/bbgen/bbgen/internal/gradcheck"
	"github.com/bbgen/bbgen/ir/op"
)

// gradients compares the gradient of each case with differences. An operator with a gradient, by a rule or by
// its definition, must have a case, unless it is elementwise: then there is a default case.
func gradients(f *family, errorf errorf) {
	seen := map[*op.Op]bool{}
	cases := f.gradients
	for _, c := range cases {
		seen[op.Find(c.Domain, c.Op)] = true
	}
	for _, o := range f.ops {
		if o.Stops != "" || o.Flow != op.NoFlow || o.Synonym() || seen[o] {
			continue
		}
		c, err := gradcheck.Plain(o)
		if err != nil {
			errorf("%v", err)
			continue
		}
		cases = append(cases, c)
	}
	for _, c := range cases {
		if err := c.Check(); err != nil {
			errorf("%s: %v", c.Line, err)
		}
	}
}
