package nn

import (
	"cmp"

	"github.com/bbgen/bbgen/dsl"
)

// MaxPool2D returns the largest element in each window of an image. Stride defaults to Kernel.
type MaxPool2D struct{ Kernel, Stride, Padding int }

// Forward returns the largest elements.
func (p *MaxPool2D) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	return g.MaxPool(x, window(p.Kernel, cmp.Or(p.Stride, p.Kernel), p.Padding))
}

// AvgPool2D returns the mean of each window of an image; padding counts as zeros. Stride defaults to Kernel.
type AvgPool2D struct{ Kernel, Stride, Padding int }

// Forward returns the means.
func (p *AvgPool2D) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	a := window(p.Kernel, cmp.Or(p.Stride, p.Kernel), p.Padding)
	a["count_include_pad"] = 1
	return g.AveragePool(x, a)
}

// The mean or the largest element of each channel of an image. Height and width become axes of size 1.
var (
	GlobalAvgPool2D Func = operator("GlobalAveragePool")
	GlobalMaxPool2D Func = operator("GlobalMaxPool")
)

// AdaptiveAvgPool2D returns the means of Height times Width windows that evenly cover an image. The sizes of
// the image must be known.
type AdaptiveAvgPool2D struct{ Height, Width int }

// Forward returns the means.
func (p *AdaptiveAvgPool2D) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	return adaptive(g, "AdaptiveAvgPool2D", "ReduceMean", x, p.Height, p.Width)
}

// AdaptiveMaxPool2D returns the largest elements of Height times Width windows that evenly cover an image.
// The sizes of the image must be known.
type AdaptiveMaxPool2D struct{ Height, Width int }

// Forward returns the largest elements.
func (p *AdaptiveMaxPool2D) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	return adaptive(g, "AdaptiveMaxPool2D", "ReduceMax", x, p.Height, p.Width)
}

// adaptive reduces height and width to the given sizes.
func adaptive(g *dsl.Graph, layer, reduce string, x dsl.Value, want ...int) dsl.Value {
	shape := x.Shape()
	switch {
	case !rank(g, layer, x, 4) || shape == nil:
		return x
	case want[0] < 1 || want[1] < 1:
		return g.Fail("%s: Height and Width are %v, want 1 or more", layer, want)
	case shape[2] < 1 || shape[3] < 1:
		return g.Fail("%s: the input is %s, want height and width that are known", layer, x.Type())
	}
	for i, n := range want {
		x = windows(g, reduce, x, 2+i, shape[2+i], n)
	}
	return x
}

// windows reduces an axis to n windows: window i begins at ⌊i·size/n⌋ and ends before
// ⌈(i+1)·size/n⌉, as in PyTorch.
func windows(g *dsl.Graph, reduce string, x dsl.Value, axis, size, n int) dsl.Value {
	if size == n {
		return x
	}
	parts := make([]dsl.Value, n)
	for i := range parts {
		part := x
		if n > 1 {
			part = g.Slice(x, axis, i*size/n, ((i+1)*size+n-1)/n)
		}
		parts[i] = g.Op(reduce, dsl.Attrs{"keepdims": 1}, part, g.Const([]int{axis}))
	}
	if n == 1 {
		return parts[0]
	}
	return g.Concat(axis, parts...)
}
