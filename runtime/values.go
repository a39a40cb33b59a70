package runtime

import (
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Package values defines the form of values in messages, frames and snapshots. Generated code uses the names
// here, as generated code of all versions imports only this package. Types are aliases, for generated code,
// components and hosts.
type (
	// Fields reads the output of the Append functions: Uint, Count, Text, Bytes, Peer and Peers read one value each, Err
	// and End return what was wrong. Package values describes them.
	Fields = values.Fields

	// Large is a tensor that may be too large for memory.
	Large[T tensor.Element] = values.Large[T]

	// Own is a value of a Go type of the program's author in a frame.
	Own[T any] = values.Own[T]

	// OwnType is a pointer to such a type.
	OwnType[T any] = values.OwnType[T]

	// Dim is one axis of an input: a fixed size, or a variable for the size of the value.
	Dim = values.Dim

	// Spool stores large values for a host.
	Spool = values.Spool
)

// Open stands for an axis with an open size, in the functions that check values.
const Open = values.Open

// Fixed is a [Dim] of size n.
func Fixed(n int) Dim { return values.Fixed(n) }

// Varies is a [Dim] whose size is stored in p.
func Varies(p *int) Dim { return values.Varies(p) }

// KeepDense appends a tensor in the form of a frame's snapshot: one more than its rank, its shape, and its
// elements, which are in a file if they are large.
func KeepDense[T tensor.Element](f *Frame, b []byte, x tensor.Dense[T]) []byte {
	return values.KeepDense(f.spool(), b, x)
}

// KeepLarge is [KeepDense] for a value that may already be in a file.
func KeepLarge[T tensor.Element](f *Frame, b []byte, x *Large[T]) []byte {
	return values.KeepLarge(f.spool(), b, x)
}

// ReadKept reads the output of [KeepDense].
func ReadKept[T tensor.Element](f *Frame, r *Fields, x *tensor.Dense[T]) {
	values.ReadKept(f.spool(), r, x)
}

// ReadLarge reads the output of [KeepLarge].
func ReadLarge[T tensor.Element](f *Frame, r *Fields, x *Large[T]) {
	values.ReadLarge(f.spool(), r, x)
}

// Drop drops a tensor of a frame that has no more readers: a [tensor.Large] one is released before the frame
// ends.
func Drop[T tensor.Element](n *Node, x *tensor.Dense[T]) {
	if size := values.Drop(x); size >= veryLarge {
		n.dropped += uint64(size)
	}
}

// veryLarge is the size in bytes from which on a dropped value justifies a garbage collection.
const veryLarge = 16 << 20

// AppendDense appends a tensor in the form of snapshots: one more than its rank, its shape and its elements. An
// unset tensor is a 0.
func AppendDense[T tensor.Element](b []byte, x tensor.Dense[T]) []byte {
	return values.AppendDense[T](b, x)
}

// AppendScalar appends a tensor of rank 0.
func AppendScalar[T tensor.Element](b []byte, x T) []byte { return values.AppendScalar[T](b, x) }

// AppendPeers appends a list of peers, each by its key.
func AppendPeers(b []byte, list []wire.PeerID) []byte { return values.AppendPeers(b, list) }

// AppendPeer appends a peer's key.
func AppendPeer(b []byte, p wire.PeerID) []byte { return values.AppendPeer(b, p) }

// AppendText appends the length of a text, and the text.
func AppendText(b []byte, s string) []byte { return values.AppendText(b, s) }

// NewFields returns a reader of b.
func NewFields(b []byte) *Fields { return values.NewFields(b) }

// ReadDense reads a tensor into x's memory.
func ReadDense[T tensor.Element](r *Fields, x *tensor.Dense[T]) { values.ReadDense[T](r, x) }

// ReadScalar reads a tensor of rank 0.
func ReadScalar[T tensor.Element](r *Fields, x *T) { values.ReadScalar[T](r, x) }

// TakeDense sets x to the tensor of a fill: a copy in x's memory, or for a [tensor.Large] value in memory the
// same bytes. The fill holds the open sizes of the type.
func TakeDense[T tensor.Element](x *tensor.Dense[T], fill *wire.SlotFill, dims ...int) error {
	return values.TakeDense[T](x, fill, dims...)
}

// TakeScalar sets x to the number of a fill.
func TakeScalar[T tensor.Element](x *T, fill *wire.SlotFill) error {
	return values.TakeScalar[T](x, fill)
}

// TakePeers sets list to the peers of a fill.
func TakePeers(list *[]wire.PeerID, fill *wire.SlotFill) error { return values.TakePeers(list, fill) }

// TakePeer sets p to the peer of a fill.
func TakePeer(p *wire.PeerID, fill *wire.SlotFill) error { return values.TakePeer(p, fill) }

// TakeText sets s to the text of a fill.
func TakeText(s *string, fill *wire.SlotFill) error { return values.TakeText(s, fill) }

// Number returns a pointer to a variable with the value x, for code that takes the address of a constant.
func Number[T tensor.Element](x T) *T { return values.Number[T](x) }

// PeerNames returns peers in the form that the host gets.
func PeerNames(list ...wire.PeerID) tensor.Value { return values.PeerNames(list...) }

// SetDense sets x to a value from the host, or from the previous round: a copy of a small value, the same
// memory as a [tensor.Large] one.
func SetDense[T tensor.Element](x *tensor.Dense[T], v tensor.Value, dims ...int) error {
	return values.SetDense[T](x, v, dims...)
}

// Kept returns a tensor of a frame for the host, which may keep it: a copy of a small tensor, the same memory
// as a [tensor.Large] one.
func Kept[T tensor.Element](x tensor.Dense[T]) tensor.Value { return values.Kept[T](x) }

// SetScalar sets x to a number from the host.
func SetScalar[T tensor.Element](x *T, v tensor.Value) error { return values.SetScalar[T](x, v) }

// CheckShape returns an error if the shape of a value is wrong.
func CheckShape(name string, shape []int, dims ...int) error {
	return values.CheckShape(name, shape, dims...)
}

// LargeOf returns a Large for a tensor in memory.
func LargeOf[T tensor.Element](x tensor.Dense[T]) *Large[T] { return values.LargeOf[T](x) }

// TakeLarge sets x to the tensor of a fill. A tensor that came in chunks stays where it is. The fill holds the
// open sizes of the type.
func TakeLarge[T tensor.Element](x *Large[T], fill *wire.SlotFill, dims ...int) error {
	return values.TakeLarge[T](x, fill, dims...)
}

// AppendOwn appends a value in the encoding of its author. A value of more than most bytes is an error.
func AppendOwn[T any, P OwnType[T]](b []byte, x P, most int) ([]byte, error) {
	return values.AppendOwn[T, P](b, x, most)
}

// TakeOwn sets x to the value of a fill. It returns an error if the author's method fails or panics, as the
// bytes come from another peer.
func TakeOwn[T any, P OwnType[T]](x *Own[T], fill *wire.SlotFill) error {
	return values.TakeOwn[T, P](x, fill)
}

// SetOwn sets x to a value from the host, which gives its encoding.
func SetOwn[T any, P OwnType[T]](x *Own[T], v tensor.Value, most int) error {
	return values.SetOwn[T, P](x, v, most)
}

// OwnTensor returns a value for the host: its encoding as a tensor.
func OwnTensor[T any, P OwnType[T]](x P, most int) (tensor.Value, error) {
	return values.OwnTensor[T, P](x, most)
}

// KeepOwn appends a value in the form of snapshots: one more than its length, and its encoding. An unset value
// is a 0.
func KeepOwn[T any, P OwnType[T]](b []byte, x *Own[T]) ([]byte, error) {
	return values.KeepOwn[T, P](b, x)
}

// EncodeOwn is [KeepOwn] for a value that is set.
func EncodeOwn[T any, P OwnType[T]](b []byte, x P, most int) ([]byte, error) {
	return values.EncodeOwn[T, P](b, x, most)
}

// ReadOwn reads the output of [KeepOwn].
func ReadOwn[T any, P OwnType[T]](r *Fields, x *Own[T]) { values.ReadOwn[T, P](r, x) }

// AppendStrings appends the payload of a fill of strings: the length of each string, and the string.
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

// Payload returns the payload of a fill, reading its file if it is in one.
func Payload(fill *wire.SlotFill) ([]byte, error) { return values.Payload(fill) }

// SetPeer sets x to a peer that the host names in the form of [PeerNames].
func SetPeer(x *wire.PeerID, v tensor.Value) error { return values.SetPeer(x, v) }

// SetPeers sets x to peers that the host names in the form of [PeerNames], without duplicates.
func SetPeers(x *[]wire.PeerID, v tensor.Value) error { return values.SetPeers(x, v) }

// Assign sets *dst to the elements of v. It returns an error unless v is a tensor of the right type and shape.
func Assign[T tensor.Element](dst *[]T, v tensor.Value, dims ...Dim) error {
	return values.Assign[T](dst, v, dims...)
}

// CheckLen returns an error if an input does not have the number of elements of its shape.
func CheckLen(input string, got, want int, typ string) error {
	return values.CheckLen(input, got, want, typ)
}

// CheckSize returns an error for a size that no axis can have. The product of several such sizes could seem
// valid.
func CheckSize(field string, n int) error { return values.CheckSize(field, n) }

// AssignSequence sets *dst to the sequence v.
func AssignSequence(dst **tensor.Sequence, v tensor.Value) error {
	return values.AssignSequence(dst, v)
}

// AssignOptional sets *dst to the optional v. A value of another type becomes the content of an optional.
func AssignOptional(dst **tensor.Optional, v tensor.Value) error {
	return values.AssignOptional(dst, v)
}

// AssignMap sets *dst to the map v, after checking the types of its keys and values.
func AssignMap(dst **tensor.Map, v tensor.Value, key, value tensor.DType) error {
	return values.AssignMap(dst, v, key, value)
}

// TypeText returns a type in the notation of models: float32[1,784].
func TypeText(d tensor.DType, shape []int) string { return values.TypeText(d, shape) }
