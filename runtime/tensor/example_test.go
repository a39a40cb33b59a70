package tensor_test

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// A tensor keeps the slice from which it is made.
func ExampleOf() {
	data := []float32{1, 2, 3, 4, 5, 6}
	t := tensor.Of(data, 2, 3)
	data[0] = 10
	fmt.Println(t.DType, t.Shape, t.Len())
	fmt.Println(tensor.Data[float32](t))
	// Output:
	// float32 [2 3] 6
	// [10 2 3 4 5 6]
}

// Grow allocates the memory of outputs once; later calls reuse it.
func ExampleGrow() {
	var out []float32
	out = tensor.Grow(out, 4)
	first := &out[0]
	out = tensor.Grow(out, 3)
	fmt.Println(len(out), first == &out[0])
	// Output: 3 true
}
