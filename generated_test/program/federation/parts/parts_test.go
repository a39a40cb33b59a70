package parts

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestTrain(t *testing.T) {
	for _, c := range []struct {
		name     string
		trainer  Trainer
		in, want []float32
		fails    bool
	}{
		{"whole", Trainer{}, []float32{1, -2, 3}, []float32{2, -1, 4}, false},
		{"short", Trainer{Short: true}, []float32{1, -2, 3}, []float32{2}, false},
		{"short of nothing", Trainer{Short: true}, nil, nil, false},
		{"fails", Trainer{Short: true, Fails: true}, []float32{1}, nil, true},
	} {
		x := tensor.DenseOf(slices.Clone(c.in), len(c.in))
		got, err := c.trainer.Train(t.Context(), x)
		switch {
		case (err != nil) != c.fails:
			t.Errorf("%s: got error %v", c.name, err)
		case err == nil && (!slices.Equal(got.Data, c.want) || !slices.Equal(got.Shape, []int{len(c.want)})):
			t.Errorf("%s: got %v of shape %v, want %v", c.name, got.Data, got.Shape, c.want)
		}
		if !slices.Equal(x.Data, c.in) {
			t.Errorf("%s: the model has become %v", c.name, x.Data)
		}
	}
}
