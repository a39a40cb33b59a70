package onnx

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// modelMetadata is the field of ModelProto that holds the metadata.
const modelMetadata = 14

// SetMetadata returns the ModelProto b with the given metadata, which replace those with the same keys. All
// other bytes are unchanged.
func SetMetadata(b []byte, values map[string]string) ([]byte, error) {
	list, err := fields(b)
	if err != nil {
		return nil, fmt.Errorf("not an ONNX model: %w", err)
	}
	var out []byte
	for _, f := range list {
		if f.num == modelMetadata && f.content != nil {
			entry, err := fields(f.content)
			if err != nil {
				return nil, fmt.Errorf("not an ONNX model: %w", err)
			}
			if _, ok := values[entryOf(entry, entryKey)]; ok {
				continue
			}
		}
		out = append(out, f.whole...)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		var entry []byte
		entry = protowire.AppendTag(entry, entryKey, protowire.BytesType)
		entry = protowire.AppendString(entry, key)
		entry = protowire.AppendTag(entry, entryValue, protowire.BytesType)
		entry = protowire.AppendString(entry, values[key])
		out = protowire.AppendTag(out, modelMetadata, protowire.BytesType)
		out = protowire.AppendBytes(out, entry)
	}
	return out, nil
}

// entryOf returns a field of an entry with a key and a value.
func entryOf(entry []wireField, num protowire.Number) string {
	for _, e := range entry {
		if e.num == num {
			return string(e.content)
		}
	}
	return ""
}
