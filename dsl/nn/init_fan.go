package nn

import (
	"fmt"
	"math"
)

// fans returns the number of inputs for each output of a weight, and the number of outputs for each input.
// The axes of a weight are outputs, inputs and, for a convolution, the positions of its kernel.
func fans(shape []int) (in, out float64, err error) {
	if len(shape) < 2 {
		return 0, 0, fmt.Errorf("the shape is %v, want 2 axes or more: outputs and inputs", shape)
	}
	places := 1.0
	for _, n := range shape[2:] {
		places *= float64(n)
	}
	return float64(shape[1]) * places, float64(shape[0]) * places, nil
}

// scaled returns an initializer with mean 0 and a standard deviation that depends on the shape.
func scaled(draw func(std float64) Initializer, std func(in, out float64) float64) Initializer {
	return func(dst []float32, shape []int, seed int) error {
		in, out, err := fans(shape)
		if err != nil {
			return err
		}
		return draw(std(in, out))(dst, shape, seed)
	}
}

// flat returns the uniform distribution with the given standard deviation.
func flat(std float64) Initializer { return Uniform(-math.Sqrt(3)*std, math.Sqrt(3)*std) }

func normal(std float64) Initializer { return Normal(0, std) }

// XavierUniform returns an initializer that preserves the variance from layer to layer, forward and backward.
// The gain is that of the activation after the weight, or 1 without one; see [Gain].
//
// Glorot and Bengio, Understanding the difficulty of training deep feedforward neural
// networks, 2010, https://proceedings.mlr.press/v9/glorot10a.html
func XavierUniform(gain float64) Initializer { return scaled(flat, xavier(gain)) }

// XavierNormal is like [XavierUniform], with a normal distribution.
func XavierNormal(gain float64) Initializer { return scaled(normal, xavier(gain)) }

func xavier(gain float64) func(in, out float64) float64 {
	return func(in, out float64) float64 { return gain * math.Sqrt(2/(in+out)) }
}

// KaimingUniform returns an initializer that preserves the variance of the forward pass through activations
// that are x for positive x and slope·x otherwise. A slope of 0 is ReLU.
//
// He et al., Delving Deep into Rectifiers, 2015, https://arxiv.org/abs/1502.01852
func KaimingUniform(slope float64) Initializer { return scaled(flat, kaiming(slope)) }

// KaimingNormal is like [KaimingUniform], with a normal distribution.
func KaimingNormal(slope float64) Initializer { return scaled(normal, kaiming(slope)) }

func kaiming(slope float64) func(in, out float64) float64 {
	return func(in, _ float64) float64 { return math.Sqrt(2 / ((1 + slope*slope) * in)) }
}

// Gain returns the factor by which an activation reduces the standard deviation, for [XavierUniform] and
// [Orthogonal]. It is 1 for activations other than "tanh", "relu" and "selu".
func Gain(activation string) float64 {
	switch activation {
	case "tanh":
		return 5.0 / 3
	case "relu":
		return math.Sqrt2
	case "selu":
		return 3.0 / 4
	}
	return 1
}
