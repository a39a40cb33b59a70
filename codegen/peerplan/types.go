package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// IsScalar reports whether values of a type have one element.
func IsScalar(t ir.Type) bool { return t.Kind == ir.Tensor && t.Ranked && len(t.Shape) == 0 }

// IsString reports whether values of a type are a single string.
func IsString(t ir.Type) bool { return IsScalar(t) && t.Elem == tensor.String }

// IsStrings reports whether values of a type are tensors of strings, with bytes that are stored separately.
func IsStrings(t ir.Type) bool {
	return t.Kind == ir.Tensor && t.Elem == tensor.String && !IsScalar(t)
}

// CanKeep reports whether a peer can store values of a type.
func CanKeep(t ir.Type) bool {
	return t.Kind == ir.Tensor && t.Elem.Valid() || t.Equal(peer.Peers) || t.Equal(peer.Peer1) || t.Equal(peer.Address1) || peer.IsOwn(t)
}

// MayBeLarge reports whether values of a type may be as large as [tensor.Large].
func MayBeLarge(t ir.Type) bool {
	if t.Kind != ir.Tensor || IsScalar(t) || t.Elem.Size() == 0 {
		return false
	}
	size := t.Elem.Size()
	for _, d := range t.Shape {
		n, ok := d.Const()
		if !ok {
			return true
		}
		size *= n
	}
	return size >= tensor.Large
}
