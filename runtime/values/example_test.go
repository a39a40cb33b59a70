package values_test

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// average is a component with a state.
type average struct {
	count int64
	sum   tensor.Dense[float32]
}

// AppendBinary writes the state to a snapshot.
func (a *average) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(b, a.count)
	return values.AppendDense(b, a.sum), nil
}

// UnmarshalBinary reads the fields in the same order. An error of any field is returned at the end.
func (a *average) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadScalar(r, &a.count)
	values.ReadDense(r, &a.sum)
	return r.End()
}

// A component writes its state for a snapshot, and continues from it.
func ExampleNewFields() {
	before := average{count: 2, sum: tensor.DenseOf([]float32{3, 4}, 2)}
	b, err := before.AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
	}
	var after average
	fmt.Println(after.UnmarshalBinary(b), after.count, after.sum.Data)
	fmt.Println(new(average).UnmarshalBinary(b[:10]))
	// Output:
	// <nil> 2 [3 4]
	// the state ends early
}
