package dsl

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Type is the type of a value as authors write it: Float32("batch", 784).
type Type struct {
	elem   tensor.DType
	dims   []any
	opaque ir.Type
	parts  []Type // of a bundle
	err    error  // what is wrong with it
}

type anySize struct{}

// Any is the size of an axis of which nothing is known.
var Any = anySize{}

// Tensor returns a tensor type. A dim is an int, the name of a size that may vary, or
// [Any]. No dims: one element.
func Tensor(elem tensor.DType, dims ...any) Type { return Type{elem: elem, dims: dims} }

// Float32 returns a tensor type, as [Tensor] says.
func Float32(dims ...any) Type { return Tensor(tensor.Float32, dims...) }

// Float64 returns a tensor type, as [Tensor] says.
func Float64(dims ...any) Type { return Tensor(tensor.Float64, dims...) }

// Float16 returns a tensor type, as [Tensor] says.
func Float16(dims ...any) Type { return Tensor(tensor.Float16, dims...) }

// Int64 returns a tensor type, as [Tensor] says.
func Int64(dims ...any) Type { return Tensor(tensor.Int64, dims...) }

// Int32 returns a tensor type, as [Tensor] says.
func Int32(dims ...any) Type { return Tensor(tensor.Int32, dims...) }

// Int8 returns a tensor type, as [Tensor] says.
func Int8(dims ...any) Type { return Tensor(tensor.Int8, dims...) }

// Uint64 returns a tensor type, as [Tensor] says.
func Uint64(dims ...any) Type { return Tensor(tensor.Uint64, dims...) }

// Uint8 returns a tensor type, as [Tensor] says.
func Uint8(dims ...any) Type { return Tensor(tensor.Uint8, dims...) }

// Bool returns a tensor type, as [Tensor] says.
func Bool(dims ...any) Type { return Tensor(tensor.Bool, dims...) }

// String returns a tensor type, as [Tensor] says.
func String(dims ...any) Type { return Tensor(tensor.String, dims...) }

// The types of values that are no tensors.
var (
	TriggerType = Type{opaque: peer.Trigger}  // that something has happened
	PeerType    = Type{opaque: peer.Peer1}    // one peer
	PeersType   = Type{opaque: peer.Peers}    // peers, by class and rank
	AddressType = Type{opaque: peer.Address1} // where a peer may be reached
)

// BundleOf returns the type of what [Graph.Bundle] makes of values of these types.
func BundleOf(parts ...Type) Type { return Type{parts: parts} }

// GoType returns the type of values of a Go type of the author's own, of which example is one.
// They go through a program as they are: a component's methods take and give them. Over
// edges, in snapshots and at the host they are the bytes, so many at most, that the type's
// method AppendBinary or MarshalBinary writes and UnmarshalBinary reads: always the same
// for the same value. Nobody may change a value that a method has returned.
//
// What UnmarshalBinary refuses of another peer counts as missing from it.
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

// isZero reports whether nothing was said.
func (t Type) isZero() bool {
	return t.elem == tensor.Undefined && t.opaque.Name == "" && t.parts == nil && t.err == nil
}

// make returns t with each dim as size says.
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
	return ir.TensorOf(t.elem, shape...), nil
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

// fits says why a value of type got is none of type want, if so: sizes that vary
// fit all.
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
