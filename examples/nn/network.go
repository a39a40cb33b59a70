package main

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
)

// image is the input of the network.
var image = dsl.Float32("batch", 1, 28, 28)

// network returns a small residual network for digits.
func network() nn.Module {
	return nn.Sequential{
		&nn.Conv2D{In: 1, Out: 8, Kernel: 3, Padding: 1, NoBias: true},
		&nn.BatchNorm{Size: 8},
		nn.ReLU,
		&nn.MaxPool2D{Kernel: 2},
		block(8),
		&nn.Conv2D{In: 8, Out: 16, Kernel: 3, Stride: 2, Padding: 1},
		nn.ReLU,
		nn.Flatten,
		&nn.Dropout{P: 0.1},
		&nn.Linear{In: 16 * 7 * 7, Out: 10},
	}
}

// block adds the output of two convolutions to its input.
func block(channels int) nn.Module {
	conv := func() *nn.Conv2D {
		return &nn.Conv2D{In: channels, Out: channels, Kernel: 3, Padding: 1, NoBias: true}
	}
	return nn.Sequential{
		&nn.Residual{Body: nn.Sequential{
			conv(), &nn.BatchNorm{Size: channels}, nn.ReLU,
			conv(), &nn.BatchNorm{Size: channels},
		}},
		nn.ReLU,
	}
}
