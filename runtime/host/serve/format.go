package serve

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

const (
	mimeJSON = "application/json"
	mimeNPZ  = "application/x-npz"
)

// format is an encoding of tensors.
type format struct {
	mime   string
	single bool   // a body holds one tensor, so the model must have only one
	many   string // for a single format: the corresponding format for several tensors
	decode func(body []byte, ports []model.Port) ([]tensor.Value, error)
	encode func(ports []model.Port, values []tensor.Value) ([]byte, error)
}

// formats lists all formats; the first one is the default.
var formats = []*format{
	{mime: mimeJSON, decode: decodeJSON, encode: encodeJSON},
	{mime: "application/x-protobuf", single: true, many: mimeJSON, decode: decodeProto, encode: encodeProto},
	{mime: "application/x-npy", single: true, many: mimeNPZ, decode: decodeNPY, encode: encodeNPY},
	{mime: mimeNPZ, decode: decodeNPZ, encode: encodeNPZ},
}

func find(mime string) *format {
	for _, f := range formats {
		if f.mime == mime {
			return f
		}
	}
	return nil
}

// begin determines the formats of a request for /run and of its answer.
func (h *handler) begin(r *http.Request) (*exchange, error) {
	in, out, err := negotiate(h.p, r.Header)
	if err != nil {
		return nil, err
	}
	return &exchange{
		decode: func(body []byte) ([]tensor.Value, error) { return in.decode(body, h.p.Inputs) },
		encode: func(outputs []tensor.Value) ([]byte, error) { return out.encode(h.p.Outputs, outputs) },
		header: http.Header{"Content-Type": {out.mime}},
	}, nil
}

// negotiate determines the formats of the request and of the answer.
func negotiate(p model.Program, h http.Header) (in, out *format, err error) {
	contentType := h.Get("Content-Type")
	name, _, err := mime.ParseMediaType(contentType)
	if err == nil {
		in = find(name)
	}
	if in == nil {
		return nil, nil, failf(http.StatusUnsupportedMediaType, "Content-Type is %q, want %s", contentType, offer(len(p.Inputs)))
	}
	if in.single && len(p.Inputs) != 1 {
		return nil, nil, failf(http.StatusUnsupportedMediaType, "%s holds one tensor, the model has %d inputs: send %s", in.mime, len(p.Inputs), mimeJSON)
	}
	out = accepted(strings.Join(h.Values("Accept"), ","), in, len(p.Outputs))
	if out == nil {
		return nil, nil, failf(http.StatusNotAcceptable, "Accept is %q, can give %s", h.Get("Accept"), offer(len(p.Outputs)))
	}
	return in, out, nil
}

// accepted returns the first format of an Accept header that fits the number of outputs; for */* it is the
// format of the request.
//
// NB: weights (q=0.5) are ignored.
func accepted(accept string, in *format, outputs int) *format {
	if accept == "" {
		accept = "*/*"
	}
	for item := range strings.SplitSeq(accept, ",") {
		name, _, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}
		f := find(name)
		if name == "*/*" || name == "application/*" {
			if f = in; f.single && outputs != 1 {
				f = find(in.many)
			}
		}
		if f != nil && (!f.single || outputs == 1) {
			return f
		}
	}
	return nil
}

// offer lists the formats for a number of tensors.
func offer(n int) string {
	var names []string
	for _, f := range formats {
		if !f.single || n == 1 {
			names = append(names, f.mime)
		}
	}
	return strings.Join(names, ", ")
}

func decodeProto(body []byte, ports []model.Port) ([]tensor.Value, error) {
	if ports[0].Key != tensor.Undefined {
		m, _, err := tensorio.DecodeMap(body)
		return []tensor.Value{m}, err
	}
	t, _, err := tensorio.DecodeTensor(body)
	return []tensor.Value{t}, err
}

func encodeProto(ports []model.Port, values []tensor.Value) ([]byte, error) {
	t, ok := values[0].(*tensor.Tensor)
	if !ok {
		return nil, fmt.Errorf("output %q is %s, want a tensor: accept %s", ports[0].Name, ports[0].Type, mimeJSON)
	}
	return tensorio.AppendTensor(nil, ports[0].Name, t), nil
}

func decodeNPY(body []byte, _ []model.Port) ([]tensor.Value, error) {
	t, err := tensorio.DecodeNPY(body)
	return []tensor.Value{t}, err
}

func encodeNPY(ports []model.Port, values []tensor.Value) ([]byte, error) {
	t, ok := values[0].(*tensor.Tensor)
	if !ok {
		return nil, fmt.Errorf("output %q is %s, want a tensor: accept %s", ports[0].Name, ports[0].Type, mimeJSON)
	}
	return tensorio.AppendNPY(nil, t)
}
