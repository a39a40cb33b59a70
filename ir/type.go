package ir

import (
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Kind is a kind of value.
type Kind uint8

// The kinds of a value.
const (
	Tensor   Kind = iota // a dense tensor
	Sequence             // an ordered list of values of one type
	Optional             // a value or nothing
	Map                  // keys with values
	AnyRank              // a dense tensor of a rank that is known only at run time
	Opaque               // a value only its own operators understand, such as a peer set or a trigger
)

// String returns the kind's name in the text form.
func (k Kind) String() string {
	switch k {
	case Tensor:
		return "tensor"
	case Sequence:
		return "seq"
	case Optional:
		return "optional"
	case Map:
		return "map"
	case AnyRank:
		return "anyrank"
	}
	return "opaque"
}

// Type is the type of a value.
type Type struct {
	Kind   Kind
	Elem   tensor.DType // of a tensor's elements
	Shape  []Dim        // of a tensor, if Ranked
	Ranked bool         // the number of axes is known
	Key    tensor.DType // of a map
	Of     *Type        // content of a sequence, optional or map; for AnyRank, a tensor type without a rank
	Name   string       // of an opaque type
}

// TensorOf returns a tensor type of known rank.
func TensorOf(elem tensor.DType, shape ...Dim) Type {
	return Type{Elem: elem, Shape: shape, Ranked: true}
}

// SequenceOf returns the type of a list of elem.
func SequenceOf(elem Type) Type { return Type{Kind: Sequence, Of: &elem} }

// OptionalOf returns the type of an optional elem.
func OptionalOf(elem Type) Type { return Type{Kind: Optional, Of: &elem} }

// MapOf returns the type of a map from keys to values.
func MapOf(key tensor.DType, value Type) Type { return Type{Kind: Map, Key: key, Of: &value} }

// AnyRankOf returns the type of a tensor of any rank with the given element type.
func AnyRankOf(elem tensor.DType) Type { return Type{Kind: AnyRank, Of: &Type{Elem: elem}} }

// Known reports whether t is complete enough to generate code: a tensor needs an element type and a rank.
func (t Type) Known() bool {
	switch t.Kind {
	case Tensor:
		return t.Elem != tensor.Undefined && t.Ranked
	case Sequence, Optional, Map, AnyRank:
		return t.Of != nil
	}
	return true
}

// Static returns the shape as integers if the type is a tensor of constant shape.
func (t Type) Static() ([]int, bool) {
	if t.Kind != Tensor || !t.Ranked {
		return nil, false
	}
	return Static(t.Shape)
}

// Equal reports whether t and u are the same type.
func (t Type) Equal(u Type) bool {
	if t.Kind != u.Kind || t.Elem != u.Elem || t.Ranked != u.Ranked || t.Name != u.Name || t.Key != u.Key || !SameShape(t.Shape, u.Shape) {
		return false
	}
	return t.Of == nil && u.Of == nil || t.Of != nil && u.Of != nil && t.Of.Equal(*u.Of)
}

// unknownType is the text of the zero Type.
const unknownType = "?"

// String returns the type in text form: float32[batch,784], seq(float32[?]), optional(int64[]),
// map(string,float32[]), !peers. The shape of a tensor of unknown rank is [?]; an unknown type is "?".
func (t Type) String() string {
	switch {
	case t.Kind == Opaque:
		return "!" + quoteName(t.Name)
	case t.Kind != Tensor && t.Of == nil:
		return t.Kind.String() + "(" + unknownType + ")"
	case t.Kind == Map:
		return "map(" + t.Key.String() + "," + t.Of.String() + ")"
	case t.Kind != Tensor:
		return t.Kind.String() + "(" + t.Of.String() + ")"
	case t.Elem == tensor.Undefined && !t.Ranked:
		return unknownType
	}
	if !t.Ranked {
		return t.Elem.String() + "[?]"
	}
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = d.String()
	}
	return t.Elem.String() + "[" + strings.Join(dims, ",") + "]"
}
