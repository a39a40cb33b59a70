package peerplan

import (
	"bytes"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Graph is an ONNX model that is loaded into a backend.
type Graph struct {
	Slot  string
	Index int // among the graphs of the slot
	Model []byte
	Off   int // offset in weights.bin
}

// addGraphs numbers the graphs that backends run.
func (p *Plan) addGraphs() {
	count := map[string]int{}
	p.eachStep(func(s *partitioner.Step) {
		if o := op.PeerOf(s.Node); o == nil || !o.Graph || p.GraphOf(s.Node) != nil {
			return
		}
		slot := s.Node.Str(peer.SlotAttr)
		p.Graphs = append(p.Graphs, &Graph{Slot: slot, Index: count[slot], Model: modelOf(s.Node)})
		count[slot]++
	})
}

// modelOf returns the ONNX model of a node for a backend.
func modelOf(n *ir.Node) []byte {
	t, ok := n.Attrs.Lookup("graph").(*tensor.Tensor)
	if !ok || t.DType != tensor.Uint8 {
		return nil
	}
	return tensor.Data[uint8](t)
}

// GraphOf returns the graph of a node for a backend.
func (p *Plan) GraphOf(n *ir.Node) *Graph {
	for _, g := range p.Graphs {
		if g.Slot == n.Str(peer.SlotAttr) && bytes.Equal(g.Model, modelOf(n)) {
			return g
		}
	}
	return nil
}
