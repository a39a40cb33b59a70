package norm

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [LayerNormalization].
const (
	layerNormX = iota
	layerNormScale
	layerNormB
)

// LayerNormalization brings the axes from axis on to mean 0 and variance 1, and
// then scales and shifts them. Its other outputs are the mean and 1/σ.
//
// https://onnx.ai/onnx/operators/onnx__LayerNormalization.html
var LayerNormalization = &op.Op{
	Name:  "LayerNormalization",
	Since: []int{17},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -1},
		{Name: "epsilon", Kind: op.Float, Default: 1e-5},
		{Name: "stash_type", Kind: op.Int, Default: 1},
	},
	Inputs: []op.Port{
		layerNormX:     {Name: "X", Types: elem.Floats},
		layerNormScale: {Name: "Scale", Like: "X"},
		layerNormB:     {Name: "B", Like: "X", Optional: true},
	},
	Outputs: []op.Port{
		{Name: "Y", Like: "X"},
		{Name: "Mean", Types: elem.Of(tensor.Float32, tensor.BFloat16), Optional: true},
		{Name: "InvStdDev", Types: elem.Of(tensor.Float32, tensor.BFloat16), Optional: true},
	},
	Infer:   inferLayerNorm,
	Grad:    layerNormGrad,
	Lower:   lowerLayerNorm,
	Expand:  expandLayerNorm,
	Expands: hasOtherStash,
	Widen:   true,
	Precise: []int{1, 2},
	FLOPs:   op.PerInput(8),
}

func inferLayerNorm(c *op.Infer) error {
	x, axis, err := normAxis(c)
	if err != nil {
		return err
	}
	for i := 1; i < len(c.In) && c.In[i] != nil; i++ {
		if err := c.LikeInput0(i); err != nil {
			return err
		}
		if err := c.BroadcastsInto(i, x.Shape); err != nil {
			return err
		}
	}
	c.Out(0, x)
	shape := append([]ir.Dim{}, x.Shape...)
	for i := axis; i < len(shape); i++ {
		shape[i] = ir.C(1)
	}
	stash := tensor.DType(c.Int("stash_type"))
	if !stash.IsFloat() {
		return fmt.Errorf("stash_type is %s, want a float", stash)
	}
	c.OutTensor(1, stash, shape...)
	c.OutTensor(2, stash, shape...)
	return nil
}

func lowerLayerNorm(l *op.Lowering) error {
	x, scale, bias := l.In[layerNormX], l.In[layerNormScale], l.Arg(layerNormB)
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	y := l.OutOr(0, x.Type)
	inner, eps := ir.Size(op.Shape(x)[axis:]), l.Float("epsilon")
	if runsAlong(scale, op.Shape(x)[axis:]) && (bias == nil || runsAlong(bias, op.Shape(x)[axis:])) {
		l.Call("LayerNorm", y, l.Res(1), l.Res(2), x, scale, bias, inner, eps)
		return nil
	}
	var none *ir.Value
	l.Call("LayerNorm", y, l.Res(1), l.Res(2), x, none, none, inner, eps)
	l.Binary("Mul", y, y, scale)
	if bias != nil {
		l.Binary("Add", y, y, bias)
	}
	return nil
}

// hasOtherStash reports whether the statistics are wanted in another type than
// the kernel computes in.
func hasOtherStash(n *ir.Node) bool {
	if n.Res(1) == nil && n.Res(2) == nil {
		return false
	}
	t := n.In[layerNormX].Type.Elem
	return t.IsSmallFloat() || int(t) != n.Int("stash_type")
}

// expandLayerNorm computes everything in one type, and casts.
func expandLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	elem := n.In[layerNormX].Type.Elem
	to := op.Wide(elem)
	in := make([]*ir.Value, len(n.In))
	for i, v := range n.In {
		in[i] = op.CastTo(b, v, to)
	}
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("stash_type", int64(to))
	out := b.OpN("LayerNormalization", 3, attrs, in...)
	stash := tensor.DType(n.Int("stash_type"))
	out = []*ir.Value{op.CastTo(b, out[0], elem), op.CastTo(b, out[1], stash), op.CastTo(b, out[2], stash)}
	return out[:len(n.Out)], nil
}

// for x̂ = (x-mean)/σ and h = dy·scale: dx = (h - mean(h) - x̂·mean(h·x̂))/σ
func layerNormGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, scale := n.In[layerNormX], n.In[layerNormScale]
	attrs := op.Attrs("axis", n.Int("axis"), "epsilon", n.Float("epsilon"))
	var out []*ir.Value
	if dy[0] != nil {
		in := []*ir.Value{dy[0], x, scale}
		if n.Arg(layerNormB) != nil {
			in = append(in, n.In[layerNormB])
		}
		out = op.OwnNodes(b, "LayerNormGrad", len(n.In), attrs, in...)
	} else {
		out = make([]*ir.Value, 1)
	}
	out[0] = stashGrad(b, n, dy, out[0])
	return out
}

// stashGrad adds the gradients through the mean and 1/σ to dx: dmean/count - dinv·(x-mean)/σ³/count.
func stashGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value, dx *ir.Value) *ir.Value {
	x := n.In[layerNormX]
	add := func(v *ir.Value) {
		if v = b.Op("Div", b.Op("Expand", v, op.ShapeOf(b, x)), op.CountOf(b, x, op.Output(b, n, 1))); dx != nil {
			v = b.Op("Add", dx, v)
		}
		dx = v
	}
	if len(dy) > 1 && dy[1] != nil {
		add(op.CastTo(b, dy[1], x.Type.Elem))
	}
	if len(dy) > 2 && dy[2] != nil {
		mean, inv := op.CastTo(b, op.Output(b, n, 1), x.Type.Elem), op.CastTo(b, n.Out[2], x.Type.Elem)
		cube := b.Op("Mul", b.Op("Mul", inv, inv), b.Op("Mul", inv, op.CastTo(b, dy[2], x.Type.Elem)))
		add(b.Op("Neg", b.Op("Mul", b.Op("Sub", x, mean), cube)))
	}
	return dx
}
