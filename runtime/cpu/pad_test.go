package cpu

import "testing"

func TestPad(t *testing.T) {
	for _, c := range []struct {
		name          string
		mode          PadMode
		before, after int
		want          []int32
	}{
		{"constant", PadConstant, 2, 1, []int32{9, 9, 0, 1, 2, 9}},
		{"cut", PadConstant, -1, 2, []int32{1, 2, 9, 9}},
		{"cut all", PadConstant, -5, 4, []int32{9, 9}},
		{"edge", PadEdge, 2, 1, []int32{0, 0, 0, 1, 2, 2}},
		{"reflect", PadReflect, 2, 1, []int32{2, 1, 0, 1, 2, 1}},
		{"reflect often", PadReflect, 5, 0, []int32{1, 0, 1, 2, 1, 0, 1, 2}},
		{"wrap", PadWrap, 4, 1, []int32{2, 0, 1, 2, 0, 1, 2, 0}},
	} {
		size := []int{3 + c.before + c.after}
		dst := make([]int32, size[0])
		Pad(dst, counted(3), []int32{9}, []int{3}, size, []int{c.before}, c.mode)
		equal(t, c.name, dst, c.want...)
		tall := make([]int32, 2*size[0]) // the same along the first of two axes
		x := []int32{0, 10, 1, 11, 2, 12}
		Pad(tall, x, []int32{9}, []int{3, 2}, []int{size[0], 2}, []int{c.before, 0}, c.mode)
		for i, v := range c.want {
			if tall[2*i] != v {
				t.Errorf("%s: row %d is %d, want %d", c.name, i, tall[2*i], v)
			}
		}
	}
	words := make([]string, 2)
	Pad(words, []string{"a"}, nil, []int{1}, []int{2}, []int{0}, PadConstant)
	equal(t, "no value", words, "a", "")
	if failure(func() { Pad(words, nil, nil, []int{0}, []int{2}, []int{2}, PadEdge) }) == nil {
		t.Error("nothing to extend is no error")
	}
	if failure(func() { PadSize([]int{-2, -2}, []int{0}, 1, 0, 3) }) == nil {
		t.Error("a negative size is no error")
	}
}
