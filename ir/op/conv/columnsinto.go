package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [ColumnsInto].
const (
	columnsIntoX = iota
	columnsIntoInto
)

// ColumnsInto returns its second input after its first one has been copied to some of the columns. The first of these
// is in the attribute at.
var ColumnsInto = &op.Op{
	Name:   "ColumnsInto",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "at", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		columnsIntoX:    {Name: "x", Types: elem.Float32s},
		columnsIntoInto: {Name: "into", Types: elem.Float32s},
	},
	Outputs: []op.Port{{Name: "y", Types: elem.Float32s}},
	Infer:   inferColumnsInto,
	Stops:   op.StopAfterGradients,
	Lower:   lowerColumnsInto,
	Bytes:   columnsIntoBytes,
	Updates: []int{columnsIntoInto},
}

func inferColumnsInto(c *op.Infer) error {
	x, err := c.Tensor(columnsIntoX)
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[columnsIntoX].Name)
	}
	base, err := c.Rank(columnsIntoInto, len(x.Shape))
	if err != nil {
		return err
	}
	last := len(x.Shape) - 1
	n, ok1 := x.Shape[last].Const()
	width, ok2 := base.Shape[last].Const()
	at := c.Int("at")
	if !ok1 || !ok2 || at < 0 || at+n > width || x.Elem != base.Elem || !ir.SameShape(x.Shape[:last], base.Shape[:last]) {
		return fmt.Errorf("%s does not fit into %s at %d", x, base, at)
	}
	c.Out(0, base)
	return nil
}

func lowerColumnsInto(l *op.Lowering) error {
	x, y := op.Shape(l.In[columnsIntoX]), op.Shape(l.In[columnsIntoInto])
	last := len(x) - 1
	l.Call("CopyRows", l.Out[0], l.In[columnsIntoX], ir.Size(x[:last]), x[last], y[last], l.Int("at"), x[last], 0)
	return nil
}

func columnsIntoBytes(n *ir.Node) ir.Dim { return ir.C(2).Mul(op.BytesOf(n.In[columnsIntoX])) }
