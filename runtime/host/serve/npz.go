package serve

import (
	"bytes"
	"fmt"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
)

// maxInflate is the maximum ratio of the size of arrays to that of their archive. An uncompressed archive is
// larger than its arrays.
const maxInflate = 8

// decodeNPZ reads an archive with an array for each input.
func decodeNPZ(body []byte, ports []model.Port) ([]tensor.Value, error) {
	arrays, err := npz.Decode(body, maxInflate*int64(len(body)))
	if err != nil {
		return nil, err
	}
	inputs := make([]tensor.Value, len(ports))
	for i, p := range ports {
		if p.Key != tensor.Undefined {
			return nil, fmt.Errorf("input %q is %s, want a tensor: send %s", p.Name, p.Type, mimeJSON)
		}
		t := arrays[p.Name]
		if t == nil {
			return nil, fmt.Errorf("input %q is missing, want an array %s", p.Name, p.Type)
		}
		inputs[i] = t
		delete(arrays, p.Name)
	}
	for name := range arrays {
		return nil, fmt.Errorf("there is no input %q; there are: %s", name, names(ports))
	}
	return inputs, nil
}

// encodeNPZ writes an archive with an array for each output.
func encodeNPZ(ports []model.Port, values []tensor.Value) ([]byte, error) {
	arrays := make(map[string]*tensor.Tensor, len(ports))
	for i, p := range ports {
		t, ok := values[i].(*tensor.Tensor)
		if !ok {
			return nil, fmt.Errorf("output %q is %s, want a tensor: accept %s", p.Name, p.Type, mimeJSON)
		}
		arrays[p.Name] = t
	}
	var b bytes.Buffer
	err := npz.Write(&b, arrays)
	return b.Bytes(), err
}
