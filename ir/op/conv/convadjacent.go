package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/target"
)

// adjacent returns the number of positions of a line that a ConvLast of few filters should compute at once, as
// if they were filters of one position: see ConvLastAdjacent32. Vectors are then better used, but windows are
// larger and their filters are partly zero.
func (c *conv) adjacent(w, res *ir.Value, t *target.Target) int {
	last := len(c.in) - 1
	filters, depth, lines, taps := lineFilters(w)
	step, ok := c.stride[last].Const()
	if !ok || res != nil || c.groups != 1 || filters < 1 || filters > target.Panel/2 || !c.dilation[last].Is(1) {
		return 1
	}
	cost := func(places int) int { return (taps + (places-1)*step) * columnCost(filters*places, t) }
	best := 1
	for places := 2; places*filters <= target.Panel; places++ {
		if width, ok := c.out[last].Const(); ok && places > width || (taps+(places-1)*step)*lines*depth*target.Panel > t.Kept() {
			break
		}
		if cost(places)*best < cost(best)*places {
			best = places
		}
	}
	if 8*cost(best) < t.Limits.Adjacent*best*cost(1) {
		return best
	}
	return 1
}

// columnCost returns the relative cost of a step of a product with the given number of columns, up to those of a panel.
func columnCost(n int, t *target.Target) int {
	if n > target.Panel/2 {
		return target.Panel
	}
	return t.HalfPanel
}

// lineFilters returns the sizes of filters with the last axis along a line.
func lineFilters(w *ir.Value) (filters, depth, lines, taps int) {
	s := w.Const.Shape
	filters, depth, lines, taps = s[0], s[1], 1, s[len(s)-1]
	for _, k := range s[2 : len(s)-1] {
		lines *= k
	}
	return filters, depth, lines, taps
}

// adjacentFilters are filters as ConvLastAdjacent32 reads them.
func (c *conv) adjacentFilters(w *ir.Value, places int) op.Packed {
	filters, depth, lines, taps := lineFilters(w)
	step, _ := c.stride[len(c.in)-1].Const()
	return op.Packed{Value: w, Packer: "PackConvAdjacent32", Dims: []int{filters, depth, lines, taps, step, places}}
}
