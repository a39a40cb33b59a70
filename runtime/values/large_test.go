package values

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

func counting(n int) tensor.Dense[float32] {
	x := tensor.DenseOf(make([]float32, n), n)
	for i := range x.Data {
		x.Data[i] = float32(i)
	}
	return x
}

// elements reads a tensor in parts.
func elements(t *testing.T, l *Large[float32]) (all []float32) {
	t.Helper()
	for part, err := range l.Parts() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, part...)
	}
	return all
}

// TestLargeParts reads large values of several sizes part by part.
func TestLargeParts(t *testing.T) {
	for _, n := range []int{0, 1, partSize / 4, partSize/4 + 1, partSize} {
		want := counting(n)
		s := &spooltest.Shelf{}
		blob := s.Put(tensor.Raw(want.Data), nil)
		var l Large[float32]
		if err := TakeLarge(&l, &wire.SlotFill{Blob: blob, Dims: []uint64{uint64(n)}}, Open); err != nil {
			t.Fatal(err)
		}
		blob.Release() // l has a reference of its own
		if got := elements(t, &l); !slices.Equal(got, want.Data) || l.Len() != n {
			t.Errorf("%d elements of %d, or others", len(got), n)
		}
		var into tensor.Dense[float32]
		if whole, err := l.Whole(&into); err != nil || !slices.Equal(whole.Data, want.Data) || !slices.Equal(whole.Shape, []int{n}) {
			t.Errorf("the whole of %d elements: %v", n, err)
		}
		if l.Reset(); s.Shared() != 0 {
			t.Errorf("%d shares are left", s.Shared())
		}
	}
}

// TestLargeRefuses checks that a payload of another size is refused.
func TestLargeRefuses(t *testing.T) {
	var l Large[float32]
	s := &spooltest.Shelf{}
	if err := TakeLarge(&l, &wire.SlotFill{Blob: s.Put(make([]byte, 8), nil), Dims: []uint64{3}}, Open); err == nil {
		t.Error("8 bytes are 3 elements")
	}
	if err := TakeLarge(&l, &wire.SlotFill{Blob: s.Put(make([]byte, 8), nil), Dims: []uint64{2}}, Open); err != nil {
		t.Fatal(err)
	}
	s.Values[2].Data = s.Values[2].Data[:5] // the file was cut
	for _, err := range l.Parts() {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a value that was cut short: %v", err)
		}
	}
}

// A value is written with a frame and read again, whether it is in a file or in memory.
func TestKeep(t *testing.T) {
	for _, n := range []int{0, 5, tensor.Large / 4} {
		for _, s := range []*spooltest.Shelf{nil, {}} {
			f := &Keeper{}
			if s != nil {
				f.Spool = s
			}
			x := counting(n)
			b := KeepDense(f, nil, x)
			l := LargeOf(x)
			b = KeepLarge(f, b, l)
			inFile := s != nil && x.IsLarge()
			if inFile != (len(b) < 4*n) || inFile && s.Shared() != 0 {
				t.Errorf("%d bytes for %d elements", len(b), n)
			}
			var y tensor.Dense[float32]
			var m Large[float32]
			r := NewFields(b)
			ReadKept(f, r, &y)
			ReadLarge(f, r, &m)
			if err := r.End(); err != nil || !slices.Equal(y.Data, x.Data) || !slices.Equal(elements(t, &m), x.Data) {
				t.Errorf("%d elements: %v", n, err)
			}
			again := KeepLarge(f, nil, &m)
			if m.Reset(); inFile && (len(again) > 100 || s.Shared() != 0) {
				t.Errorf("a value in a file is kept in %d bytes, %d shares are left", len(again), s.Shared())
			}
			for k := range min(len(b), 100) {
				r := NewFields(b[:k])
				ReadKept(f, r, &y)
				ReadLarge(f, r, &m)
				if r.End() == nil {
					t.Fatalf("the first %d bytes are accepted", k)
				}
			}
			if inFile {
				clear(s.Values)
				r := NewFields(b)
				if ReadKept(f, r, &y); r.End() == nil {
					t.Error("a value that is gone is accepted")
				}
			}
		}
	}
}

// TestTakeDenseShares shares a large value that is in memory, and copies small values and values that have to
// be checked.
func TestTakeDenseShares(t *testing.T) {
	take := func(size int) (tensor.Dense[float32], []byte) {
		t.Helper()
		blob := wire.Bytes(make([]byte, size))
		var x tensor.Dense[float32]
		if err := TakeDense(&x, &wire.SlotFill{Blob: blob, Payload: blob, Dims: []uint64{uint64(size / 4)}}, Open); err != nil {
			t.Fatal(err)
		}
		return x, blob
	}
	if x, blob := take(tensor.Large); &tensor.Raw(x.Data)[0] != &blob[0] {
		t.Error("a large value is copied")
	}
	if x, blob := take(tensor.Large - 4); &tensor.Raw(x.Data)[0] == &blob[0] {
		t.Error("a small value is shared, whose memory is used again")
	}
	odd := wire.Bytes(make([]byte, tensor.Large+1))[1:]
	odd[3] = 0x40
	var y tensor.Dense[float32]
	if err := TakeDense(&y, &wire.SlotFill{Blob: odd, Payload: odd}, tensor.Large/4); err != nil || y.Data[0] != 2 || &tensor.Raw(y.Data)[0] == &odd[0] {
		t.Errorf("a large value between the boundaries of memory is shared, or another one: %v (%v)", y.Data[0], err)
	}
	flags := wire.Bytes(bytes.Repeat([]byte{7}, tensor.Large))
	var x tensor.Dense[bool]
	if err := TakeDense(&x, &wire.SlotFill{Blob: flags, Payload: flags}, tensor.Large); err != nil || flags[0] != 7 || tensor.Raw(x.Data)[0] != 1 {
		t.Errorf("flags are taken as they are (%v)", err)
	}
}
