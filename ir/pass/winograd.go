package pass

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/conv"
	"github.com/bbgen/bbgen/ir/target"
)

// Winograd marks the convolutions that are faster with Winograd's transforms, according to measurements or
// the cost model. The rounding errors of their results are about ten times those of the direct form.
var Winograd = &Pass{Name: "winograd", Run: winograd, After: []*Pass{Layout}}

func winograd(c *Context, m *ir.Module) error {
	if c.Layout == ChannelsFirst {
		return nil
	}
	t := target.Or(c.Target)
	found := map[string]bool{}
	m.Main.Body.Walk(func(n *ir.Node) {
		if n.Op == "ConvLast" && n.Domain == op.Own {
			c.Convs++
		}
		z, ok := conv.WinogradSuits(n, t)
		if !ok {
			return
		}
		found[n.Name] = true
		pick := cmp.Or(c.Conv, c.measured(n.Name, z.String()), fasterConv(t, z))
		switch pick {
		case ByWinograd:
			n.Attrs.Set("winograd", int64(conv.LargeTiles))
		case BySmallWinograd:
			n.Attrs.Set("winograd", int64(conv.SmallTiles))
		}
		c.Choices = append(c.Choices, Choice{Node: n.Name, What: z.String(), Pick: pick})
	})
	if c.Tuned == nil {
		return nil
	}
	for _, old := range c.Tuned.Choices {
		if !found[old.Node] {
			c.stale("node %q (%s): there is no such convolution any more", old.Node, old.What)
		}
	}
	return nil
}

// measured returns the fastest algorithm measured for a node, or "" if this node was not measured.
func (c *Context) measured(node, what string) string {
	if c.Tuned == nil {
		return ""
	}
	i := slices.IndexFunc(c.Tuned.Choices, func(t Choice) bool { return t.Node == node })
	if i < 0 {
		return ""
	}
	t := c.Tuned.Choices[i]
	if t.What != what {
		c.stale("node %q was measured as %s, and is %s", node, t.What, what)
		return ""
	}
	return t.Pick
}

// fasterConv returns the fastest algorithm of a convolution on a target. Winograd's transforms must be faster than none by an
// eighth, to make up for their larger rounding errors and memory. Small tiles take more products, and fewer filters: they
// are faster where the filters are large and the pixels few.
func fasterConv(t *target.Target, z conv.WinogradSizes) string {
	pick, w := ByWinograd, winogradTime(t, z, 4)
	if small := winogradTime(t, z, 2); small < w {
		pick, w = BySmallWinograd, small
	}
	if w+w/8 < directTime(t, z) {
		return pick
	}
	return Direct
}

// Sizes in the formulas of the cost model.
const (
	taps      = 3 * 3 // of a filter
	floatSize = 4     // in bytes
)

// products returns the multiply-adds of one pixel with one tap of all filters, of which kernels compute several together.
func products(t *target.Target, z conv.WinogradSizes) int {
	return z.Channels * (divideUp(z.Filters, t.Columns) * t.Columns)
}

// divideUp returns the quotient of a and b, rounded up.
func divideUp(a, b int) int { return (a + b - 1) / b }

// directTime returns the time of a direct convolution of one image in nanoseconds: for the products, and for
// reading the filters.
func directTime(t *target.Target, z conv.WinogradSizes) int {
	size := products(t, z)
	return z.Groups * (z.Height*z.Width*taps*size/t.Products + floatSize*taps*size/t.Bytes)
}

// winogradTime returns the time of a convolution with Winograd's transforms for tiles of side×side pixels in nanoseconds: for a
// quarter or 4/9 of the products, the transforms, and filters of four times or 16/9 the size.
func winogradTime(t *target.Target, z conv.WinogradSizes, side int) int {
	tiles, tileTaps := divideUp(z.Height, side)*divideUp(z.Width, side), (side+2)*(side+2)
	size := products(t, z)
	multiply := tiles * tileTaps * size / t.Products
	transform := tiles * tileTaps * (z.Channels + z.Filters) * 4 / t.Transforms // the speed is that of four nanoseconds
	read := floatSize * tileTaps * size / t.Bytes
	return z.Groups * (multiply + transform + read + t.Call)
}
