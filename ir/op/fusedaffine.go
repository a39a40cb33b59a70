package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// FusedAffine is act(x·scale + shift), where scale and shift have one element
// for each channel along an axis of x.
var FusedAffine = &Op{
	Name:   "FusedAffine",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "activation", Kind: String, Default: ""},
		{Name: "axis", Kind: Int, Default: 0},
	},
	Inputs:  []Port{{Name: "x", Types: floats}, {Name: "scale", Like: "x"}, {Name: "shift", Like: "x"}},
	Outputs: []Port{{Name: "y", Like: "x"}},
	Infer:   inferFusedAffine,
	Lower:   lowerFusedAffine,
	Last:    &LastForm{Build: lastAffine},
	InPlace: true,
	FLOPs:   fusedAffineWork,
	Stops:   afterGradients,
}

func fusedAffineWork(n *ir.Node) ir.Dim { return ir.C(2).Mul(Len(n.Out[0])) }

func inferFusedAffine(c *Infer) error {
	x, err := floatInput(c, 0)
	if err != nil {
		return err
	}
	axis, err := Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[0].Name)
	}
	for i := 1; i < 3; i++ {
		if err := likeInput0(c, i); err != nil {
			return err
		}
		if err := hasShape(c, i, x.Shape[axis]); err != nil {
			return err
		}
	}
	c.Out(0, x)
	_, err = activation(c.Node)
	return err
}

func lowerFusedAffine(l *Lowering) error {
	act, err := activation(l.Node)
	if err != nil {
		return err
	}
	x := l.In[0]
	axis, err := Axis(l.Int("axis"), len(Shape(x)))
	if err != nil {
		return err
	}
	inner := Inner(Shape(x), axis)
	if act == "ActNone" {
		l.Call("Affine", l.Out[0], x, l.In[1], l.In[2], inner)
		return nil
	}
	l.Call("AffineAct", l.Out[0], x, l.In[1], l.In[2], inner, act)
	return nil
}

// lastAffine is the same.
func lastAffine(l *Last) *ir.Value {
	scale, shift := l.In[1], l.In[2]
	axis, err := Axis(l.Int("axis"), len(Shape(l.In[0])))
	if err != nil || axis != 1 || !scale.IsConst() || scale.Type.Elem != tensor.Float32 {
		return nil
	}
	return l.eachChannel(l.In[0], tensor.Data[float32](scale.Const), shift, l.Str("activation"))
}
