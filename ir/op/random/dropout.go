package random

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Dropout].
const (
	dropoutData = iota
	dropoutRatio
	dropoutTrainingMode
)

// Dropout clears elements at random and scales the others up while a model is
// trained; otherwise it is the identity.
//
// https://onnx.ai/onnx/operators/onnx__Dropout.html
var Dropout = &op.Op{
	Name:  "Dropout",
	Since: []int{1, 6, 7, 10, 12, 13, 22},
	Attrs: []op.Attr{
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
		{Name: "is_test", Kind: op.Int, Default: 0, Until: 7},
		{Name: "ratio", Kind: op.Float, Default: 0.5, Until: 12},
		{Name: "seed", Kind: op.Int, Since: 12},
		{Name: "counter", Kind: op.String, Own: true},
	},
	Inputs: []op.Port{
		dropoutData:         {Name: "data", Types: elem.FloatsOr8},
		dropoutRatio:        {Name: "ratio", Types: elem.FloatsOr8, Optional: true, Since: 12},
		dropoutTrainingMode: {Name: "training_mode", Types: elem.Bools, Optional: true, Since: 12},
	},
	Outputs: []op.Port{{Name: "output", Like: "data"}, {Name: "mask", Like: "training_mode", Optional: true}},
	Infer:   inferDropout,
	Upgrade: upgradeDropout,
	Grad:    dropoutGrad,
	Lower:   lowerDropout,
	Expand:  expandDropout,
	Expands: func(n *ir.Node) bool { return !trains(n) || op.Small(n) || otherRatio(n) },
	InPlace: true,
	Random:  true,

	Inference: func(n *ir.Node) { n.In = n.In[:min(2, len(n.In))] },
	Trains:    isTraining,
}

// upgradeDropout converts the ratio to an input, as well as the training mode of opset 6 and older.
func upgradeDropout(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 12 || len(n.In) != 1 {
		return nil
	}
	if n.Version < 7 && n.Int("is_test") == 0 {
		n.In = append(n.In, b.Scalar(tensor.Float32, n.Float("ratio")), b.Scalar(tensor.Bool, 1))
	}
	n.Attrs.Delete("is_test")
	n.Attrs.Delete("ratio")
	return nil
}

func inferDropout(c *op.Infer) error {
	x, err := c.Tensor(dropoutData)
	if err != nil {
		return err
	}
	s := elem.Floats.Or("a float", elem.Float8s)
	if err := c.CheckElems(dropoutData, s); err != nil {
		return err
	}
	for i, want := range []elem.Set{1: s, 2: elem.Bools} {
		v := c.Arg(i)
		if i == 0 || v == nil {
			continue
		}
		if err := c.CheckElems(i, want); err != nil {
			return err
		}
		if !ir.Size(v.Type.Shape).Is(1) {
			return fmt.Errorf("input %q is %s, want one element", v.Name, v.Type)
		}
	}
	c.Out(0, x)
	c.OutTensor(1, tensor.Bool, x.Shape...)
	return nil
}

// trains reports whether n may drop anything.
func trains(n *ir.Node) bool {
	training := n.Arg(dropoutTrainingMode)
	if training == nil {
		return false
	}
	known, ok := op.KnownBools(training)
	return !ok || len(known) != 1 || known[0]
}

// isTraining reports whether the input training_mode is known to be true.
func isTraining(n *ir.Node) bool {
	if n.Arg(dropoutTrainingMode) == nil {
		return false
	}
	known, ok := op.KnownBools(n.In[dropoutTrainingMode])
	return ok && len(known) == 1 && known[0]
}

// otherRatio reports whether the ratio has another type than the data.
func otherRatio(n *ir.Node) bool {
	return n.Arg(dropoutRatio) != nil && n.In[dropoutRatio].Type.Elem != n.In[dropoutData].Type.Elem
}

func expandDropout(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	switch {
	case !trains(n):
		outs := []*ir.Value{n.In[dropoutData], nil}
		if n.Res(1) != nil {
			yes := tensor.Of([]bool{true}, 1)
			outs[1] = b.OpA("ConstantOfShape", ir.Attrs{{Name: "value", Value: yes}}, b.Op("Shape", n.In[dropoutData]))
		}
		return outs, nil
	case op.Small(n):
		return op.Widened(b, n), nil
	}
	ratio := op.Cast(b, n.In[dropoutRatio], n.In[dropoutData].Type.Elem)
	return b.OpN("Dropout", 2, n.Attrs, n.In[dropoutData], ratio, n.In[dropoutTrainingMode]), nil
}

func lowerDropout(l *op.Lowering) error {
	l.Call("Dropout", l.Out[0], l.Res(1), l.In[dropoutData], l.Arg(dropoutRatio), l.Arg(dropoutTrainingMode), seed(l.Node))
	return nil
}

// dx = dy/(1-ratio) where the mask holds
func dropoutGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	if dy[0] == nil {
		return nil
	}
	x, one := n.In[dropoutData], op.ScalarLike(b, n.In[dropoutData], 1)
	ratio := op.ScalarLike(b, x, 0.5)
	if r := n.Arg(dropoutRatio); r != nil {
		ratio = scalarOf(b, op.CastTo(b, r, x.Type.Elem))
	}
	scale := b.Op("Div", one, b.Op("Sub", one, ratio))
	scale = b.Op("Where", scalarOf(b, n.In[dropoutTrainingMode]), scale, one)
	return []*ir.Value{op.ZeroUnless(b, op.Output(b, n, 1), b.Op("Mul", dy[0], scale))}
}

// scalarOf returns a value of one element without its axes.
func scalarOf(b *ir.Builder, v *ir.Value) *ir.Value {
	if len(op.Shape(v)) == 0 {
		return v
	}
	return b.Op("Reshape", v, b.Ints())
}
