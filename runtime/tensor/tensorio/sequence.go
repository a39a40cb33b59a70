package tensorio

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// DecodeSequence reads a SequenceProto and its name. Its dtype is that of its tensors; for an empty sequence it
// is [tensor.Undefined].
func DecodeSequence(b []byte) (*tensor.Sequence, string, error) {
	return decodeSequence(b, 0)
}

func decodeSequence(b []byte, depth int) (*tensor.Sequence, string, error) {
	c, err := decodeContainer(b, depth)
	if err != nil {
		return nil, "", fmt.Errorf("sequence %q: %w", c.name, err)
	}
	s := &tensor.Sequence{Items: c.items}
	for i, v := range c.items {
		d := elemOf(v)
		if s.Elem != tensor.Undefined && d != tensor.Undefined && d != s.Elem {
			return nil, "", fmt.Errorf("sequence %q: item %d is %v, want %v", c.name, i, d, s.Elem)
		}
		s.Elem = max(s.Elem, d)
	}
	return s, c.name, nil
}

// AppendSequence appends s as a SequenceProto.
func AppendSequence(dst []byte, name string, s *tensor.Sequence) []byte {
	if name != "" {
		dst = protowire.AppendTag(dst, valueName, protowire.BytesType)
		dst = protowire.AppendString(dst, name)
	}
	k := kindUndefined
	switch {
	case len(s.Items) > 0:
		k = kindOf(s.Items[0])
	case s.Elem.Valid():
		k = kindTensor
	}
	dst = appendInt(dst, valueElemType, uint64(k))
	for _, v := range s.Items {
		dst = appendValue(dst, v)
	}
	return dst
}
