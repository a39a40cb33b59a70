package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// shelf is a spool that counts shares, in memory that nobody may look into.
type shelf struct {
	values map[uint64]*onShelf
	last   uint64
	named  []uint64
}

type onShelf struct {
	data   []byte
	size   int
	name   uint64
	shares int
}

func (x *onShelf) ReadAt(p []byte, off int64) (int, error) {
	if x.shares <= 0 {
		return 0, errors.New("it was let go")
	}
	return wire.Bytes(x.data).ReadAt(p, off)
}
func (x *onShelf) Size() uint64           { return uint64(x.size) }
func (x *onShelf) CRC() uint32            { return wire.CRC(x.data) }
func (x *onShelf) Bytes() []byte          { return nil }
func (x *onShelf) Memory() *tensor.Memory { return nil }
func (x *onShelf) Retain()                { x.shares++ }
func (x *onShelf) Release()               { x.shares-- }

func (s *shelf) Put(data []byte, _ wire.Blob) wire.Blob {
	if s.values == nil {
		s.values = map[uint64]*onShelf{}
	}
	s.last++
	x := &onShelf{slices.Clone(data), len(data), s.last, 1}
	s.values[s.last] = x
	return x
}

func (s *shelf) Name(b wire.Blob) uint64 {
	x, ok := b.(*onShelf)
	if !ok {
		return 0
	}
	s.named = append(s.named, x.name)
	return x.name
}

func (s *shelf) Open(name, size uint64, crc uint32) (wire.Blob, error) {
	x := s.values[name]
	if x == nil || x.Size() != size || x.CRC() != crc {
		return nil, fmt.Errorf("value %d is not there", name)
	}
	x.shares++
	return x, nil
}

// shared is how many shares there are in all values.
func (s *shelf) shared() (n int) {
	for _, x := range s.values {
		n += x.shares
	}
	return n
}

func vectorOf(n int) tensor.Dense[float32] {
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

func TestLargeParts(t *testing.T) {
	for _, n := range []int{0, 1, partSize / 4, partSize/4 + 1, partSize} {
		want := vectorOf(n)
		s := &shelf{}
		blob := s.Put(tensor.Raw(want.Data), nil)
		var l Large[float32]
		if err := TakeLarge(&l, &wire.SlotFill{Blob: blob, Dims: []uint64{uint64(n)}}, Open); err != nil {
			t.Fatal(err)
		}
		blob.Release() // l has a share of its own
		if got := elements(t, &l); !slices.Equal(got, want.Data) || l.Len() != n {
			t.Errorf("%d elements of %d, or others", len(got), n)
		}
		var into tensor.Dense[float32]
		if whole, err := l.Whole(&into); err != nil || !slices.Equal(whole.Data, want.Data) || !slices.Equal(whole.Shape, []int{n}) {
			t.Errorf("the whole of %d elements: %v", n, err)
		}
		if l.Reset(); s.shared() != 0 {
			t.Errorf("%d shares are left", s.shared())
		}
	}
}

func TestLargeRefuses(t *testing.T) {
	var l Large[float32]
	s := &shelf{}
	if err := TakeLarge(&l, &wire.SlotFill{Blob: s.Put(make([]byte, 8), nil), Dims: []uint64{3}}, Open); err == nil {
		t.Error("8 bytes are 3 elements")
	}
	if err := TakeLarge(&l, &wire.SlotFill{Blob: s.Put(make([]byte, 8), nil), Dims: []uint64{2}}, Open); err != nil {
		t.Fatal(err)
	}
	s.values[2].data = s.values[2].data[:5] // the file was cut
	for _, err := range l.Parts() {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a value that was cut short: %v", err)
		}
	}
}

// A value is written with a frame and read again, wherever it is.
func TestKeep(t *testing.T) {
	for _, n := range []int{0, 5, tensor.Large / 4} {
		for _, s := range []*shelf{nil, {}} {
			f := &Frame{module: &module{spool: &spool{}}}
			if s != nil {
				f.module.spool.Spool = s
			}
			x := vectorOf(n)
			b := KeepDense(f, nil, x)
			l := LargeOf(x)
			b = KeepLarge(f, b, l)
			inFile := s != nil && x.IsLarge()
			if inFile != (len(b) < 4*n) || inFile && s.shared() != 0 {
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
			if m.Reset(); inFile && (len(again) > 100 || s.shared() != 0) {
				t.Errorf("a value in a file is kept in %d bytes, %d shares are left", len(again), s.shared())
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
				clear(s.values)
				r := NewFields(b)
				if ReadKept(f, r, &y); r.End() == nil {
					t.Error("a value that is gone is accepted")
				}
			}
		}
	}
}

// A large payload is put away once, whatever the number of peers and snapshots,
// and let go with the last acknowledgement.
func TestPayloadOnShelf(t *testing.T) {
	big := make([]byte, tensor.Large)
	big[7] = 7
	s := &shelf{}
	a, b, got := bulkPair(t, big)
	a.spool.Spool = s
	if _, err := a.Invoke(0, "send"); err != nil {
		t.Fatal(err)
	}
	envelopes := sendAll(a)
	fetches := deliverAll(t, b, a.Self(), envelopes)
	snapshot, err := a.Snapshot(nil)
	if err != nil || len(snapshot) > 1000 || len(s.values) != 1 || !slices.Equal(s.named, []uint64{1}) {
		t.Fatalf("a snapshot of %d bytes, %d values: %v", len(snapshot), len(s.values), err)
	}

	restored, err := Restore(Config{Self: a.Self(), Incarnation: 2, Spool: s, Peers: []PeerConfig{{ID: b.Self(), Class: b.partition.Class}}}, a.partition, snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if s.shared() != 2 {
		t.Errorf("%d shares, want one of each node", s.shared())
	}
	restored.giveBack()

	b.Filled(0, a.Self(), fetches[0], wire.Bytes(big))
	deliverAll(t, a, b.Self(), sendAll(b))
	if len(*got) != 1 || a.outBytes != 0 || s.shared() != 0 {
		t.Errorf("%d payloads came, %d bytes are kept, %d shares", len(*got), a.outBytes, s.shared())
	}

	clear(s.values)
	if _, err := Restore(Config{Self: a.Self(), Incarnation: 2, Spool: s}, a.partition, snapshot); !errors.Is(err, ErrSnapshot) {
		t.Errorf("a snapshot whose values are gone: %v", err)
	}
}

// giveBack frees all that waits for peers.
func (n *Node) giveBack() {
	for _, p := range n.roster {
		for p.outbox.queue.n > 0 {
			n.free(p.outbox.queue.pop())
		}
	}
}

// TestTakeDenseShares takes a large value that is in memory as it is, and copies
// what is small, or has to be looked at.
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
