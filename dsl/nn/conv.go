package nn

import (
	"cmp"
	"math"

	"github.com/bbgen/bbgen/dsl"
)

// Conv2D is a convolution of images with the axes batch, channels, height and width. Stride, Dilation and
// Groups default to 1.
type Conv2D struct {
	In, Out, Kernel                   int
	Stride, Padding, Dilation, Groups int
	NoBias                            bool

	Weight *Parameter // [Out, In/Groups, Kernel, Kernel]
	Bias   *Parameter // [Out]
}

func (c *Conv2D) build() {
	in := c.In / cmp.Or(max(c.Groups, 0), 1)
	if c.Weight == nil {
		c.Weight = &Parameter{Shape: []int{c.Out, in, c.Kernel, c.Kernel}, Init: KaimingUniform(math.Sqrt(5))}
	}
	if c.Bias == nil && !c.NoBias {
		c.Bias = &Parameter{Shape: []int{c.Out}, Init: biasOf(in * c.Kernel * c.Kernel)}
	}
}

// Forward returns the convolution of x plus the bias.
func (c *Conv2D) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if !rank(g, "Conv2D", x, 4) || !size(g, "Conv2D", "In", x, 1, c.In) {
		return x
	}
	var b dsl.Value
	if !c.NoBias {
		b = c.Bias.Value(g)
	}
	a := window(c.Kernel, c.Stride, c.Padding)
	a["group"] = cmp.Or(c.Groups, 1)
	d := cmp.Or(c.Dilation, 1)
	a["dilations"] = []int{d, d}
	return g.Conv(x, c.Weight.Value(g), b, a)
}

// window returns the attributes of a sliding window.
func window(kernel, stride, padding int) dsl.Attrs {
	stride = cmp.Or(stride, 1)
	return dsl.Attrs{
		"kernel_shape": []int{kernel, kernel},
		"strides":      []int{stride, stride},
		"pads":         []int{padding, padding, padding, padding},
	}
}
