package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// FusedConv is act(conv(X, W, B) + residual), with the attributes of [Conv]. The residual has the result's
// shape. The bias and the residual are optional.
var FusedConv = &op.Op{
	Name:   "FusedConv",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(convAttrs, op.Attr{Name: "activation", Kind: op.String, Default: ""}),
	Inputs: []op.Port{
		convLastX:        {Name: "X", Types: elem.Floats},
		convLastW:        {Name: "W", Like: "X"},
		convLastB:        {Name: "B", Like: "X", Optional: true},
		convLastResidual: {Name: "residual", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferFusedConv,
	Lower:   lowerFusedConv,
	Agree:   agreeConv(0, 1),
	FLOPs:   convWork,
	Stops:   op.StopAfterGradients,
	Last:    &op.LastForm{Build: lastConv, Starts: true},
}

func inferFusedConv(c *op.Infer) error {
	if err := inferConv(c); err != nil {
		return err
	}
	for i := 1; i < len(c.In); i++ {
		if c.Arg(i) != nil {
			if err := c.LikeInput0(i); err != nil {
				return err
			}
		}
	}
	y := c.Res(0)
	if v := c.Arg(convLastResidual); v != nil && y != nil && !ir.SameShape(op.Shape(v), op.Shape(y)) {
		return fmt.Errorf("the residual has shape %v, want %v", op.Shape(v), op.Shape(y))
	}
	_, err := op.Activation(c.Node)
	return err
}

func lowerFusedConv(l *op.Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	act, err := op.Activation(l.Node)
	if err != nil {
		return err
	}
	y, x, w, bias, residual := l.Out[0], l.In[convLastX], l.In[convLastW], l.Arg(convLastB), l.Arg(convLastResidual)
	switch {
	case y.Type.Elem != tensor.Float32:
		l.Call("Conv", y, x, w, bias, cv.shapeArg())
		l.AddAct(residual, act)
	case residual == nil:
		l.Call("Conv32", y, x, w, bias, cv.shapeArg(), act)
	default:
		l.Call("ConvAdd32", y, x, w, bias, residual, cv.shapeArg(), act)
	}
	return nil
}
