package personal

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func vector(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

// Local elements stay, wherever they are in the model, and the others are replaced.
func TestLayers(t *testing.T) {
	for _, c := range []struct {
		local          []Range
		shared, merged []float32
	}{
		{[]Range{{3, 5}}, []float32{1, 2, 3}, []float32{10, 20, 30, 4, 5}},
		{[]Range{{0, 1}, {2, 3}, {3, 4}}, []float32{2, 5}, []float32{1, 10, 3, 4, 20}},
		{[]Range{{0, 5}}, nil, []float32{1, 2, 3, 4, 5}},
	} {
		l, model := &Layers{Local: c.local}, vector(1, 2, 3, 4, 5)
		if err := l.Open(runtime.Env{}); err != nil {
			t.Fatal(err)
		}
		shared, err := l.Shared(model)
		if err != nil || !slices.Equal(shared.Data, c.shared) {
			t.Errorf("%v: the shared elements are %v, %v, want %v", c.local, shared.Data, err, c.shared)
		}
		merged, err := l.Merge(model, vector([]float32{10, 20, 30}[:len(c.shared)]...))
		if err != nil || !slices.Equal(merged.Data, c.merged) {
			t.Errorf("%v: the merged model is %v, %v, want %v", c.local, merged.Data, err, c.merged)
		}
		if _, err := l.Merge(model, vector(make([]float32, len(c.shared)+1)...)); err == nil {
			t.Errorf("%v: %d shared elements are merged", c.local, len(c.shared)+1)
		}
		if _, err := l.Shared(vector(1)); err == nil {
			t.Errorf("%v: a model of one element has shared ones", c.local)
		}
	}
	for _, bad := range [][]Range{nil, {{1, 1}}, {{-1, 2}}, {{3, 4}, {0, 1}}, {{0, 2}, {1, 3}}} {
		if err := (&Layers{Local: bad}).Open(runtime.Env{}); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
