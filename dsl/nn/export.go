package nn

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/host/disk"
)

// Options are the options of [Export].
type Options struct {
	Name string // of the model; the default is network
	Seed int    // for initializing parameters without values

	// Training exports for bbgen train: Dropout drops elements, and BatchNorm uses the statistics of the
	// batch. By default, the model is for inference.
	Training bool
}

// Export returns a network as an ONNX ModelProto with an input x of the given type and an output y.
// Parameters without values are initialized, and keep their new values. If the network is at fault, the error
// is of type [dsl.Errors].
func Export(network Module, x dsl.Type, o Options) ([]byte, error) {
	return ExportBody(&single{network, x}, o)
}

// ExportBody is like [Export], for a network with several inputs or outputs, which its Body declares.
func ExportBody(network dsl.Module, o Options) ([]byte, error) {
	m, err := Record(network, o)
	if err != nil {
		return nil, err
	}
	return onnx.Encode(m)
}

// Save writes the result of [Export] to a file, completely or not at all. It makes the folder around it.
func Save(file string, network Module, x dsl.Type, o Options) error {
	b, err := Export(network, x, o)
	if err != nil {
		return err
	}
	return disk.Replace(file, b, 0o666)
}

// Record is like [ExportBody] but returns the graph.
func Record(network dsl.Module, o Options) (*ir.Module, error) {
	if err := Initialize(network, o.Seed); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = "network"
	}
	m, err := dsl.Plain(o.Name, network.Body)
	if err != nil || o.Training {
		return m, err
	}
	m.Main.Body.Walk(func(n *ir.Node) {
		if o := op.Lookup(n); o != nil && o.Inference != nil {
			o.Inference(n)
		}
	})
	return m, ir.Verify(m)
}

// single converts a Module to a dsl.Module with a Body.
type single struct {
	Module
	x dsl.Type
}

func (s *single) Body(g *dsl.Graph) {
	if s.Module == nil {
		g.Fail("the network is nil")
		return
	}
	g.Output("y", s.Forward(g, g.Input("x", s.x)))
}
