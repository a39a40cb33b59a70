package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/remote/protocol"
)

// Graph is an ONNX model on the server.
type Graph struct {
	device          *Device
	id              []byte // its fingerprint
	inputs, outputs int
}

// Load sends an ONNX model, unless the session has a model with its fingerprint. The server compiles it once
// for each combination of input shapes.
func (d *Device) Load(ctx context.Context, model []byte) (*Graph, error) {
	sum := sha256.Sum256(model)
	g := &Graph{device: d, id: sum[:]}
	r, err := d.ask(ctx, &protocol.Message{Kind: protocol.Graph, Blob: g.id})
	if told := (*Error)(nil); errors.As(err, &told) && told.kind == ErrTensor {
		r, err = d.ask(ctx, &protocol.Message{Kind: protocol.Graph, Blob: g.id, Bytes: uint64(len(model))}, model)
	}
	if err != nil {
		return nil, err
	}
	for _, a := range r.m.Attrs {
		if to := map[string]*int{"inputs": &g.inputs, "outputs": &g.outputs}[a.Name]; to != nil {
			n, _ := a.Value.(int64)
			*to = int(n)
		}
	}
	return g, nil
}

// Inputs returns the number of tensors that a run takes.
func (g *Graph) Inputs() int { return g.inputs }

// Outputs returns the number of tensors that a run returns.
func (g *Graph) Outputs() int { return g.outputs }

// Run runs the graph on the device's first stream.
func (g *Graph) Run(in ...*Tensor) []*Tensor { return g.device.Run(g, in...) }

// Run runs a graph.
func (s *Stream) Run(g *Graph, in ...*Tensor) []*Tensor {
	if g.device != s.device {
		return broken(s.device, g.outputs, fmt.Errorf("the graph is on %v: load it here", g.device.target.id))
	}
	return s.make(&protocol.Message{Kind: protocol.Run, Blob: g.id}, g.outputs, in)
}

// Release frees the graph's memory on the server. It also affects other graphs of the same model.
func (g *Graph) Release() {
	g.device.post(&protocol.Message{Kind: protocol.Forget, Blob: g.id}) // if it fails, nothing is left to release
}
