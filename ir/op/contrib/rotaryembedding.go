package contrib

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [RotaryEmbedding].
const (
	rotaryInput = iota
	rotaryPositionIds
	rotaryCosCache
	rotarySinCache
)

// RotaryEmbedding rotates pairs of elements by angles that follow from their positions. Its positions come before
// the tables, where those of ONNX's operator come last.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.RotaryEmbedding
var RotaryEmbedding = &op.Op{
	Name:   "RotaryEmbedding",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "interleaved", Kind: op.Int, Default: 0},
		{Name: "is_packed_batching", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "num_heads", Kind: op.Int, Default: 0},
		{Name: "rotary_embedding_dim", Kind: op.Int, Default: 0},
		{Name: "scale", Kind: op.Float, Default: 1.0},
	},
	Inputs: []op.Port{
		rotaryInput:       {Name: "input", Types: elem.Floats},
		rotaryPositionIds: {Name: "position_ids", Types: elem.Indices},
		rotaryCosCache:    {Name: "cos_cache", Like: "input"},
		rotarySinCache:    {Name: "sin_cache", Like: "input"},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Expand:  rotaryEmbedding,
}

// rotaryEmbedding has the positions before the tables, or the first position.
func rotaryEmbedding(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if s := n.Float("scale"); s != 1 {
		return nil, fmt.Errorf("scale is %g, want 1", s)
	}
	if err := errors.Join(needRank(n, rotaryInput, 3, 4), needRank(n, rotaryPositionIds, 1, 2), needRank(n, rotaryCosCache, 2)); err != nil {
		return nil, err
	}
	x, at, cos := n.In[rotaryInput], n.In[rotaryPositionIds], n.In[rotaryCosCache]
	attrs := given(n, "interleaved", "num_heads", "rotary_embedding_dim")
	seq, half := 1, op.Shape(cos)[len(op.Shape(cos))-1]
	if len(op.Shape(x)) == 4 {
		seq = 2
	} else if n.Int("num_heads") == 0 {
		width, ok1 := op.Shape(x)[len(op.Shape(x))-1].Const()
		h, ok2 := half.Const()
		if !ok1 || !ok2 || h == 0 {
			return nil, fmt.Errorf("num_heads is 0, and the sizes %v and %s do not determine it", op.Shape(x), half)
		}
		attrs.Set("num_heads", int64(width/(2*h)))
	}
	if len(op.Shape(at)) == 1 {
		shape := b.OpA("Concat", op.Attrs("axis", 0), op.SizeOf(b, x, 0), op.SizeOf(b, x, seq))
		at = b.Op("Expand", countFrom(b, at, op.SizeOf(b, x, seq)), shape)
	}
	return []*ir.Value{b.OpA("RotaryEmbedding", attrs, x, cos, n.In[rotarySinCache], at)}, nil
}
