package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [FusedAffine].
const (
	fusedAffineX = iota
	fusedAffineScale
	fusedAffineShift
)

// FusedAffine is act(x·scale + shift), where scale and shift have one element
// for each channel along an axis of x.
var FusedAffine = &op.Op{
	Name:   "FusedAffine",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "activation", Kind: op.String, Default: ""},
		{Name: "axis", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		fusedAffineX:     {Name: "x", Types: elem.Floats},
		fusedAffineScale: {Name: "scale", Like: "x"},
		fusedAffineShift: {Name: "shift", Like: "x"},
	},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer:   inferFusedAffine,
	Lower:   lowerFusedAffine,
	Last:    &op.LastForm{Build: lastAffine},
	InPlace: true,
	FLOPs:   fusedAffineWork,
	Stops:   op.StopAfterGradients,
}

func fusedAffineWork(n *ir.Node) ir.Dim { return ir.C(2).Mul(op.Len(n.Out[0])) }

func inferFusedAffine(c *op.Infer) error {
	x, err := c.FloatTensor(fusedAffineX)
	if err != nil {
		return err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[fusedAffineX].Name)
	}
	for i := 1; i < 3; i++ {
		if err := c.LikeInput0(i); err != nil {
			return err
		}
		if err := c.HasShape(i, x.Shape[axis]); err != nil {
			return err
		}
	}
	c.Out(0, x)
	_, err = op.Activation(c.Node)
	return err
}

func lowerFusedAffine(l *op.Lowering) error {
	act, err := op.Activation(l.Node)
	if err != nil {
		return err
	}
	x := l.In[fusedAffineX]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	inner := op.Inner(op.Shape(x), axis)
	if act == "ActNone" {
		l.Call("Affine", l.Out[0], x, l.In[fusedAffineScale], l.In[fusedAffineShift], inner)
		return nil
	}
	l.Call("AffineAct", l.Out[0], x, l.In[fusedAffineScale], l.In[fusedAffineShift], inner, act)
	return nil
}

// lastAffine converts a FusedAffine whose axis is that of the channels.
func lastAffine(l *op.Last) *ir.Value {
	scale, shift := l.In[fusedAffineScale], l.In[fusedAffineShift]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(l.In[fusedAffineX])))
	if err != nil || axis != 1 || !scale.IsConst() || scale.Type.Elem != tensor.Float32 {
		return nil
	}
	return l.EachChannel(l.In[fusedAffineX], tensor.Data[float32](scale.Const), shift, l.Str("activation"))
}
