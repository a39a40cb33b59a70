package randomgraph

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// branches adds or subtracts another branch of the images x beside their convolution y: a convolution whose windows are a part of
// y's, most times with the same steps, or a normalization.
func (d *drawer) branches(x, y *ir.Value, c, filters int) *ir.Value {
	conv := y.Def
	if conv.Op != "Conv" || conv.Ints("dilations") == nil {
		return y
	}
	if c == filters && d.chance(3) {
		return d.sum(y, d.batchNorm(x))
	}
	groups := one(d, 1, conv.Int("group"), conv.Int("group"), c)
	if filters%groups != 0 || c%groups != 0 {
		return y
	}
	kernel, strides, dilations := conv.Ints("kernel_shape"), conv.Ints("strides"), slices.Clone(conv.Ints("dilations"))
	pads := slices.Clone(conv.Ints("pads"))
	space := len(kernel)
	kernel = slices.Clone(kernel)
	for i, k := range kernel {
		size := 1 + d.rng.IntN(k)
		before := d.rng.IntN(k - size + 1)
		pads[i] = max(0, pads[i]-before*dilations[i])
		pads[space+i] = max(0, pads[space+i]-(k-size-before)*dilations[i])
		if kernel[i] = size; size == 1 && d.chance(2) {
			dilations[i] = 1
		}
	}
	a := attrs("group", groups, "kernel_shape", kernel, "pads", pads, "strides", strides, "dilations", dilations)
	in := []*ir.Value{x, d.constant(tensor.Float32, append([]int{filters, c / groups}, kernel...)...)}
	if d.chance(2) {
		in = append(in, d.constant(tensor.Float32, filters))
	}
	return d.sum(y, d.opA("Conv", a, in...))
}

// sum adds two values, or subtracts one from the other.
func (d *drawer) sum(a, b *ir.Value) *ir.Value {
	return d.op(one(d, "Add", "Add", "Sub"), d.eitherWay(a, b)...)
}
