package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Stream is a sequence of operations that run in order. It is safe for concurrent use; the operations of each
// goroutine run in its order.
type Stream struct {
	device *Device
	number uint32
}

// NewStream returns a stream that runs concurrently with others. A server allows 64 for a session.
func (d *Device) NewStream() *Stream { return &Stream{d, d.streams.Add(1)} }

// Attrs are the attributes of an operation: whole numbers (int, int64), floats (float64), strings, booleans
// for ONNX's 0 and 1, slices of numbers and strings, and tensors.
type Attrs map[string]any

// Op is an operator with all its parameters.
type Op struct {
	Name    string
	Domain  string // "" is ONNX's own
	Version int    // of the operator set; 0 is the newest
	Attrs   Attrs
	Outputs int // the number of wanted outputs; 0 is 1
}

// Register copies a tensor to the server.
func (s *Stream) Register(t *tensor.Tensor) *Tensor {
	typ, b := protocol.TypeOf(t.Clone())
	return s.make(&protocol.Message{Kind: protocol.Register, Tensors: []protocol.Type{typ}, Bytes: typ.Bytes}, 1, nil, b)[0]
}

// Execute runs an operator of ONNX with one output, at the newest version. A nil tensor is an omitted input.
func (s *Stream) Execute(op string, attrs Attrs, in ...*Tensor) *Tensor {
	return s.Do(Op{Name: op, Attrs: attrs}, in...)[0]
}

// Do runs an operator.
func (s *Stream) Do(op Op, in ...*Tensor) []*Tensor {
	n := max(op.Outputs, 1)
	m := &protocol.Message{Kind: protocol.Execute, Name: op.Name, Domain: op.Domain, Version: uint32(op.Version)}
	var err error
	if m.Attrs, err = s.device.Settings().typed(&op).list(); err != nil {
		return broken(s.device, n, fmt.Errorf("%s: %w", op.Name, err))
	}
	return s.make(m, n, in)
}

// list returns the attributes, sorted by name.
func (a Attrs) list() ([]protocol.Attr, error) {
	var list []protocol.Attr
	for name, v := range a {
		x, err := attrValue(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", name, err)
		}
		list = append(list, protocol.Attr{Name: name, Value: x})
	}
	slices.SortFunc(list, func(x, y protocol.Attr) int { return strings.Compare(x.Name, y.Name) })
	return list, nil
}

func attrValue(v any) (any, error) {
	switch v := v.(type) {
	case int:
		return int64(v), nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case tensor.DType:
		return int64(v), nil
	case []int:
		list := make([]int64, len(v))
		for i, x := range v {
			list[i] = int64(x)
		}
		return list, nil
	case int64, float64, string, []int64, []float64, []string, *tensor.Tensor:
		return v, nil
	}
	return nil, fmt.Errorf("a %T, want numbers, strings or a tensor", v)
}

// make sends a message with n resulting tensors.
func (s *Stream) make(m *protocol.Message, n int, in []*Tensor, parts ...[]byte) []*Tensor {
	var err error
	if m.In, err = s.device.names(in); err != nil {
		return broken(s.device, n, err)
	}
	out := make([]*Tensor, n)
	for i := range out {
		out[i] = &Tensor{device: s.device, stream: s, id: s.device.ids.Add(1)}
		m.Out = append(m.Out, out[i].id)
	}
	m.Stream = s.number
	if err := s.device.post(m, parts...); err != nil {
		return broken(s.device, n, err)
	}
	return out
}

// broken returns tensors that could not be made.
func broken(d *Device, n int, err error) []*Tensor {
	out := make([]*Tensor, n)
	for i := range out {
		out[i] = &Tensor{device: d, err: err}
	}
	return out
}

// names returns the numbers of tensors of the device.
func (d *Device) names(list []*Tensor) ([]uint64, error) {
	ids := make([]uint64, len(list))
	for i, t := range list {
		if t == nil {
			continue
		}
		if err := t.usable(d); err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		ids[i] = t.id
	}
	return ids, nil
}

// Read copies tensors from the server, all as they are at this point of the stream: one transaction, and one
// round trip. Its error is that of the first tensor that failed.
func (s *Stream) Read(ctx context.Context, list ...*Tensor) ([]*tensor.Tensor, error) {
	if slices.Contains(list, nil) {
		return nil, fmt.Errorf("%w: nil is read", ErrTensor)
	}
	ids, err := s.device.names(list)
	if err != nil {
		return nil, err
	}
	r, err := s.device.ask(ctx, &protocol.Message{Kind: protocol.Read, Stream: s.number, In: ids})
	if err != nil {
		return nil, err
	}
	if len(r.tensors) != len(list) {
		return nil, fmt.Errorf("%w: the server answers with %d tensors, want %d", protocol.ErrMalformed, len(r.tensors), len(list))
	}
	return r.tensors, nil
}

// Sync waits until all earlier operations of the stream have ended. It returns the first error since the last
// Sync.
func (s *Stream) Sync(ctx context.Context) error {
	_, err := s.device.ask(ctx, &protocol.Message{Kind: protocol.Sync, Stream: s.number})
	return err
}
