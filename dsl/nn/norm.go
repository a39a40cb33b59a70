package nn

import (
	"cmp"

	"github.com/bbgen/bbgen/dsl"
)

// BatchNorm normalizes each channel, along axis 1, to mean 0 and variance 1, and then scales and shifts it.
// In training, the moments are those of the batch, and the running moments are updated with Momentum. In
// inference, they are the running moments.
//
// Ioffe and Szegedy, Batch Normalization, https://arxiv.org/abs/1502.03167
type BatchNorm struct {
	Size     int     // number of channels
	Momentum float64 // 0 is 0.1
	Epsilon  float64 // 0 is 1e-5

	Weight, Bias            *Parameter // [Size]
	RunningMean, RunningVar *Parameter // [Size]
}

func (n *BatchNorm) build() {
	affine(n.Size, &n.Weight, &n.Bias)
	affine(n.Size, &n.RunningVar, &n.RunningMean)
}

// affine creates the scale and the shift of a norm, initially 1 and 0.
func affine(size int, scale, shift **Parameter) {
	if *scale == nil {
		*scale = &Parameter{Shape: []int{size}, Init: Ones()}
	}
	if *shift == nil {
		*shift = &Parameter{Shape: []int{size}, Init: Zeros()}
	}
}

// Forward returns x normalized.
func (n *BatchNorm) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if !size(g, "BatchNorm", "Size", x, 1, n.Size) {
		return x
	}
	a := dsl.Attrs{"epsilon": cmp.Or(n.Epsilon, 1e-5), "momentum": 1 - cmp.Or(n.Momentum, 0.1), "training_mode": 1}
	return g.OpN("BatchNormalization", 3, a, x, n.Weight.Value(g), n.Bias.Value(g), n.RunningMean.Value(g), n.RunningVar.Value(g))[0]
}

// LayerNorm normalizes x along the last axis to mean 0 and variance 1, and then scales and shifts it.
//
// Ba et al., Layer Normalization, https://arxiv.org/abs/1607.06450
type LayerNorm struct {
	Size    int     // of the last axis
	Epsilon float64 // 0 is 1e-5

	Weight, Bias *Parameter // [Size]
}

func (n *LayerNorm) build() { affine(n.Size, &n.Weight, &n.Bias) }

// Forward returns x normalized.
func (n *LayerNorm) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if !size(g, "LayerNorm", "Size", x, -1, n.Size) {
		return x
	}
	a := dsl.Attrs{"axis": -1, "epsilon": cmp.Or(n.Epsilon, 1e-5)}
	return g.Op("LayerNormalization", a, x, n.Weight.Value(g), n.Bias.Value(g))
}

// GroupNorm normalizes groups of channels, along axis 1, to mean 0 and variance 1, and then scales and shifts
// each channel.
//
// Wu and He, Group Normalization, https://arxiv.org/abs/1803.08494
type GroupNorm struct {
	Groups, Size int     // Size is the number of channels
	Epsilon      float64 // 0 is 1e-5

	Weight, Bias *Parameter // [Size]
}

func (n *GroupNorm) build() { affine(n.Size, &n.Weight, &n.Bias) }

// Forward returns x normalized.
func (n *GroupNorm) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if n.Groups < 1 || n.Size%n.Groups != 0 {
		return g.Fail("GroupNorm: %d channels in %d groups, want groups of one size", n.Size, n.Groups)
	}
	if !size(g, "GroupNorm", "Size", x, 1, n.Size) {
		return x
	}
	a := dsl.Attrs{"num_groups": n.Groups, "epsilon": cmp.Or(n.Epsilon, 1e-5)}
	return g.Op("GroupNormalization", a, x, n.Weight.Value(g), n.Bias.Value(g))
}
