package run

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestSizes gives random inputs the sizes of -size: dimensions may be sums of products of names.
func TestSizes(t *testing.T) {
	s := sizes{}
	if err := s.Set("batch=4,past=16"); err != nil || s.String() != "batch=4,past=16" {
		t.Fatalf("%v: %v", s, err)
	}
	p := model.Port{Name: "x", Elem: tensor.Float32, Dims: []string{"batch", "past+2*seq", "8", "min(n,3)", "min(batch+n,3)"}}
	if got, err := s.shape(p); err != nil || !slices.Equal(got, []int{4, 18, 8, 1, 1}) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := s.complete(model.Program{Inputs: []model.Port{p}}); err != nil {
		t.Error(err)
	}
	if _, err := (sizes{"n": 1 << 30}).shape(model.Port{Name: "x", Dims: []string{"n", "n*n*n"}}); err == nil || err.Error() != `-size n=1073741824: input "x" would have more than 2^30 elements` {
		t.Errorf("a huge input: %v", err)
	}
}

// TestSizesRefuses shows what -size refuses.
func TestSizesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"batch":     `"batch", want NAME=SIZE with a size from 1 to 2^30`,
		"batch=0":   `"batch=0", want NAME=SIZE with a size from 1 to 2^30`,
		"batch=1,":  `"", want NAME=SIZE with a size from 1 to 2^30`,
		"n=1,n=2":   "n is given twice",
		"n=1e3":     `"n=1e3", want NAME=SIZE with a size from 1 to 2^30`,
		"=3":        `"=3", want NAME=SIZE with a size from 1 to 2^30`,
		"n=1 , m=1": `"n=1 ", want NAME=SIZE with a size from 1 to 2^30`,
	} {
		if err := (sizes{}).Set(text); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	for _, tt := range []struct {
		dims []string
		want string
	}{
		{[]string{"batch", "past+seq", "min(k,3)"}, "-size n: no input has such a dimension; there are: batch, past, seq"},
		{[]string{"3"}, "-size n: all dimensions of the inputs are fixed"},
	} {
		if err := (sizes{"n": 2}).complete(model.Program{Inputs: []model.Port{{Dims: tt.dims}}}); err == nil || err.Error() != tt.want {
			t.Errorf("%v: got %v, want %s", tt.dims, err, tt.want)
		}
	}
}
