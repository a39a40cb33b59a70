package cpu_test

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// Kernels write to their first argument, which may also be the input.
func ExampleRelu() {
	x := []float32{-1, 0.5, -2, 3}
	cpu.Relu(x, x)
	fmt.Println(x)
	// Output: [0 0.5 0 3]
}

// Softmax works along one axis: there are outer times inner rows of n elements.
func ExampleSoftmax() {
	x := []float64{0, 0, 1, 1}
	y := make([]float64, len(x))
	cpu.Softmax(y, x, 2, 2, 1)
	fmt.Println(y)
	// Output: [0.5 0.5 0.5 0.5]
}
