package runtime

import (
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// How values look in messages, frames and snapshots is the business of package values.
// Generated code calls it by the names here, as those of all versions import this package
// alone; types are aliases, as generated code, components and hosts write their names.
type (
	// Fields reads what the Append functions have written.
	Fields = values.Fields

	// Large is a tensor that may be too large for memory.
	Large[T tensor.Element] = values.Large[T]

	// Own is a value of a Go type of the author's own in a frame.
	Own[T any] = values.Own[T]

	// OwnType is a pointer to such a type.
	OwnType[T any] = values.OwnType[T]

	// Dim is one axis of an input: a fixed size, or where to note the size found.
	Dim = values.Dim

	// Spool is where a host keeps large values.
	Spool = values.Spool
)

// Open stands for an axis whose size a type leaves open, in the functions that
// check values of it.
const Open = values.Open

// Fixed is a [Dim] of size n.
func Fixed(n int) Dim { return values.Fixed(n) }

// Varies is a [Dim] whose size is noted in p.
func Varies(p *int) Dim { return values.Varies(p) }

// KeepDense appends a tensor as a frame's snapshot has it: one more than its rank,
// its shape, and its elements, which are in a file if they are large.
func KeepDense[T tensor.Element](f *Frame, b []byte, x tensor.Dense[T]) []byte {
	return values.KeepDense(f.spool(), b, x)
}

// KeepLarge is [KeepDense] of what may be in a file already.
func KeepLarge[T tensor.Element](f *Frame, b []byte, x *Large[T]) []byte {
	return values.KeepLarge(f.spool(), b, x)
}

// ReadKept reads what [KeepDense] has written.
func ReadKept[T tensor.Element](f *Frame, r *Fields, x *tensor.Dense[T]) {
	values.ReadKept(f.spool(), r, x)
}

// ReadLarge reads what [KeepLarge] has written.
func ReadLarge[T tensor.Element](f *Frame, r *Fields, x *Large[T]) {
	values.ReadLarge(f.spool(), r, x)
}

// Drop says that nobody reads a tensor of a frame any more: a [tensor.Large] one
// is forgotten before the frame ends.
func Drop[T tensor.Element](n *Node, x *tensor.Dense[T]) {
	if size := values.Drop(x); size >= veryLarge {
		n.dropped += uint64(size)
	}
}

// veryLarge is from how many bytes on a value is worth a collection.
const veryLarge = 16 << 20

// AppendDense appends a tensor as snapshots have it: one more than its rank, its
// shape and its elements. One that nothing was written to is a 0.
func AppendDense[T tensor.Element](b []byte, x tensor.Dense[T]) []byte {
	return values.AppendDense[T](b, x)
}

// AppendScalar appends a tensor of rank 0.
func AppendScalar[T tensor.Element](b []byte, x T) []byte { return values.AppendScalar[T](b, x) }

// AppendPeers appends a list of peers, each by its key.
func AppendPeers(b []byte, list []wire.PeerID) []byte { return values.AppendPeers(b, list) }

// AppendPeer appends a peer's key.
func AppendPeer(b []byte, p wire.PeerID) []byte { return values.AppendPeer(b, p) }

// AppendText appends a text behind its length.
func AppendText(b []byte, s string) []byte { return values.AppendText(b, s) }

// NewFields reads b.
func NewFields(b []byte) *Fields { return values.NewFields(b) }

// ReadDense reads a tensor into x's memory.
func ReadDense[T tensor.Element](r *Fields, x *tensor.Dense[T]) { values.ReadDense[T](r, x) }

// ReadScalar reads a tensor of rank 0.
func ReadScalar[T tensor.Element](r *Fields, x *T) { values.ReadScalar[T](r, x) }

// TakeDense makes x the tensor that a fill brings: a copy in x's memory, but of a
// [tensor.Large] one that is in memory the same bytes. The sizes that its type
// leaves open travel in the fill.
func TakeDense[T tensor.Element](x *tensor.Dense[T], fill *wire.SlotFill, dims ...int) error {
	return values.TakeDense[T](x, fill, dims...)
}

// TakeScalar makes x the number that a fill brings.
func TakeScalar[T tensor.Element](x *T, fill *wire.SlotFill) error {
	return values.TakeScalar[T](x, fill)
}

// TakePeers makes list the peers that a fill brings.
func TakePeers(list *[]wire.PeerID, fill *wire.SlotFill) error { return values.TakePeers(list, fill) }

// TakePeer makes p the peer that a fill brings.
func TakePeer(p *wire.PeerID, fill *wire.SlotFill) error { return values.TakePeer(p, fill) }

// TakeText makes s the text that a fill brings.
func TakeText(s *string, fill *wire.SlotFill) error { return values.TakeText(s, fill) }

// Number is a variable of a constant's value, for code that takes its address.
func Number[T tensor.Element](x T) *T { return values.Number[T](x) }

// PeerNames is peers as the host is told them.
func PeerNames(list ...wire.PeerID) tensor.Value { return values.PeerNames(list...) }

// SetDense makes x a value from the host, or from the round before: a copy of a
// small one, the same memory as a [tensor.Large] one.
func SetDense[T tensor.Element](x *tensor.Dense[T], v tensor.Value, dims ...int) error {
	return values.SetDense[T](x, v, dims...)
}

// Kept is a tensor of a frame for the host, which may keep it: a copy of a small
// one, the same memory as a [tensor.Large] one.
func Kept[T tensor.Element](x tensor.Dense[T]) tensor.Value { return values.Kept[T](x) }

// SetScalar makes x a number from the host.
func SetScalar[T tensor.Element](x *T, v tensor.Value) error { return values.SetScalar[T](x, v) }

// CheckShape says what is wrong with the shape of a value.
func CheckShape(name string, shape []int, dims ...int) error {
	return values.CheckShape(name, shape, dims...)
}

// LargeOf is a tensor in memory.
func LargeOf[T tensor.Element](x tensor.Dense[T]) *Large[T] { return values.LargeOf[T](x) }

// TakeLarge makes x the tensor that a fill brings, which stays where it is if it
// came as chunks. The sizes that its type leaves open travel in the fill.
func TakeLarge[T tensor.Element](x *Large[T], fill *wire.SlotFill, dims ...int) error {
	return values.TakeLarge[T](x, fill, dims...)
}

// AppendOwn appends a value as its author writes it. One of more than so many bytes is an
// error.
func AppendOwn[T any, P OwnType[T]](b []byte, x P, most int) ([]byte, error) {
	return values.AppendOwn[T, P](b, x, most)
}

// TakeOwn makes x the value that a fill brings. What its author's method refuses, or
// panics at, is an error: the bytes are another peer's.
func TakeOwn[T any, P OwnType[T]](x *Own[T], fill *wire.SlotFill) error {
	return values.TakeOwn[T, P](x, fill)
}

// SetOwn makes x a value of the host, which gives the bytes that are written of it.
func SetOwn[T any, P OwnType[T]](x *Own[T], v tensor.Value, most int) error {
	return values.SetOwn[T, P](x, v, most)
}

// OwnTensor is a value as the host gets it: the bytes that are written of it.
func OwnTensor[T any, P OwnType[T]](x P, most int) (tensor.Value, error) {
	return values.OwnTensor[T, P](x, most)
}

// KeepOwn appends a value as snapshots have it: behind one more than its length. One that
// is not there is a 0.
func KeepOwn[T any, P OwnType[T]](b []byte, x *Own[T]) ([]byte, error) {
	return values.KeepOwn[T, P](b, x)
}

// EncodeOwn is [KeepOwn] of a value that is there.
func EncodeOwn[T any, P OwnType[T]](b []byte, x P, most int) ([]byte, error) {
	return values.EncodeOwn[T, P](b, x, most)
}

// ReadOwn reads what [KeepOwn] has written.
func ReadOwn[T any, P OwnType[T]](r *Fields, x *Own[T]) { values.ReadOwn[T, P](r, x) }

// AppendStrings appends strings, each behind its length: the payload of a fill.
func AppendStrings(b []byte, list []string) []byte { return values.AppendStrings(b, list) }

// AppendDenseStrings is [AppendDense] for a tensor of strings.
func AppendDenseStrings(b []byte, x tensor.Dense[string]) []byte {
	return values.AppendDenseStrings(b, x)
}

// ReadDenseStrings is [ReadDense] for a tensor of strings.
func ReadDenseStrings(r *Fields, x *tensor.Dense[string]) { values.ReadDenseStrings(r, x) }

// TakeDenseStrings is [TakeDense] for a tensor of strings.
func TakeDenseStrings(x *tensor.Dense[string], fill *wire.SlotFill, dims ...int) error {
	return values.TakeDenseStrings(x, fill, dims...)
}

// Payload returns the payload of a fill, which it reads from its file if it is in one.
func Payload(fill *wire.SlotFill) ([]byte, error) { return values.Payload(fill) }

// SetPeer makes x a peer that the host names, as [PeerNames] writes it.
func SetPeer(x *wire.PeerID, v tensor.Value) error { return values.SetPeer(x, v) }

// SetPeers makes x peers that the host names, as [PeerNames] writes them: each once.
func SetPeers(x *[]wire.PeerID, v tensor.Value) error { return values.SetPeers(x, v) }

// Assign makes *dst the elements of v, after checking that v is a tensor of the
// right type and shape.
func Assign[T tensor.Element](dst *[]T, v tensor.Value, dims ...Dim) error {
	return values.Assign[T](dst, v, dims...)
}

// CheckLen reports an input whose number of elements is not what its shape
// says.
func CheckLen(input string, got, want int, typ string) error {
	return values.CheckLen(input, got, want, typ)
}

// CheckSize reports a size that no axis has. The product of several could seem
// right all the same.
func CheckSize(field string, n int) error { return values.CheckSize(field, n) }

// AssignSequence makes *dst the sequence v.
func AssignSequence(dst **tensor.Sequence, v tensor.Value) error {
	return values.AssignSequence(dst, v)
}

// AssignOptional makes *dst the optional v; what is no optional is the content
// of one.
func AssignOptional(dst **tensor.Optional, v tensor.Value) error {
	return values.AssignOptional(dst, v)
}

// AssignMap makes *dst the map v, after checking the types of its keys and
// values.
func AssignMap(dst **tensor.Map, v tensor.Value, key, value tensor.DType) error {
	return values.AssignMap(dst, v, key, value)
}

// TypeText writes a type as models do: float32[1,784].
func TypeText(d tensor.DType, shape []int) string { return values.TypeText(d, shape) }
