package dsl

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Type is the type of a value as authors write it, such as Float32("batch", 784).
type Type struct {
	elem   tensor.DType
	dims   []any
	opaque ir.Type
	parts  []Type // of a bundle
	err    error  // the error in the type, or nil
}

type anySize struct{}

// Any is a dim of unknown size.
var Any = anySize{}

// Tensor returns a tensor type. A dim is an int, the name of a variable size, or [Any]. Without dims, the
// tensor has one element.
func Tensor(elem tensor.DType, dims ...any) Type { return Type{elem: elem, dims: dims} }

// Float32 returns the type of a float32 tensor; see [Tensor].
func Float32(dims ...any) Type { return Tensor(tensor.Float32, dims...) }

// Float64 returns the type of a float64 tensor; see [Tensor].
func Float64(dims ...any) Type { return Tensor(tensor.Float64, dims...) }

// Float16 returns the type of a float16 tensor; see [Tensor].
func Float16(dims ...any) Type { return Tensor(tensor.Float16, dims...) }

// Int64 returns the type of an int64 tensor; see [Tensor].
func Int64(dims ...any) Type { return Tensor(tensor.Int64, dims...) }

// Int32 returns the type of an int32 tensor; see [Tensor].
func Int32(dims ...any) Type { return Tensor(tensor.Int32, dims...) }

// Uint64 returns the type of a uint64 tensor; see [Tensor].
func Uint64(dims ...any) Type { return Tensor(tensor.Uint64, dims...) }

// Uint8 returns the type of a uint8 tensor; see [Tensor].
func Uint8(dims ...any) Type { return Tensor(tensor.Uint8, dims...) }

// Bool returns the type of a bool tensor; see [Tensor].
func Bool(dims ...any) Type { return Tensor(tensor.Bool, dims...) }

// String returns the type of a string tensor; see [Tensor].
func String(dims ...any) Type { return Tensor(tensor.String, dims...) }

// The types of values other than tensors.
var (
	TriggerType = Type{opaque: peer.Trigger}  // an event without a value
	PeerType    = Type{opaque: peer.Peer1}    // one peer
	PeersType   = Type{opaque: peer.Peers}    // peers, by class and rank
	AddressType = Type{opaque: peer.Address1} // an address at which a peer may be reached
)

// BundleOf returns the type of a [Graph.Bundle] of values of these types.
func BundleOf(parts ...Type) Type { return Type{parts: parts} }

// GoType returns the type of values of the author's own Go type, given an example. Components' methods take
// and return such values as they are. On edges, in snapshots and at the host they are encoded by the type's
// AppendBinary or MarshalBinary, and decoded by UnmarshalBinary. The encoding has at most mostBytes bytes and
// must always be the same for the same value. A value must not be changed after a method has returned it.
//
// A value of another peer that UnmarshalBinary rejects counts as missing.
func GoType(example any, mostBytes int) Type {
	t := reflect.TypeOf(example)
	err := declared(t)
	if err == nil && mostBytes < 1 {
		err = fmt.Errorf("at most %d bytes, want 1 or more", mostBytes)
	}
	if err != nil {
		return Type{err: fmt.Errorf("GoType(%T): %w", example, err)}
	}
	return Type{opaque: peer.OwnType{Package: t.PkgPath(), Name: t.Name(), Most: mostBytes}.Type()}
}

// isZero reports whether t is the zero Type.
func (t Type) isZero() bool {
	return t.elem == tensor.Undefined && t.opaque.Name == "" && t.parts == nil && t.err == nil
}

// make returns the type in the graph, with each dim converted by size.
func (t Type) make(size func(dim any) (ir.Dim, error)) (ir.Type, error) {
	switch {
	case t.err != nil:
		return ir.Type{}, t.err
	case t.opaque.Name != "":
		return t.opaque, nil
	case t.parts != nil:
		parts := make([]ir.Type, len(t.parts))
		for i, p := range t.parts {
			var err error
			if parts[i], err = p.make(size); err != nil {
				return ir.Type{}, err
			}
		}
		return peer.BundleOf(parts), nil
	case !t.elem.Valid():
		return ir.Type{}, fmt.Errorf("there is no element type %d", t.elem)
	case len(t.dims) > tensor.MaxRank:
		return ir.Type{}, fmt.Errorf("a tensor has %d axes, want at most %d", len(t.dims), tensor.MaxRank)
	}
	shape := make([]ir.Dim, len(t.dims))
	for i, d := range t.dims {
		var err error
		if shape[i], err = size(d); err != nil {
			return ir.Type{}, fmt.Errorf("axis %d: %w", i, err)
		}
	}
	return ir.TensorOf(t.elem, shape...), bounded(shape)
}

// bounded returns an error if a shape has more elements than a tensor may have, which no reader of the program accepts.
func bounded(shape []ir.Dim) error {
	elements := 1
	for _, d := range shape {
		n, ok := d.Const()
		if !ok || n == 0 {
			continue
		}
		if elements > op.MaxSize/n {
			return fmt.Errorf("the shape is %v, want at most %d elements", shape, op.MaxSize)
		}
		elements *= n
	}
	return nil
}

// known checks a dim and reports whether it is a constant.
func known(dim any) (ir.Dim, bool, error) {
	switch d := dim.(type) {
	case int:
		if d < 0 {
			return ir.Dim{}, false, fmt.Errorf("the size is %d, want 0 or more", d)
		}
		return ir.C(d), true, nil
	case string:
		if ir.Ident(d) != d || d == "_" {
			return ir.Dim{}, false, fmt.Errorf("the size is called %q, want a name of letters, digits and underscores", d)
		}
		return ir.Dim{}, false, nil
	case anySize:
		return ir.Dim{}, false, nil
	}
	return ir.Dim{}, false, fmt.Errorf("the size is a %T, want an int, a name or Any", dim)
}

// fits returns an error if a value of type got cannot be used as type want. A variable size fits any size.
func fits(got, want ir.Type) error {
	ok := got.Kind == want.Kind && got.Elem == want.Elem
	switch {
	case ok && got.Kind == ir.Opaque && got.Name != want.Name:
		a, err := peer.BundleParts(got)
		b, err2 := peer.BundleParts(want)
		ok = err == nil && err2 == nil && slices.EqualFunc(a, b, func(x, y ir.Type) bool { return fits(x, y) == nil })
	case ok && got.Ranked && want.Ranked:
		ok = slices.EqualFunc(got.Shape, want.Shape, func(x, y ir.Dim) bool {
			a, aok := x.Const()
			b, bok := y.Const()
			return !aok || !bok || a == b
		})
	}
	if !ok {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	return nil
}
