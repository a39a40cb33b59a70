package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// jsonLength is the header with the length of the JSON in a body, after which binary tensors begin.
const jsonLength = "Inference-Header-Content-Length"

// infer reads requests of KServe's protocol.
func (h *handler) infer(r *http.Request) (*exchange, error) {
	for _, ports := range [][]model.Port{h.p.Inputs, h.p.Outputs} {
		if p := foreign(ports); p != nil {
			return nil, failf(http.StatusNotImplemented, "%q is %s, which KServe's protocol does not have: use POST /run", p.Name, p.Type)
		}
	}
	x := &inference{p: h.p, header: http.Header{"Content-Type": {mimeJSON}}, json: -1}
	if s := r.Header.Get(jsonLength); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return nil, failf(http.StatusBadRequest, "%s is %q, want a number of bytes", jsonLength, s)
		}
		x.json = n
	}
	return &exchange{decode: x.decode, encode: x.encode, header: x.header}, nil
}

// inference is one request of KServe's protocol.
type inference struct {
	p       model.Program
	json    int // bytes of the request that are JSON; -1: all
	header  http.Header
	request inferRequest
}

type inferRequest struct {
	ID         string          `json:"id"`
	Inputs     []inferInput    `json:"inputs"`
	Outputs    []inferOutput   `json:"outputs"`
	Parameters inferParameters `json:"parameters"`
}

type inferInput struct {
	Name       string          `json:"name"`
	Datatype   string          `json:"datatype"`
	Shape      []int           `json:"shape"`
	Data       json.RawMessage `json:"data"`
	Parameters inferParameters `json:"parameters"`
}

type inferOutput struct {
	Name       string          `json:"name"`
	Parameters inferParameters `json:"parameters"`
}

// inferParameters are the parameters that the server knows, of a request, an input or an output.
type inferParameters struct {
	Size      *int  `json:"binary_data_size"`
	Binary    *bool `json:"binary_data"`
	BinaryAll bool  `json:"binary_data_output"`
}

// decode reads the inputs, in the JSON or after it.
func (x *inference) decode(body []byte) ([]tensor.Value, error) {
	if x.json > len(body) {
		return nil, fmt.Errorf("%s is %d, and the body has %d bytes", jsonLength, x.json, len(body))
	}
	var binary []byte
	if x.json >= 0 {
		body, binary = body[:x.json], body[x.json:]
	}
	if err := json.Unmarshal(body, &x.request); err != nil {
		return nil, err
	}
	if err := x.checkOutputs(); err != nil {
		return nil, err
	}
	inputs := make([]tensor.Value, len(x.p.Inputs))
	for _, in := range x.request.Inputs {
		i := index(x.p.Inputs, in.Name)
		if i < 0 {
			return nil, fmt.Errorf("there is no input %q; there are: %s", in.Name, names(x.p.Inputs))
		}
		if inputs[i] != nil {
			return nil, fmt.Errorf("input %q is there twice", in.Name)
		}
		t, rest, err := in.tensor(x.p.Inputs[i], binary)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", in.Name, err)
		}
		inputs[i], binary = t, rest
	}
	for i, p := range x.p.Inputs {
		if inputs[i] == nil {
			return nil, fmt.Errorf("input %q is missing, want %s", p.Name, p.Type)
		}
	}
	if len(binary) > 0 {
		return nil, fmt.Errorf("%d bytes behind the JSON belong to no input", len(binary))
	}
	return inputs, nil
}

// checkOutputs returns an error for outputs that the model lacks, and for one that is named twice: a small request could ask
// for a million copies of it.
func (x *inference) checkOutputs() error {
	seen := make([]bool, len(x.p.Outputs))
	for _, o := range x.request.Outputs {
		i := index(x.p.Outputs, o.Name)
		if i < 0 {
			return fmt.Errorf("there is no output %q; there are: %s", o.Name, names(x.p.Outputs))
		}
		if seen[i] {
			return fmt.Errorf("output %q is there twice", o.Name)
		}
		seen[i] = true
	}
	return nil
}

func index(ports []model.Port, name string) int {
	for i, p := range ports {
		if p.Name == name {
			return i
		}
	}
	return -1
}

// tensor reads an input, from its data or from the beginning of binary.
func (in *inferInput) tensor(p model.Port, binary []byte) (t tensor.Value, rest []byte, err error) {
	if want := datatypes[p.Elem]; in.Datatype != want {
		return nil, nil, fmt.Errorf("datatype is %q, want %q", in.Datatype, want)
	}
	if in.Shape == nil {
		return nil, nil, fmt.Errorf(`has no "shape"`)
	}
	n, err := tensor.NumElements(in.Shape)
	switch {
	case err != nil:
		return nil, nil, err
	case in.Parameters.Size != nil:
		size := *in.Parameters.Size
		if size < 0 || size > len(binary) {
			return nil, nil, fmt.Errorf("binary_data_size is %d, and %d bytes are left behind the JSON", size, len(binary))
		}
		t, err := fromBinary(p.Elem, in.Shape, n, binary[:size])
		return t, binary[size:], err
	case in.Data == nil:
		return nil, nil, fmt.Errorf(`has no "data"`)
	}
	x, err := codecs[p.Elem].decode(p.Elem, in.Data, in.Shape)
	return x, binary, err
}

// wanted returns the outputs that the request names, or all if it names none.
func (x *inference) wanted() []inferOutput {
	if len(x.request.Outputs) > 0 {
		return x.request.Outputs
	}
	all := make([]inferOutput, len(x.p.Outputs))
	for i, p := range x.p.Outputs {
		all[i].Name = p.Name
	}
	return all
}

// encode writes the requested outputs.
func (x *inference) encode(outputs []tensor.Value) ([]byte, error) {
	b := append([]byte(`{"model_name":`), appendString(nil, x.p.Name)...)
	b = append(b, `,"model_version":"`+version+`"`...)
	if x.request.ID != "" {
		b = append(append(b, `,"id":`...), appendString(nil, x.request.ID)...)
	}
	b = append(b, `,"outputs":[`...)
	var binary []byte
	for i, o := range x.wanted() {
		k := index(x.p.Outputs, o.Name)
		t, ok := outputs[k].(*tensor.Tensor)
		if !ok {
			return nil, fmt.Errorf("output %q is no tensor", o.Name)
		}
		if i > 0 {
			b = append(b, ',')
		}
		shape, _ := json.Marshal(t.Shape) // cannot fail for numbers
		b = fmt.Appendf(b, `{"name":%s,"datatype":"%s","shape":%s,`, appendString(nil, o.Name), datatypes[t.DType], shape)
		if x.binary(o) {
			size := len(binary)
			binary = appendBinary(binary, t)
			b = fmt.Appendf(b, `"parameters":{"binary_data_size":%d}}`, len(binary)-size)
			continue
		}
		b = append(codecs[t.DType].encode(append(b, `"data":[`...), t), "]}"...)
	}
	b = append(b, "]}"...)
	if binary == nil {
		return append(b, '\n'), nil
	}
	x.header.Set("Content-Type", "application/octet-stream")
	x.header.Set(jsonLength, strconv.Itoa(len(b)))
	return append(b, binary...), nil
}

// binary reports whether an output is written after the JSON.
func (x *inference) binary(o inferOutput) bool {
	if o.Parameters.Binary != nil {
		return *o.Parameters.Binary
	}
	return x.request.Parameters.BinaryAll
}
