package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// image returns a value of one to three axes of space.
func (d *drawer) image() *ir.Value {
	rank := one(d, 3, 4, 4, 4, 4, 5)
	v := d.pick(func(v *ir.Value) bool {
		return v.Type.Elem == tensor.Float32 && len(v.Type.Shape) == rank && sizes(v)[1] > 0
	})
	if v != nil && !d.chance(6) {
		return v
	}
	shape := []ir.Dim{one(d, ir.C(1), ir.C(2), ir.Sym("n")), ir.C(one(d, 1, 2, 3, 4, 8, 16, 17))}
	for range rank - 2 {
		shape = append(shape, one(d, ir.C(3), ir.C(5), ir.C(6), ir.C(7), ir.Sym("n")))
	}
	return d.input(tensor.Float32, shape)
}

// convolution adds a convolution and nodes that often surround one.
func (d *drawer) convolution() {
	x := d.image()
	if d.chance(8) {
		pads := make([]int, 2*len(x.Type.Shape))
		for i := range pads {
			if k := i % len(x.Type.Shape); k > 1 || d.chance(30) {
				pads[i] = d.rng.IntN(3)
			}
		}
		x = d.op("Pad", x, d.ints(pads...), d.scalar(tensor.Float32, one(d, 0.0, 0, 1)))
	}
	c := need(sizes(x)[1])
	groups := 1
	switch {
	case d.chance(4):
		groups = c
	case c%2 == 0 && d.chance(4):
		groups = 2
	}
	filters := groups * one(d, 1, 1, 2, 3, 4, 8, 16)
	if filters > 64 {
		panic(misfit{})
	}
	y := d.convolve(x, c, groups, filters)
	for range d.rng.IntN(3) {
		if d.chance(3) {
			y = d.branches(x, y, c, filters)
		}
	}
	if d.chance(5) {
		y = d.batchNorm(y)
	}
	d.channelEpilogue(y, filters)
}

func (d *drawer) convolve(x *ir.Value, c, groups, filters int) *ir.Value {
	space := len(x.Type.Shape) - 2
	kernel, a := d.window(space)
	a.Set("group", int64(groups))
	if d.chance(8) {
		w := append([]int{c, filters / groups}, kernel...)
		return d.opA("ConvTranspose", a, x, d.constant(tensor.Float32, w...))
	}
	if space == 2 && d.chance(8) {
		a = attrs("group", groups, "auto_pad", one(d, "SAME_UPPER", "SAME_LOWER", "VALID"))
	}
	in := []*ir.Value{x, d.constant(tensor.Float32, append([]int{filters, c / groups}, kernel...)...)}
	if d.chance(2) {
		in = append(in, d.constant(tensor.Float32, filters))
	}
	return d.opA("Conv", a, in...)
}

// window returns the size of a kernel, and attributes for its strides, padding and dilations.
func (d *drawer) window(space int) ([]int, ir.Attrs) {
	var kernel, strides, dilations []int
	k := one(d, 1, 1, 2, 3, 3)
	pads := make([]int, 2*space)
	for range space {
		if d.chance(6) {
			k = 1 + d.rng.IntN(3)
		}
		kernel = append(kernel, k)
		strides = append(strides, one(d, 1, 1, 1, 2))
		dilations = append(dilations, one(d, 1, 1, 1, 1, 1, 2))
	}
	p := k / 2 * one(d, 1, 1, 0)
	for i := range pads {
		pads[i] = p
		if d.chance(8) {
			pads[i] = d.rng.IntN(k)
		}
	}
	a := attrs("kernel_shape", kernel, "pads", pads, "strides", strides, "dilations", dilations)
	return kernel, a
}

// channelEpilogue is [drawer.epilogue], preceded by an operand with one element for each channel.
func (d *drawer) channelEpilogue(y *ir.Value, channels int) {
	if d.chance(3) {
		shape := []int{channels}
		for range len(y.Type.Shape) - 2 {
			shape = append(shape, 1)
		}
		y = d.op(one(d, "Add", "Mul"), d.eitherWay(y, d.constant(tensor.Float32, shape...))...)
	}
	y = d.epilogue(y)
	switch d.rng.IntN(10) {
	case 0: // squeeze and excitation
		g := d.op("Sigmoid", d.op("GlobalAveragePool", y))
		d.op("Mul", d.eitherWay(y, g)...)
	case 1:
		d.opA("Concat", attrs("axis", one(d, 1, 1, 0)), y, y)
	case 2:
		d.op("Add", y, d.convolve(y, channels, 1, channels))
	}
}

// pooling adds a pool.
func (d *drawer) pooling() {
	x := d.image()
	kernel, a := d.window(len(x.Type.Shape) - 2)
	a.Set("kernel_shape", attrs("k", kernel)[0].Value)
	switch name := one(d, "MaxPool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool"); name {
	case "GlobalAveragePool", "GlobalMaxPool":
		d.op(name, x)
	default:
		if name == "AveragePool" {
			a.Set("count_include_pad", int64(d.rng.IntN(2)))
		}
		if d.chance(4) {
			a.Set("ceil_mode", int64(1))
		}
		d.opA(name, a, x)
	}
}
