package tensorio

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/internal/protofield"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// SequenceProto and OptionalProto have the same fields, but those of the former are repeated. Field number =
// kind + 2.
const (
	valueName     = 1
	valueElemType = 2
)

// kind is the type of the content of a sequence or an optional: the DataType enum that both messages share.
type kind uint64

const (
	kindUndefined kind = iota
	kindTensor
	kindSparseTensor
	kindSequence
	kindMap
	kindOptional
)

// field is the number of the field that holds values of kind k.
func (k kind) field() protowire.Number { return protowire.Number(k) + 2 }

func (k kind) String() string {
	if k > kindOptional {
		return fmt.Sprintf("kind(%d)", uint64(k))
	}
	return [...]string{"undefined", "tensor", "sparse tensor", "sequence", "map", "optional"}[k]
}

// maxDepth bounds how deep sequences and optionals nest.
const maxDepth = 32

// container is a SequenceProto or an OptionalProto, read.
type container struct {
	name  string
	kind  kind
	items []tensor.Value
}

// decodeContainer reads either message; depth is its nesting depth.
func decodeContainer(b []byte, depth int) (c container, err error) {
	if depth > maxDepth {
		return c, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	declared := kindUndefined
	err = protofield.Each(b, func(x protofield.Field) error {
		switch x.Num {
		case valueName:
			c.name = string(x.Bytes)
			return x.Want("name", protowire.BytesType)
		case valueElemType:
			declared = kind(x.Bits)
			return x.Want("elem_type", protowire.VarintType)
		}
		k := kind(x.Num - 2)
		if k > kindOptional {
			return nil
		}
		return c.add(k, x, depth)
	})
	if err == nil && declared != kindUndefined && len(c.items) > 0 && declared != c.kind {
		err = fmt.Errorf("items are of kind %v, want %v as elem_type says", c.kind, declared)
	}
	return c, err
}

// add reads x, the next item, of kind k.
func (c *container) add(k kind, x protofield.Field, depth int) error {
	if err := x.Want(k.String(), protowire.BytesType); err != nil {
		return err
	}
	if len(c.items) > 0 && k != c.kind {
		return fmt.Errorf("items are of kinds %v and %v, want one kind", c.kind, k)
	}
	v, err := decodeValue(k, x.Bytes, depth+1)
	if err != nil {
		return fmt.Errorf("item %d: %w", len(c.items), err)
	}
	c.kind, c.items = k, append(c.items, v)
	return nil
}

func decodeValue(k kind, b []byte, depth int) (tensor.Value, error) {
	switch k {
	case kindTensor:
		t, _, err := DecodeTensor(b)
		if err != nil { // no typed nil in a Value
			return nil, err
		}
		return t, nil
	case kindSequence:
		s, _, err := decodeSequence(b, depth)
		if err != nil {
			return nil, err
		}
		return s, nil
	case kindOptional:
		o, _, err := decodeOptional(b, depth)
		if err != nil {
			return nil, err
		}
		return o, nil
	case kindMap:
		m, _, err := decodeMap(b, depth)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	return nil, fmt.Errorf("kind is %v, want tensor, sequence, optional or map", k)
}

// appendValue appends v as the field of its kind.
func appendValue(dst []byte, v tensor.Value) []byte {
	var msg []byte
	switch v := v.(type) {
	case *tensor.Tensor:
		msg = AppendTensor(nil, "", v)
	case *tensor.Sequence:
		msg = AppendSequence(nil, "", v)
	case *tensor.Optional:
		msg = AppendOptional(nil, "", v)
	case *tensor.Map:
		msg = AppendMap(nil, "", v)
	}
	return appendMessage(dst, kindOf(v).field(), msg)
}

func kindOf(v tensor.Value) kind {
	switch v.(type) {
	case *tensor.Tensor:
		return kindTensor
	case *tensor.Sequence:
		return kindSequence
	case *tensor.Optional:
		return kindOptional
	case *tensor.Map:
		return kindMap
	}
	panic("BUG: tensorio: absent value in a sequence")
}

// elemOf is the dtype of the tensors in v, Undefined if there is none.
func elemOf(v tensor.Value) tensor.DType {
	switch v := v.(type) {
	case *tensor.Tensor:
		return v.DType
	case *tensor.Sequence:
		return v.Elem
	case *tensor.Optional:
		return elemOf(v.Value)
	case *tensor.Map:
		return v.Values.DType
	}
	return tensor.Undefined
}
