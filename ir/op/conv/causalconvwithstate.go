package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [CausalConvWithState].
const (
	causalConvWithStateInput = iota
	causalConvWithStateWeight
	causalConvWithStateBias
	causalConvWithStatePastState
)

// CausalConvWithState convolves each channel with a filter of its own that only reads earlier elements, and
// returns the last inputs as the state for the next call.
//
// https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
var CausalConvWithState = &op.Op{
	Name:  "CausalConvWithState",
	Since: []int{27},
	Attrs: []op.Attr{{Name: "activation", Kind: op.String, Default: "none", Values: []string{"none", "silu", "swish"}}},
	Inputs: []op.Port{
		causalConvWithStateInput:     {Name: "input", Types: elem.Floats},
		causalConvWithStateWeight:    {Name: "weight", Like: "input"},
		causalConvWithStateBias:      {Name: "bias", Like: "input", Optional: true},
		causalConvWithStatePastState: {Name: "past_state", Like: "input", Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}, {Name: "present_state", Like: "input"}},
	Infer:   inferCausalConv,
	Lower:   lowerCausalConv,
	Widen:   true,

	Expand:  expandCausalConv,
	Expands: op.Never,
}

func inferCausalConv(c *op.Infer) error {
	x, err := c.Rank(causalConvWithStateInput, 3)
	if err != nil {
		return err
	}
	w, err := c.Rank(causalConvWithStateWeight, 3)
	if err != nil {
		return err
	}
	for i := range c.In {
		if c.Arg(i) == nil {
			continue
		}
		if err := c.LikeInput0(i); err != nil {
			return err
		}
	}
	if err := c.HasShape(causalConvWithStateWeight, x.Shape[1], ir.C(1), w.Shape[2]); err != nil {
		return err
	}
	if k, ok := w.Shape[2].Const(); ok && k < 1 {
		return fmt.Errorf("kernel is %d, want at least 1", k)
	}
	if err := checkBias(c, 2, x.Shape[1]); err != nil {
		return err
	}
	state := []ir.Dim{x.Shape[0], x.Shape[1], w.Shape[2].Sub(ir.C(1))}
	if err := c.HasShape(causalConvWithStatePastState, state...); err != nil {
		return err
	}
	c.Out(0, x)
	c.OutTensor(1, x.Elem, state...)
	return nil
}

func lowerCausalConv(l *op.Lowering) error {
	x := op.Shape(l.In[causalConvWithStateInput])
	k := op.Shape(l.In[causalConvWithStateWeight])[2]
	l.Call("CausalConv", l.Res(0), l.Res(1), l.In[causalConvWithStateInput], l.In[causalConvWithStateWeight], l.Arg(causalConvWithStateBias), l.Arg(causalConvWithStatePastState), op.Struct{Type: "CausalShape", Fields: []op.Field{
		{Name: "Rows", Value: x[0].Mul(x[1])}, {Name: "Channels", Value: x[1]}, {Name: "N", Value: x[2]}, {Name: "K", Value: k},
	}}, l.Str("activation") != "none")
	return nil
}

// expandCausalConv returns a convolution of the state, or zeros, followed by the data. The last elements
// become the new state.
func expandCausalConv(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x, w := n.In[causalConvWithStateInput], n.In[causalConvWithStateWeight]
	k, ok1 := op.Shape(w)[2].Const()
	channels, ok2 := op.Shape(w)[0].Const()
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("filters are %s, want known sizes", w.Type)
	}
	seen := x
	switch {
	case k == 1:
	case n.Arg(causalConvWithStatePastState) != nil:
		seen = b.OpA("Concat", op.Attrs("axis", 2), n.In[causalConvWithStatePastState], x)
	default:
		seen = b.Op("Pad", x, b.Ints(0, 0, k-1, 0, 0, 0))
	}
	in := []*ir.Value{seen, w}
	if n.Arg(causalConvWithStateBias) != nil {
		in = append(in, n.In[causalConvWithStateBias])
	}
	y := b.OpA("Conv", op.Attrs("group", channels), in...)
	if n.Str("activation") != "none" {
		y = b.Op("Mul", y, b.Op("Sigmoid", y))
	}
	length := op.SizeOf(b, seen, 2)
	last := b.Op("Slice", seen, b.Op("Sub", length, b.Ints(k-1)), length, b.Ints(2))
	return []*ir.Value{y, last}, nil
}
