package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SpaceToDepth makes channels from blocks of pixels.
//
// https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html
var SpaceToDepth = &op.Op{
	Name:  "SpaceToDepth",
	Since: []int{1, 13, 28},
	Attrs: []op.Attr{
		{Name: "blocksize", Kind: op.Int, Required: true},
		{Name: "mode", Kind: op.String, Default: "DCR", Values: []string{"DCR", "CRD"}, Since: 28},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Any}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferSpaceToDepth,
	Picks:   true,
	Grad:    spaceToDepthGrad,
	Lower:   lowerSpaceToDepth,
}

func inferSpaceToDepth(c *op.Infer) error {
	x, size, err := blockOperands(c)
	if err != nil {
		return err
	}
	for _, d := range x.Shape[2:] {
		if n, ok := d.Const(); ok && n%size != 0 {
			return fmt.Errorf("%s cannot be cut into blocks of %d by %d", x, size, size)
		}
	}
	b := ir.C(size)
	c.OutTensor(0, x.Elem, x.Shape[0], x.Shape[1].Mul(ir.C(size*size)), x.Shape[2].Div(b), x.Shape[3].Div(b))
	return nil
}

func lowerSpaceToDepth(l *op.Lowering) error {
	b := ir.C(l.Int("blocksize"))
	in, out := op.Shape(l.In[op.X]), op.Shape(l.Out[0])
	perm := []int{0, 3, 5, 1, 2, 4}
	if l.Str("mode") == "CRD" {
		perm = []int{0, 1, 3, 5, 2, 4}
	}
	l.Call("Transpose", l.Out[0], l.In[op.X], []ir.Dim{in[0], in[1], out[2], b, out[3], b}, perm)
	return nil
}

// dx = dy with its channels as blocks again
func spaceToDepthGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("DepthToSpace", n.Attrs, dy[0])}
}
