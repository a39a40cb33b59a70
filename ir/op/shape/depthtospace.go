package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// DepthToSpace makes blocks of pixels from channels.
//
// https://onnx.ai/onnx/operators/onnx__DepthToSpace.html
var DepthToSpace = &op.Op{
	Name:  "DepthToSpace",
	Since: []int{1, 11, 13, 28},
	Attrs: []op.Attr{
		{Name: "blocksize", Kind: op.Int, Required: true},
		{Name: "mode", Kind: op.String, Default: "DCR", Values: []string{"DCR", "CRD"}, Since: 11},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Any}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferDepthToSpace,
	Picks:   true,
	Grad:    depthToSpaceGrad,
	Lower:   lowerDepthToSpace,
}

func inferDepthToSpace(c *op.Infer) error {
	x, size, err := blockOperands(c)
	if err != nil {
		return err
	}
	if n, ok := x.Shape[1].Const(); ok && n%(size*size) != 0 {
		return fmt.Errorf("%d channels do not make blocks of %d by %d", n, size, size)
	}
	b := ir.C(size)
	c.OutTensor(0, x.Elem, x.Shape[0], x.Shape[1].Div(ir.C(size*size)), x.Shape[2].Mul(b), x.Shape[3].Mul(b))
	return nil
}

// blockOperands returns the input, a batch of images, and the side of a block.
func blockOperands(c *op.Infer) (ir.Type, int, error) {
	x, err := c.Rank(op.X, 4)
	if err != nil {
		return x, 0, err
	}
	size := c.Int("blocksize")
	if size < 1 || size > 1<<15 {
		return x, 0, fmt.Errorf("blocksize is %d, want at least 1", size)
	}
	return x, size, nil
}

func lowerDepthToSpace(l *op.Lowering) error {
	b := ir.C(l.Int("blocksize"))
	in, out := op.Shape(l.In[op.X]), op.Shape(l.Out[0])
	if l.Str("mode") == "CRD" {
		l.Call("Transpose", l.Out[0], l.In[op.X], []ir.Dim{in[0], out[1], b, b, in[2], in[3]}, []int{0, 1, 4, 2, 5, 3})
		return nil
	}
	l.Call("Transpose", l.Out[0], l.In[op.X], []ir.Dim{in[0], b, b, out[1], in[2], in[3]}, []int{0, 3, 4, 1, 5, 2})
	return nil
}

// dx = dy with its blocks as channels again
func depthToSpaceGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("SpaceToDepth", n.Attrs, dy[0])}
}
