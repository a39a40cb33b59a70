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
	found := map[string]bool{}
	m.Main.Body.Walk(func(n *ir.Node) {
		if n.Op == "ConvLast" && n.Domain == op.Own {
			c.Convs++
		}
		z, ok := conv.WinogradSuits(n)
		if !ok {
			return
		}
		found[n.Name] = true
		pick := cmp.Or(c.Conv, c.measured(n.Name, z.String()), fasterConv(c.Target, z))
		if pick == ByWinograd {
			n.Attrs.Set("winograd", int64(1))
		}
		c.Choices = append(c.Choices, Choice{Node: n.Name, What: z.String(), Pick: pick})
	})
	if c.Tuned == nil {
		return nil
	}
	for _, t := range c.Tuned.Choices {
		if !found[t.Node] {
			c.stale("node %q (%s): there is no such convolution any more", t.Node, t.What)
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

// fasterConv returns the faster algorithm of a convolution on a target. Winograd's transforms must be
// sufficiently faster to make up for their larger rounding errors and memory.
func fasterConv(t *target.Target, z conv.WinogradSizes) string {
	if t == nil {
		t = target.Default
	}
	if w := winogradTime(t, z); w+w/8 < directTime(t, z) {
		return ByWinograd
	}
	return Direct
}

// products returns the multiply-adds of one pixel with one tap of all filters, which kernels compute in vectors of eight.
func products(z conv.WinogradSizes) int { return z.Channels * ((z.Filters + 7) / 8 * 8) }

// directTime returns the time of a direct convolution of one image in nanoseconds: for the products, and for
// reading the filters.
func directTime(t *target.Target, z conv.WinogradSizes) int {
	size := products(z)
	return z.Groups * (z.Height*z.Width*9*size/t.Products + 4*9*size/t.Bytes)
}

// winogradTime returns the time of a convolution with Winograd's transforms in nanoseconds: for a quarter of
// the products, the transforms, and filters of four times the size.
func winogradTime(t *target.Target, z conv.WinogradSizes) int {
	tiles := (z.Height + 3) / 4 * ((z.Width + 3) / 4)
	size := products(z)
	return z.Groups * (tiles*36*size/t.Products + tiles*36*(z.Channels+z.Filters)*4/t.Transforms + 4*36*size/t.Bytes + t.Call)
}
