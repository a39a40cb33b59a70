package remote

import (
	"context"
	"slices"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Properties are the properties and limits of a server.
type Properties struct {
	Level     string   // of its kernels: avx2, neon …
	Threads   int      // of kernels
	Devices   int      // of the server: see Config.Device
	Memory    int      // the memory that the client may use on this device, in bytes
	Used      int      // the memory that it uses there
	DTypes    []string // the types of tensors
	Operators []string // by name, those of other domains than ONNX's as domain.name
}

// Describe asks the server for its properties.
func (d *Device) Describe(ctx context.Context) (*Properties, error) {
	r, err := d.ask(ctx, &protocol.Message{Kind: protocol.Describe})
	if err != nil {
		return nil, err
	}
	p := &Properties{Devices: 1} // earlier servers do not tell it
	for _, a := range r.m.Attrs {
		switch v := a.Value.(type) {
		case string:
			p.Level = v
		case int64:
			if to := map[string]*int{"threads": &p.Threads, "devices": &p.Devices, "memory": &p.Memory, "used": &p.Used}[a.Name]; to != nil {
				*to = int(v)
			}
		case []string:
			if to := map[string]*[]string{"dtypes": &p.DTypes, "operators": &p.Operators}[a.Name]; to != nil {
				*to = v
			}
		}
	}
	return p, nil
}

// HasDType reports whether tensors may have an element type.
func (p *Properties) HasDType(d tensor.DType) bool { return slices.Contains(p.DTypes, d.String()) }

// HasOperator reports whether there is an operator with a name as in Operators.
func (p *Properties) HasOperator(name string) bool { return slices.Contains(p.Operators, name) }

// Seed sets the seed of later operators that draw random numbers without a seed attribute. The same
// operations then draw the same numbers.
func (d *Device) Seed(seed uint32) error {
	return d.post(&protocol.Message{Kind: protocol.Seed, Number: uint64(seed)})
}
