package nn

import (
	"fmt"
	"math"
)

// fans returns how many inputs reach an output of a weight, and how many outputs an input
// reaches. The axes of a weight are outputs, inputs and, of a convolution, the places
// of its kernel.
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

// scaled draws, with mean 0, at the standard deviation that suits the shape.
func scaled(draw func(std float64) Initializer, std func(in, out float64) float64) Initializer {
	return func(dst []float32, shape []int, seed int) error {
		in, out, err := fans(shape)
		if err != nil {
			return err
		}
		return draw(std(in, out))(dst, shape, seed)
	}
}

// flat draws uniformly with the given standard deviation.
func flat(std float64) Initializer { return Uniform(-math.Sqrt(3)*std, math.Sqrt(3)*std) }

func normal(std float64) Initializer { return Normal(0, std) }

// XavierUniform keeps the variance from layer to layer, forward and backward. The gain
// is that of the activation behind the weight, 1 for none; see [Gain].
//
// Glorot and Bengio, Understanding the difficulty of training deep feedforward neural
// networks, 2010, https://proceedings.mlr.press/v9/glorot10a.html
func XavierUniform(gain float64) Initializer { return scaled(flat, xavier(gain)) }

// XavierNormal is [XavierUniform] with a normal distribution.
func XavierNormal(gain float64) Initializer { return scaled(normal, xavier(gain)) }

func xavier(gain float64) func(in, out float64) float64 {
	return func(in, out float64) float64 { return gain * math.Sqrt(2/(in+out)) }
}

// KaimingUniform keeps the variance of what flows forward through activations that are
// x above 0 and slope·x below: a slope of 0 is ReLU.
//
// He et al., Delving Deep into Rectifiers, 2015, https://arxiv.org/abs/1502.01852
func KaimingUniform(slope float64) Initializer { return scaled(flat, kaiming(slope)) }

// KaimingNormal is [KaimingUniform] with a normal distribution.
func KaimingNormal(slope float64) Initializer { return scaled(normal, kaiming(slope)) }

func kaiming(slope float64) func(in, out float64) float64 {
	return func(in, _ float64) float64 { return math.Sqrt(2 / ((1 + slope*slope) * in)) }
}

// Gain is by how much an activation makes the standard deviation smaller, as
// [XavierUniform] and [Orthogonal] make up for: of "tanh", "relu", "selu"; of others 1.
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
