package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
)

// Network returns the network in student.onnx, which has a sixth of the teacher's size.
func Network() ([]byte, error) {
	return nn.Export(nn.Sequential{
		&nn.AvgPool2D{Kernel: 2, Stride: 2},
		nn.Flatten,
		&nn.Linear{In: 196, Out: 24},
		nn.ReLU,
		&nn.Linear{In: 24, Out: 10},
	}, dsl.Float32("n", 1, 28, 28), nn.Options{Name: "student", Seed: 1, Training: true})
}
