package nn

import (
	"os"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
)

// Options say how a network becomes a model.
type Options struct {
	Name string // of the model; "" is network
	Seed int    // of the parameters that have no values yet

	// Training has Dropout drop and BatchNorm take the moments of the batch: what
	// bbgen train wants. Without it the model is for inference.
	Training bool
}

// Export returns a network as an ONNX ModelProto, whose input x has the given type and
// whose output is y. Parameters without values are initialized, and keep these. An
// error is of type [dsl.Errors] if the network is at fault.
func Export(network Module, x dsl.Type, o Options) ([]byte, error) {
	return ExportBody(&single{network, x}, o)
}

// ExportBody is [Export] for a network with several inputs or outputs, which it takes
// and names in its Body.
func ExportBody(network dsl.Module, o Options) ([]byte, error) {
	m, err := Record(network, o)
	if err != nil {
		return nil, err
	}
	return onnx.Encode(m)
}

// Save writes what [Export] makes to a file.
func Save(file string, network Module, x dsl.Type, o Options) error {
	b, err := Export(network, x, o)
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o666)
}

// Record is [ExportBody] for those who want the graph.
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

// single is a Module as one with a Body.
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
