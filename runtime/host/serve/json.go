package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// decodeJSON reads inputs, each with its shape or as nested lists:
//
//	{"inputs": {"x": {"shape": [2, 2], "data": [1, 2, 3, 4]}}}
//	{"inputs": {"x": [[1, 2], [3, 4]]}}
func decodeJSON(body []byte, ports []model.Port) ([]tensor.Value, error) {
	var request struct {
		Inputs map[string]json.RawMessage `json:"inputs"`
	}
	if err := unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf(`%w; want {"inputs": {NAME: VALUE}} with %s`, err, names(ports))
	}
	inputs := make([]tensor.Value, len(ports))
	for i, p := range ports {
		raw, ok := request.Inputs[p.Name]
		if !ok {
			return nil, fmt.Errorf("input %q is missing, want %s", p.Name, p.Type)
		}
		delete(request.Inputs, p.Name)
		v, err := decodePort(raw, p)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", p.Name, err)
		}
		inputs[i] = v
	}
	for name := range request.Inputs {
		return nil, fmt.Errorf("there is no input %q; there are: %s", name, names(ports))
	}
	return inputs, nil
}

// unmarshal reads one JSON value of known fields; more data are an error.
func unmarshal(b []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(dst); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return fmt.Errorf("json: found %s, want %s", strings.TrimSpace(wrong.Value+" "+strings.TrimPrefix(wrong.Field, ".")), kinds[wrong.Type.Kind()])
		}
		return fmt.Errorf("json: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("json: more than one value")
	}
	return nil
}

// kinds are JSON's words for what the fields of requests take.
var kinds = map[reflect.Kind]string{
	reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "a list",
	reflect.String: "a string", reflect.Int: "a whole number",
}

func names(ports []model.Port) string {
	s := make([]string, len(ports))
	for i, p := range ports {
		s[i] = p.Name
	}
	return strings.Join(s, ", ")
}

// decodePort reads one input, a tensor or a map; raw is valid JSON.
func decodePort(raw []byte, p model.Port) (tensor.Value, error) {
	if p.Key != tensor.Undefined {
		m, err := decodeMap(raw, p)
		return m, err
	}
	t, err := decodeInput(raw, p)
	return t, err
}

// decodeInput reads one tensor; raw is valid JSON.
func decodeInput(raw []byte, p model.Port) (*tensor.Tensor, error) {
	c, ok := codecs[p.Elem]
	if !ok {
		return nil, fmt.Errorf("is %s, which JSON cannot carry here", p.Type)
	}
	if len(raw) == 0 || raw[0] != '{' {
		return c.decode(p.Elem, raw, nil)
	}
	var x struct {
		DType *string         `json:"dtype"`
		Shape []int           `json:"shape"`
		Data  json.RawMessage `json:"data"`
	}
	if err := unmarshal(raw, &x); err != nil {
		return nil, err
	}
	switch {
	case x.DType != nil && *x.DType != p.Elem.String():
		return nil, fmt.Errorf("dtype is %q, want %q", *x.DType, p.Elem)
	case x.Data == nil:
		return nil, fmt.Errorf(`has no "data"`)
	case x.Shape == nil:
		return c.decode(p.Elem, x.Data, nil)
	}
	if _, err := tensor.NumElements(x.Shape); err != nil {
		return nil, err
	}
	return c.decode(p.Elem, x.Data, x.Shape)
}

// encodeJSON writes outputs:
//
//	{"outputs":{"y":{"dtype":"float32","shape":[1,2],"data":[3,4]}}}
func encodeJSON(ports []model.Port, values []tensor.Value) ([]byte, error) {
	b := []byte(`{"outputs":{`)
	for i, p := range ports {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, p.Name), ':')
		var err error
		if b, err = appendValue(b, values[i]); err != nil {
			return nil, fmt.Errorf("output %q: %w", p.Name, err)
		}
	}
	return append(b, "}}\n"...), nil
}

// appendValue appends a tensor or a map as an object, a sequence as a list, and
// an optional as its content or null.
func appendValue(b []byte, v tensor.Value) ([]byte, error) {
	switch v := v.(type) {
	case *tensor.Tensor:
		return appendTensor(b, v)
	case *tensor.Map:
		return appendMap(b, v)
	case *tensor.Sequence:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = appendValue(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case *tensor.Optional:
		return appendValue(b, v.Value)
	}
	return append(b, "null"...), nil
}

func appendTensor(b []byte, t *tensor.Tensor) ([]byte, error) {
	c, ok := codecs[t.DType]
	if !ok {
		return nil, fmt.Errorf("is %v, which JSON cannot carry here", t)
	}
	b = fmt.Appendf(b, `{"dtype":"%s","shape":[`, t.DType)
	for i, n := range t.Shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	b = slices.Grow(append(b, `],"data":[`...), 4*t.Len())
	return append(c.encode(b, t), "]}"...), nil
}

// appendString appends s in JSON.
func appendString(b []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // cannot fail for strings
	return append(b, quoted...)
}
