package tensorio

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// DecodeOptional reads an OptionalProto and its name. A message without a value is an empty optional.
func DecodeOptional(b []byte) (*tensor.Optional, string, error) {
	return decodeOptional(b, 0)
}

func decodeOptional(b []byte, depth int) (*tensor.Optional, string, error) {
	c, err := decodeContainer(b, depth)
	if err == nil && len(c.items) > 1 {
		err = fmt.Errorf("holds %d values, want at most one", len(c.items))
	}
	if err != nil {
		return nil, "", fmt.Errorf("optional %q: %w", c.name, err)
	}
	o := &tensor.Optional{}
	if len(c.items) == 1 {
		o.Value = c.items[0]
	}
	return o, c.name, nil
}

// AppendOptional appends o as an OptionalProto.
func AppendOptional(dst []byte, name string, o *tensor.Optional) []byte {
	if name != "" {
		dst = protowire.AppendTag(dst, valueName, protowire.BytesType)
		dst = protowire.AppendString(dst, name)
	}
	if o.Value == nil {
		return appendInt(dst, valueElemType, uint64(kindUndefined))
	}
	dst = appendInt(dst, valueElemType, uint64(kindOf(o.Value)))
	return appendValue(dst, o.Value)
}
