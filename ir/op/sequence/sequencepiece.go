package sequence

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// piece is a part of a tensor that SplitToSequence and SequenceAt extract: the elements in a range along an
// axis, or the one at a position without the axis.
type piece struct {
	x        *ir.Value
	axis     int
	from, to int
	one      bool
}

// pieceAt returns the piece that n extracts. It is not ok if that is known only at run time.
func pieceAt(n *ir.Node) (p piece, ok bool) {
	v := op.Source(n.In[atInputSequence])
	if v == nil || !v.Def.Is("SplitToSequence") {
		return p, false
	}
	split := v.Def
	p.x, p.one = split.In[splitToInput], split.Arg(splitToSplit) == nil && split.Int("keepdims") == 0
	shape := op.Shape(p.x)
	axis, err := op.Axis(split.Int("axis"), len(shape))
	if err != nil || len(shape) == 0 {
		return p, false
	}
	p.axis = axis
	size, ok := shape[axis].Const()
	if !ok {
		return p, false
	}
	ends, ok := pieceEnds(split.Arg(splitToSplit), size)
	if !ok {
		return p, false
	}
	at, ok := listedAt(n.In[atPosition], len(ends), len(ends))
	if !ok {
		return p, false
	}
	if at > 0 {
		p.from = ends[at-1]
	}
	p.to = ends[at]
	return p, true
}

// pieceEnds returns the ends of the pieces of an axis of n elements.
func pieceEnds(split *ir.Value, n int) (ends []int, ok bool) {
	if n < 1 || n > maxItems {
		return nil, false
	}
	if split == nil {
		for i := range n {
			ends = append(ends, i+1)
		}
		return ends, true
	}
	elems, _ := op.Content(split)
	sizes, ok := ir.Static(elems)
	if !ok || len(sizes) == 0 {
		return nil, false
	}
	if len(op.Shape(split)) == 0 {
		if sizes[0] < 1 {
			return nil, false
		}
		for end := sizes[0]; end < n; end += sizes[0] {
			ends = append(ends, end)
		}
		return append(ends, n), true
	}
	end := 0
	for _, size := range sizes {
		if size < 0 || size > n-end {
			return nil, false
		}
		end += size
		ends = append(ends, end)
	}
	return ends, end == n
}

// shape returns the shape of the piece.
func (p *piece) shape() []ir.Dim {
	out := append([]ir.Dim{}, op.Shape(p.x)...)
	if p.one {
		return append(out[:p.axis], out[p.axis+1:]...)
	}
	out[p.axis] = ir.C(p.to - p.from)
	return out
}

// cut returns the piece as a slice of the tensor.
func (p *piece) cut(b *ir.Builder) *ir.Value {
	y := b.Op("Slice", p.x, b.Ints(p.from), b.Ints(p.to), b.Ints(p.axis))
	if p.one {
		y = b.Op("Squeeze", y, b.Ints(p.axis))
	}
	return y
}
