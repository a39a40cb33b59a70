package quadratic

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The gradients are the central differences of the losses in the documentation.
func TestGradient(t *testing.T) {
	const g, step = 10, 1e-3
	for rank, loss := range []func(x float64) float64{
		func(x float64) float64 { return x*x + g*x },
		func(x float64) float64 { return -g * x },
	} {
		task := Task{G: g}
		if err := task.Open(runtime.Env{Rank: rank}); err != nil {
			t.Fatal(err)
		}
		x := []float32{-7, 0, 0.5, 20}
		got, err := task.Gradient(tensor.DenseOf(append([]float32(nil), x...), len(x)))
		if err != nil || len(got.Data) != len(x) {
			t.Fatal(got.Data, err)
		}
		for i, v := range x {
			want := (loss(float64(v)+step) - loss(float64(v)-step)) / (2 * step)
			if math.Abs(float64(got.Data[i])-want) > 1e-4 {
				t.Errorf("client %d: the gradient at %v is %v, want %v", rank, v, got.Data[i], want)
			}
		}
	}
}

func TestThirdClient(t *testing.T) {
	if err := new(Task).Open(runtime.Env{Rank: 2}); err == nil {
		t.Error("a third client has no function, and no error")
	}
}

func TestState(t *testing.T) {
	var task Task
	b, err := task.AppendBinary(nil)
	if err != nil || task.UnmarshalBinary(b) != nil {
		t.Errorf("the own state is not restored: %v", err)
	}
	if task.UnmarshalBinary([]byte{1}) == nil {
		t.Error("a byte too many is no error")
	}
}
