package eval_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestSliceEdges slices axes of few elements or none in all directions, with sizes that are known when the
// code is generated, and with others.
func TestSliceEdges(t *testing.T) {
	const far = math.MaxInt
	places := []int{-far - 1, -3, -1, 0, 1, 3, far}
	for n := range 3 {
		for _, step := range []int{-far - 1, -2, -1, 1, 2, far} {
			for _, start := range places {
				for _, end := range places {
					for _, size := range []string{fmt.Sprint(n), "n"} {
						sliceEdge(t, n, size, start, end, step)
					}
				}
			}
		}
	}
}

// sliceEdge slices an axis of n elements; size is the size in its type.
func sliceEdge(t *testing.T, n int, size string, start, end, step int) {
	t.Helper()
	in := tensor.New(tensor.Float32, n, 2)
	for i := range tensor.Data[float32](in) {
		tensor.Data[float32](in)[i] = float32(i)
	}
	m, err := ir.Parse("in.ir", fmt.Sprintf(`module "slice"
opset 21
func @main(%%x: float32[%s,2]) -> (%%y) {
  const %%start: int64[1] = [%d]
  const %%end: int64[1] = [%d]
  const %%axis: int64[1] = [0]
  const %%step: int64[1] = [%d]
  %%y = Slice(%%x, %%start, %%end, %%axis, %%step)
}`, size, start, end, step))
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("x of %d as [%s,2], from %d to %d by %d: %v", n, size, start, end, step, r)
		}
	}()
	got, err := eval.Run(m.Main, []tensor.Value{in})
	if err != nil {
		t.Fatal(err)
	}
	var want []float32
	for i := range sliced(n, start, end, step) {
		want = append(want, float32(2*i), float32(2*i+1))
	}
	if err := compare.Values(got[0], tensor.Of(want, len(want)/2, 2), compare.Tolerance{}); err != nil {
		t.Errorf("x of %d as [%s,2], from %d to %d by %d: %v", n, size, start, end, step, err)
	}
}

// sliced yields the places that Slice takes of n, by its definition.
func sliced(n, start, end, step int) func(yield func(int) bool) {
	clamp := func(i, lo, hi int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, lo), hi)
	}
	from, to := clamp(start, 0, n), clamp(end, 0, n)
	if step < 0 {
		from, to = min(clamp(start, 0, n), n-1), clamp(end, -1, n-1)
	}
	return func(yield func(int) bool) {
		for i := from; step > 0 && i < to || step < 0 && i > to; {
			if !yield(i) || step > n || step < -n {
				return
			}
			i += step
		}
	}
}
