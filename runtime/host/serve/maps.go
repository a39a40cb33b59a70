package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// decodeMap reads a map, with keys as strings of JSON:
//
//	{"age": 3, "city=Bonn": 1}
func decodeMap(raw []byte, p model.Port) (*tensor.Map, error) {
	var fields map[string]json.RawMessage
	if err := unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("is %.40s, want an object with a value for each key: %s", raw, p.Type)
	}
	names := slices.Sorted(maps.Keys(fields))
	m := &tensor.Map{Keys: tensor.New(p.Key, len(names)), Values: tensor.New(p.Elem, len(names))}
	for i, name := range names {
		if err := setKey(m.Keys, i, name); err != nil {
			return nil, err
		}
		v, err := codecs[p.Elem].decode(p.Elem, fields[name], []int{})
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", name, err)
		}
		m.Values.SetItem(i, v)
	}
	return m, nil
}

// setKey sets key i of a map to the value of name.
func setKey(keys *tensor.Tensor, i int, name string) error {
	switch keys := keys.Data.(type) {
	case []string:
		keys[i] = name
		return nil
	case []int64:
		k, err := strconv.ParseInt(name, 10, 64)
		if err != nil || strconv.FormatInt(k, 10) != name { // "01" would be the same key as "1"
			return fmt.Errorf("key %q is no int64", name)
		}
		keys[i] = k
		return nil
	}
	return fmt.Errorf("keys are %s, which JSON cannot carry here", keys.DType)
}

// appendMap appends a map as an object, with sorted keys.
func appendMap(b []byte, m *tensor.Map) ([]byte, error) {
	c, ok := codecs[m.Values.DType]
	if !ok {
		return nil, fmt.Errorf("is %v, which JSON cannot carry here", m)
	}
	b = append(b, '{')
	for i := range m.Keys.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, keyText(m, i)), ':')
		b = c.encode(b, m.Values.Item(i))
	}
	return append(b, '}'), nil
}

// keyText returns key i of m as text.
func keyText(m *tensor.Map, i int) string {
	if k, ok := m.Keys.Data.([]string); ok {
		return k[i]
	}
	return fmt.Sprint(m.Keys.Item(i).Data.([]int64)[0])
}
