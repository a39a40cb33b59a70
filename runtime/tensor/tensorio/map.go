package tensorio

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/internal/protofield"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The fields of a MapProto. Its keys are strings or integers, its values a
// sequence of tensors of one element each.
const (
	mapKeyType    = 2
	mapKeys       = 3
	mapStringKeys = 4
	mapValues     = 5
)

// DecodeMap reads a MapProto and its name. Keys of all types of integers become
// int64.
func DecodeMap(b []byte) (*tensor.Map, string, error) { return decodeMap(b, 0) }

func decodeMap(b []byte, depth int) (*tensor.Map, string, error) {
	var name string
	key := tensor.Undefined
	var ints []int64
	var texts []string
	values := &tensor.Sequence{}
	err := protofield.Each(b, func(x protofield.Field) (err error) {
		switch x.Num {
		case valueName:
			name = string(x.Bytes)
			return x.Want("name", protowire.BytesType)
		case mapKeyType:
			key = tensor.DType(x.Bits)
			return x.Want("key_type", protowire.VarintType)
		case mapKeys:
			ints, err = protofield.AppendVarints(ints, "keys", x)
		case mapStringKeys:
			texts, err = append(texts, string(x.Bytes)), x.Want("string_keys", protowire.BytesType)
		case mapValues:
			if err = x.Want("values", protowire.BytesType); err == nil {
				values, _, err = decodeSequence(x.Bytes, depth+1)
			}
		}
		return err
	})
	if err != nil {
		return nil, name, fmt.Errorf("map %q: %w", name, err)
	}
	m := &tensor.Map{Keys: tensor.Of(ints, len(ints))}
	if texts != nil || ints == nil && key == tensor.String {
		m.Keys = tensor.Of(texts, len(texts))
	}
	if m.Values, err = joined(values); err == nil {
		err = checkMap(m, ints, texts)
	}
	if err != nil {
		return nil, name, fmt.Errorf("map %q: %w", name, err)
	}
	return m, name, nil
}

// checkMap returns an error for keys without a value, values without a key, and duplicate keys.
func checkMap(m *tensor.Map, ints []int64, texts []string) error {
	if ints != nil && texts != nil {
		return fmt.Errorf("has keys that are integers and keys that are strings")
	}
	if n := m.Keys.Len(); n != m.Values.Len() {
		return fmt.Errorf("has %d keys and %d values", n, m.Values.Len())
	}
	if k, twice := duplicate(ints); twice {
		return fmt.Errorf("key %d stands there twice", k)
	}
	if k, twice := duplicate(texts); twice {
		return fmt.Errorf("key %q stands there twice", k)
	}
	return nil
}

func duplicate[K comparable](keys []K) (k K, twice bool) {
	seen := make(map[K]bool, len(keys))
	for _, k := range keys {
		if seen[k] {
			return k, true
		}
		seen[k] = true
	}
	return k, false
}

// joined returns a sequence of tensors of one element each as a vector.
func joined(s *tensor.Sequence) (*tensor.Tensor, error) {
	if len(s.Items) == 0 {
		return tensor.New(tensor.Float32, 0), nil
	}
	var out *tensor.Tensor
	for i, v := range s.Items {
		t, ok := v.(*tensor.Tensor)
		if !ok || t.Len() != 1 {
			return nil, fmt.Errorf("value %d is %v, want a tensor of one element", i, v)
		}
		if out == nil { // the sequence has a type: it is one of tensors
			out = tensor.New(s.Elem, len(s.Items))
		}
		out.SetItem(i, t)
	}
	return out, nil
}

// AppendMap appends m as a MapProto.
func AppendMap(dst []byte, name string, m *tensor.Map) []byte {
	if name != "" {
		dst = appendMessage(dst, valueName, []byte(name))
	}
	dst = appendInt(dst, mapKeyType, uint64(m.Keys.DType))
	switch keys := m.Keys.Data.(type) {
	case []int64:
		for _, k := range keys {
			dst = appendInt(dst, mapKeys, uint64(k))
		}
	case []string:
		for _, k := range keys {
			dst = appendMessage(dst, mapStringKeys, []byte(k))
		}
	}
	values := &tensor.Sequence{Elem: m.Values.DType}
	for i := range m.Values.Len() {
		values.Items = append(values.Items, m.Values.Item(i))
	}
	return appendMessage(dst, mapValues, AppendSequence(nil, "", values))
}
