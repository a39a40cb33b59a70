package cpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// list returns a sequence as text: "float32[2] [1 2]; …".
func list(s *tensor.Sequence) string {
	items := make([]string, len(s.Items))
	for i, v := range s.Items {
		x := v.(*tensor.Tensor)
		items[i] = fmt.Sprintf("%v %v", x.Shape, x.Data)
	}
	return strings.Join(items, "; ")
}

// complaint returns the error of a kernel as text, or "".
func complaint(f func()) string {
	if err := failure(f); err != nil {
		return err.Error()
	}
	return ""
}

func seqOf(rows ...[]float32) *tensor.Sequence {
	s := &tensor.Sequence{Elem: tensor.Float32}
	for _, r := range rows {
		SequenceAppend(s, tensor.Of(r, len(r)))
	}
	return s
}

// TestSequenceEdits checks how items are inserted and removed.
func TestSequenceEdits(t *testing.T) {
	src := seqOf([]float32{1}, []float32{2, 3})
	x := tensor.Of([]float32{9}, 1)
	for _, c := range []struct {
		name string
		f    func(dst *tensor.Sequence)
		want string
	}{
		{"copy", func(d *tensor.Sequence) { CopySequence(d, src) }, "[1] [1]; [2] [2 3]"},
		{"insert first", func(d *tensor.Sequence) { SequenceInsert(d, src, x, []int64{0}) }, "[1] [9]; [1] [1]; [2] [2 3]"},
		{"insert last", func(d *tensor.Sequence) { SequenceInsert(d, src, x, []int64{2}) }, "[1] [1]; [2] [2 3]; [1] [9]"},
		{"insert before last", func(d *tensor.Sequence) { SequenceInsert(d, src, x, []int32{-1}) }, "[1] [1]; [1] [9]; [2] [2 3]"},
		{"erase", func(d *tensor.Sequence) { SequenceErase(d, src, []int64{-2}) }, "[2] [2 3]"},
		{"pop", func(d *tensor.Sequence) { SequencePop(d, src) }, "[1] [1]"},
		{"empty", func(d *tensor.Sequence) { SequenceEmpty(d, int(tensor.Float32)) }, ""},
	} {
		dst := seqOf([]float32{7}, []float32{7}, []float32{7})
		c.f(dst)
		if got := list(dst); got != c.want || dst.Elem != tensor.Float32 {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	x.Data.([]float32)[0] = 5 // the stored tensor does not change
	if got, want := list(src), "[1] [1]; [2] [2 3]"; got != want {
		t.Errorf("source became %s, want %s", got, want)
	}
}

// TestSequenceGet checks the items and their sizes.
func TestSequenceGet(t *testing.T) {
	src := seqOf([]float32{1}, []float32{2, 3})
	if n := SequenceDim(src, []int64{-1}, 1, 0); n != 2 {
		t.Errorf("size is %d, want 2", n)
	}
	got := make([]float32, 2)
	SequenceGet(got, src, []int32{1}, []int{2})
	if got[0] != 2 || got[1] != 3 {
		t.Errorf("got %v", got)
	}
	for want, f := range map[string]func(){
		"SequenceAt: position 2 is out of range for 2 items":           func() { SequenceDim(src, []int64{2}, 1, 0) },
		"SequenceAt: item is float32[1], want a tensor of rank 2":      func() { SequenceDim(src, []int64{0}, 2, 0) },
		"SequenceAt: item is float32[1], want shape [2]":               func() { SequenceGet(got, src, []int64{0}, []int{2}) },
		"SequenceErase: position -1 is out of range for 0 items":       func() { SequencePop(src, seqOf()) },
		"SequenceInsert: position -3 is out of range for 2 items":      func() { SequenceInsert(seqOf(), src, tensor.New(tensor.Float32), []int64{-3}) },
		"ConcatFromSequence: the sequence is empty":                    func() { ConcatSequenceDim(seqOf(), 1, 0, true) },
		"SplitToSequence: split is [2 2], want sizes that add up to 3": func() { SplitSequence(seqOf(), []float32{1, 2, 3}, []int64{2, 2}, []int{3}, 0, false) },
		"SplitToSequence: split is 0, want more than 0":                func() { SplitSequence(seqOf(), []float32{1}, []int64{0}, []int{1}, 0, true) },
	} {
		if got := complaint(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestConcatSequence checks that sequences are split and joined.
func TestConcatSequence(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6} // 2×3
	split := &tensor.Sequence{}
	SplitSequence(split, x, []int64{1, 2}, []int{2, 3}, 1, false)
	if got, want := list(split), "[2 1] [1 4]; [2 2] [2 3 5 6]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	back := make([]float32, 6)
	ConcatSequence(back, split, []int{2, 3}, 1, false)
	if fmt.Sprint(back) != fmt.Sprint(x) || ConcatSequenceDim(split, 2, 1, true) != 3 {
		t.Errorf("got %v, want %v", back, x)
	}
	SplitSequence(split, x, []int64{2}, []int{2, 3}, 1, true)
	if got, want := list(split), "[2 2] [1 2 4 5]; [2 1] [3 6]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	UnstackSequence(split, x, []int{2, 3}, 1, false)
	if got, want := list(split), "[2] [1 4]; [2] [2 5]; [2] [3 6]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	ConcatSequence(back, split, []int{2, 3}, 1, true)
	if fmt.Sprint(back) != fmt.Sprint(x) {
		t.Errorf("got %v, want %v", back, x)
	}
}

// TestOptional checks empty optional values, and those with a tensor or a sequence.
func TestOptional(t *testing.T) {
	var o, p tensor.Optional
	has := []bool{true}
	if OptionalHas(has, nil); has[0] {
		t.Error("what is left out has an element")
	}
	OptionalTensor(&o, tensor.Of([]float32{1, 2}, 2))
	CopyOptional(&p, &o)
	got := make([]float32, OptionalDim(&p, 1, 0))
	OptionalGet(got, &p, []int{2})
	if OptionalHas(has, &p); !has[0] || got[1] != 2 {
		t.Errorf("got %v, %v", has, got)
	}
	OptionalNone(&p)
	if got := complaint(func() { OptionalDim(&p, 1, 0) }); got != "OptionalGetElement: the optional is empty" {
		t.Errorf("got %q", got)
	}
	seq := seqOf()
	OptionalSequence(&p, seqOf([]float32{3}))
	OptionalGetSequence(seq, &p)
	if got := list(seq); got != "[1] [3]" {
		t.Errorf("got %s", got)
	}
}
