package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
)

// Network returns the network in reader.onnx. It is
// small, as noise is added to each of its 500 parameters.
func Network() ([]byte, error) {
	return nn.Export(nn.Sequential{
		&nn.AvgPool2D{Kernel: 4, Stride: 4},
		nn.Flatten,
		&nn.Linear{In: 49, Out: 10},
	}, dsl.Float32("n", 1, 28, 28), nn.Options{Name: "reader", Seed: 1, Training: true})
}
