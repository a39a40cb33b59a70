package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// AppendDense appends a tensor in the form of snapshots: one more than its rank, its shape and its elements. An
// unset tensor is a 0.
func AppendDense[T tensor.Element](b []byte, x tensor.Dense[T]) []byte {
	if len(x.Shape) == 0 && len(x.Data) == 0 {
		return append(b, 0)
	}
	return append(AppendShape(b, x.Shape), tensor.Raw(x.Data)...)
}

// KeepDense appends a tensor in the form of a frame's snapshot: one more than its rank, its shape, and its
// elements, which are in a file if they are large.
func KeepDense[T tensor.Element](s *Keeper, b []byte, x tensor.Dense[T]) []byte {
	if len(x.Shape) == 0 && len(x.Data) == 0 {
		return append(b, 0)
	}
	return s.Append(AppendShape(b, x.Shape), tensor.Raw(x.Data), nil)
}

// KeepLarge is [KeepDense] for a value that may already be in a file.
func KeepLarge[T tensor.Element](s *Keeper, b []byte, x *Large[T]) []byte {
	switch {
	case x.blob == nil:
		return KeepDense(s, b, x.small)
	case x.blob.Bytes() != nil:
		return s.Append(AppendShape(b, x.small.Shape), x.blob.Bytes(), x.blob)
	}
	return s.AppendBlob(AppendShape(b, x.small.Shape), x.blob)
}

// AppendShape appends one more than a rank, and the sizes.
func AppendShape(b []byte, shape []int) []byte {
	b = binary.AppendUvarint(b, uint64(len(shape)+1))
	for _, d := range shape {
		b = binary.AppendUvarint(b, uint64(d))
	}
	return b
}

// AppendScalar appends a tensor of rank 0.
func AppendScalar[T tensor.Element](b []byte, x T) []byte {
	return append(b, tensor.Raw(tensor.One(&x))...)
}

// AppendPeers appends a list of peers, each by its key.
func AppendPeers(b []byte, list []wire.PeerID) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, p := range list {
		b = AppendPeer(b, p)
	}
	return b
}

// AppendPeer appends a peer's key.
func AppendPeer(b []byte, p wire.PeerID) []byte {
	k := p.Key()
	return append(b, k[:]...)
}

// AppendText appends the length of a text, and the text.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Fields reads the output of the Append functions. Sizes are compared with the available bytes before anything
// is allocated. After the first error all results are zero.
type Fields struct {
	b   []byte
	err error
}

// NewFields returns a reader of b.
func NewFields(b []byte) *Fields { return &Fields{b: b} }

// ErrEnd is the error of fields that end early.
var ErrEnd = errors.New("the state ends early")

// End returns the first error, or an error if bytes are left.
func (r *Fields) End() error {
	if r.err == nil && len(r.b) > 0 {
		return fmt.Errorf("%d bytes of state are left over", len(r.b))
	}
	return r.err
}

// Err returns the first error so far.
func (r *Fields) Err() error { return r.err }

// Rest returns the unread bytes.
func (r *Fields) Rest() []byte { return r.b }

func (r *Fields) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

// take returns the next n bytes.
func (r *Fields) take(n int) ([]byte, bool) {
	if n > len(r.b) || r.err != nil {
		r.fail(ErrEnd)
		return nil, false
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p, true
}

// Uint reads a number that [binary.AppendUvarint] has written.
func (r *Fields) Uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || r.err != nil {
		r.fail(ErrEnd)
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Count reads the number of the following items, of at least size bytes each.
func (r *Fields) Count(size int) int {
	k := r.Uint()
	if k > uint64(len(r.b)/max(size, 1)) {
		r.fail(ErrEnd)
		return 0
	}
	return int(k)
}

// Text reads a text.
func (r *Fields) Text() string {
	p, _ := r.take(r.Count(1))
	return string(p)
}

// Bytes reads n bytes. They are part of the input.
func (r *Fields) Bytes(n int) []byte {
	p, _ := r.take(n)
	return p
}

// Peer reads a peer.
func (r *Fields) Peer(p *wire.PeerID) {
	if key, ok := r.take(PeerSize); ok {
		*p, _ = wire.PeerIDOf(key)
	}
}

// PeerSize is how many bytes [AppendPeer] appends.
const PeerSize = 32

// Peers reads a list of peers into list's memory.
func (r *Fields) Peers(list *[]wire.PeerID) {
	k := r.Count(PeerSize)
	if r.err != nil {
		return
	}
	*list = (*list)[:0]
	for range k {
		var p wire.PeerID
		r.Peer(&p)
		*list = append(*list, p)
	}
}

// ReadDense reads a tensor into x's memory.
func ReadDense[T tensor.Element](r *Fields, x *tensor.Dense[T]) {
	var dims [tensor.MaxRank]int
	shape, ok := r.Shape(&dims)
	if !ok {
		x.Reset()
		return
	}
	n, err := tensor.NumElements(shape)
	if err != nil {
		r.fail(err)
	}
	x.Reset()
	if p, ok := r.take(n * elementSize[T]()); ok {
		x.Resize(shape...)
		tensor.SetRaw(x.Data, p)
	}
}

// ReadKept reads the output of [KeepDense].
func ReadKept[T tensor.Element](s *Keeper, r *Fields, x *tensor.Dense[T]) {
	var l Large[T]
	ReadLarge(s, r, &l)
	defer l.Reset()
	if x.Reset(); l.blob == nil || r.err != nil {
		return
	}
	x.Resize(l.small.Shape...)
	if err := tensor.ReadRaw(x.Data, func(b []byte) error { return ReadBlob(b, l.blob) }); err != nil {
		r.fail(err)
	}
}

// ReadLarge reads the output of [KeepLarge].
func ReadLarge[T tensor.Element](s *Keeper, r *Fields, x *Large[T]) {
	var dims [tensor.MaxRank]int
	x.Reset()
	shape, ok := r.Shape(&dims)
	if !ok {
		return
	}
	n, err := tensor.NumElements(shape)
	if err != nil {
		r.fail(err)
		return
	}
	blob, err := s.Read(r)
	if err != nil {
		r.fail(err)
		return
	}
	if b := blob.Bytes(); b != nil {
		blob = wire.Bytes(slices.Clone(b)) // the bytes read are borrowed
	}
	x.set(blob, shape)
	if blob.Size() != uint64(n*elementSize[T]()) {
		r.fail(fmt.Errorf("a tensor %v of %d bytes in the state", shape, blob.Size()))
	}
}

// Shape reads one more than a rank, and the sizes, into dims. It reports whether a tensor follows.
func (r *Fields) Shape(dims *[tensor.MaxRank]int) ([]int, bool) {
	rank := int(min(r.Uint(), math.MaxInt32)) - 1
	if rank > len(dims) {
		r.fail(fmt.Errorf("a tensor of rank %d in the state, want at most %d", rank, len(dims)))
	}
	if rank < 0 || r.err != nil {
		return nil, false
	}
	shape := dims[:rank]
	for i := range shape {
		shape[i] = int(min(r.Uint(), math.MaxInt))
	}
	return shape, true
}

// ReadScalar reads a tensor of rank 0.
func ReadScalar[T tensor.Element](r *Fields, x *T) {
	if p, ok := r.take(elementSize[T]()); ok {
		tensor.SetRaw(tensor.One(x), p)
	}
}

func elementSize[T tensor.Element]() int {
	var x T
	return int(unsafe.Sizeof(x))
}
