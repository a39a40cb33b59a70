package optest

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// costs checks that the operations and bytes of each node are not negative.
func costs(m *ir.Module) (err error) {
	m.Main.Body.Walk(func(n *ir.Node) {
		o := op.Lookup(n)
		if k, known := o.Work(n).Const(); known && k < 0 {
			err = fmt.Errorf("%s is %d operations", n.Op, k)
		}
		if k, known := o.Traffic(n).Const(); known && k < 0 {
			err = fmt.Errorf("%s is %d bytes", n.Op, k)
		}
	})
	return err
}
