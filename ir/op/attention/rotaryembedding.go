package attention

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [RotaryEmbedding].
const (
	rotaryX = iota
	rotaryCosCache
	rotarySinCache
	rotaryPositionIds
)

// RotaryEmbedding rotates each head's vector by angles that depend on its position.
//
// https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
var RotaryEmbedding = &op.Op{
	Name:  "RotaryEmbedding",
	Since: []int{23},
	Attrs: []op.Attr{
		{Name: "interleaved", Kind: op.Int, Default: 0},
		{Name: "num_heads", Kind: op.Int, Default: 0},
		{Name: "rotary_embedding_dim", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		rotaryX:           {Name: "X", Types: elem.Floats},
		rotaryCosCache:    {Name: "cos_cache", Like: "X"},
		rotarySinCache:    {Name: "sin_cache", Like: "X"},
		rotaryPositionIds: {Name: "position_ids", Types: elem.Int64s, Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferRotary,
	Grad:    rotaryGrad,
	Lower:   lowerRotary,
	InPlace: true,
	Widen:   true,
	Fixed:   []int{rotaryCosCache, rotarySinCache},
}

// rotary is the sizes of a node.
type rotary struct {
	batch, seq, heads, size, rotated ir.Dim
}

func readRotary(n *ir.Node) (r rotary, err error) {
	x := op.Shape(n.In[rotaryX])
	switch len(x) {
	case 3:
		h := n.Int("num_heads")
		if h < 1 {
			return r, fmt.Errorf("num_heads is %d, want at least 1 for an input of rank 3", h)
		}
		if d, ok := x[2].Const(); ok && d%h != 0 {
			return r, fmt.Errorf("%d elements are not divisible among %d heads", d, h)
		}
		r = rotary{batch: x[0], seq: x[1], heads: ir.C(h), size: x[2].Div(ir.C(h))}
	case 4:
		r = rotary{batch: x[0], seq: x[2], heads: x[1], size: x[3]}
	default:
		return r, fmt.Errorf("input %q has rank %d, want 3 or 4", n.In[rotaryX].Name, len(x))
	}
	r.rotated = r.size
	if d := n.Int("rotary_embedding_dim"); d != 0 {
		r.rotated = ir.C(d)
	}
	size, ok := r.size.Const()
	if d, known := r.rotated.Const(); known && (d < 0 || d%2 != 0 || ok && d > size) {
		return r, fmt.Errorf("cannot rotate %d of %s elements", d, r.size)
	}
	return r, nil
}

func inferRotary(c *op.Infer) error {
	x, err := c.FloatTensor(rotaryX)
	if err != nil {
		return err
	}
	r, err := readRotary(c.Node)
	if err != nil {
		return err
	}
	half := r.rotated.Div(ir.C(2))
	for i := 1; i < 3; i++ {
		if err := c.LikeInput0(i); err != nil {
			return err
		}
		want := []ir.Dim{r.batch, r.seq, half}
		if sharedAngles(c.Node) {
			want[0] = ir.C(1)
		}
		if c.Arg(rotaryPositionIds) != nil {
			if len(op.Shape(c.In[i])) != 2 {
				return fmt.Errorf("input %q has rank %d, want 2", c.In[i].Name, len(op.Shape(c.In[i])))
			}
			want = []ir.Dim{op.Shape(c.In[i])[0], half}
		}
		if err := c.HasShape(i, want...); err != nil {
			return err
		}
	}
	if pos := c.Arg(rotaryPositionIds); pos != nil {
		if err := c.HasShape(rotaryPositionIds, r.batch, r.seq); err != nil {
			return err
		}
		if pos.Type.Elem != tensor.Int64 {
			return fmt.Errorf("input %q is %s, want int64", pos.Name, pos.Type.Elem)
		}
	}
	c.Out(0, x)
	return nil
}

// sharedAngles reports whether all of the batch has the angles of one sequence. The
// standard's text has no such tables, but its function computes with them, and
// exporters write them.
func sharedAngles(n *ir.Node) bool {
	if n.Arg(rotaryPositionIds) != nil {
		return false
	}
	for _, v := range n.In[1:3] {
		if s := op.Shape(v); len(s) != 3 || !s[0].Is(1) {
			return false
		}
	}
	return true
}

func lowerRotary(l *op.Lowering) error {
	r, err := readRotary(l.Node)
	if err != nil {
		return err
	}
	fields := []op.Field{{Name: "Batch", Value: r.batch}, {Name: "Seq", Value: r.seq}, {Name: "Heads", Value: r.heads}, {Name: "Size", Value: r.size}, {Name: "Rotated", Value: r.rotated}}
	if len(op.Shape(l.In[rotaryX])) == 4 {
		fields = append(fields, op.Field{Name: "HeadsFirst", Value: true})
	}
	if l.Int("interleaved") != 0 {
		fields = append(fields, op.Field{Name: "Interleaved", Value: true})
	}
	if sharedAngles(l.Node) {
		fields = append(fields, op.Field{Name: "Shared", Value: true})
	}
	l.Call("RotaryEmbedding", l.Out[0], l.In[rotaryX], l.In[rotaryCosCache], l.In[rotarySinCache], l.Arg(rotaryPositionIds), op.Struct{Type: "Rotary", Fields: fields})
	return nil
}

// dx = dy, rotated back; dcos and dsin are sums over the heads of
//
//	dcos = x₁·dy₁ + x₂·dy₂
//	dsin = x₁·dy₂ - x₂·dy₁
func rotaryGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	in := append([]*ir.Value{dy[0], n.In[rotaryCosCache], b.Op("Neg", n.In[rotarySinCache])}, n.In[3:]...)
	dx := b.OpA("RotaryEmbedding", n.Attrs, in...)
	x1, x2 := rotaryHalves(b, n, n.In[rotaryX])
	g1, g2 := rotaryHalves(b, n, dy[0])
	dcos := b.Op("Add", b.Op("Mul", x1, g1), b.Op("Mul", x2, g2))
	dsin := b.Op("Sub", b.Op("Mul", x1, g2), b.Op("Mul", x2, g1))
	out := []*ir.Value{dx, dcos, dsin}
	for i := 1; i < 3; i++ {
		out[i] = b.OpA("ReduceSum", op.Attrs("keepdims", 0), out[i], b.Ints(2))
		if sharedAngles(n) {
			out[i] = b.OpA("ReduceSum", op.Attrs("keepdims", 1), out[i], b.Ints(0))
		}
		if pos := n.Arg(rotaryPositionIds); pos != nil {
			out[i] = op.OwnNode(b, "GatherGrad", nil, out[i], pos, n.In[i])
		}
	}
	return out
}

// rotaryHalves returns the two elements of each pair that a node rotates, as [batch,
// seq, heads, pairs].
func rotaryHalves(b *ir.Builder, n *ir.Node, v *ir.Value) (one, two *ir.Value) {
	if len(op.Shape(v)) == 4 {
		v = b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 1, 3}), v)
	} else {
		v = b.Op("Reshape", v, b.Ints(0, 0, n.Int("num_heads"), -1))
	}
	if d := n.Int("rotary_embedding_dim"); d != 0 {
		v = op.Leading(b, v, b.Ints(d), 3)
	}
	axis, shape := 3, []int{0, 0, 0, 2, -1}
	if n.Int("interleaved") != 0 {
		axis, shape = 4, []int{0, 0, 0, -1, 2}
	}
	pair := b.Op("Reshape", v, b.Ints(shape...))
	at := func(i float64) *ir.Value {
		return b.OpA("Gather", op.Attrs("axis", axis), pair, b.Scalar(tensor.Int64, i))
	}
	return at(0), at(1)
}
