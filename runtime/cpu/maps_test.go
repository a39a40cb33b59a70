package cpu

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestZipMap(t *testing.T) {
	var m, n tensor.Maps[string]
	ZipMap(&m, []float32{9, 9, 9, 9, 9, 9}, []string{"x", "y"})
	ZipMap(&m, []float32{1, 2, 3, 4}, []string{"b", "a"}) // in the same memory
	CopyMaps(&n, &m)
	m.Values[0] = 7
	if got := fmt.Sprint(n.Keys, n.Values, n.Len()); got != "[b a] [1 2 3 4] 2" {
		t.Errorf("got %s", got)
	}
}

func TestDictVectorize(t *testing.T) {
	keys, at := []string{"age", "home", "rent"}, []int64{2, 0, 1}
	got := []float64{9, 9, 9}
	DictVectorize(got, tensor.MapOf([]string{"rent", "pets", "age"}, []float64{1, 2, 3}), keys, at)
	if fmt.Sprint(got) != "[0 1 3]" {
		t.Errorf("got %v, want 0 for home, which is missing", got)
	}
	for want, m := range map[string]*tensor.Map{
		"DictVectorizer: the map is missing": nil,
		"DictVectorizer: the map is map(int64,float64) of 1 with 1 values, want keys and values of other types, or as many": tensor.MapOf([]int64{1}, []float64{1}),
	} {
		if got := complaint(func() { DictVectorize(got, m, keys, at) }); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCastMap(t *testing.T) {
	m := tensor.MapOf([]int64{5, -1, 2}, []string{"e", "a", "c"})
	got := make([]string, MapLen(m))
	if MapValues(got, m); fmt.Sprint(got) != "[a c e]" {
		t.Errorf("got %v, want the values in the order of their keys", got)
	}
	sparse := make([]string, 4)
	if MapSpread(sparse, tensor.MapOf([]int64{3, 0}, []string{"d", "a"}), []string{"-"}); fmt.Sprint(sparse) != "[a - - d]" {
		t.Errorf("got %v", sparse)
	}
	if got, want := complaint(func() { MapSpread(sparse, m, []string{"-"}) }), "CastMap: key 5 is out of range for 4 values"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
