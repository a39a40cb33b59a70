package dataset

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestStandardize shows which mean and deviation are used: a column's, a channel's or those of a gray image.
func TestStandardize(t *testing.T) {
	for _, c := range []struct {
		name string
		x    *tensor.Tensor
		want string
	}{
		{"columns", tensor.Of([]float32{1, 5, 3, 5}, 2, 2), "[2 5] [1 1]: [-1 0 1 0]"},
		{"channels", tensor.Of([]float32{1, 2, 3, 4}, 1, 2, 1, 2), "[1.5 3.5] [0.5 0.5]: [-1 1 -1 1]"},
		{"gray", tensor.Of([]float32{0, 0, 4, 4}, 1, 2, 2), "[2] [2]: [-1 -1 1 1]"},
	} {
		s, err := NewMemory(c.x, tensor.New(tensor.Int64, c.x.Shape[0]), tensor.Float32, tensor.Int64)
		if err != nil {
			t.Fatal(err)
		}
		set := &Set{Train: s}
		if err := set.Standardize(); err != nil {
			t.Fatal(err)
		}
		x, _ := everything(t, set.Train)
		if got := fmt.Sprintf("%v %v: %v", set.Mean, set.Std, x.Data); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if err := set.Standardize(); err == nil {
			t.Errorf("%s: normalized twice", c.name)
		}
	}
}

// TestColumns shows the names of a table's features.
func TestColumns(t *testing.T) {
	set, err := Open(files("a.csv", "n,color,y\n1,red,0\n2,blue,1\n"), "a.csv", Options{X: tensor.Float32, Y: tensor.Int64, Categories: []string{"color"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%q", set.Columns), `["n" "color=blue" "color=red"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
