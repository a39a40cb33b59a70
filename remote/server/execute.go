package server

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// seeds generates the seeds of operations without a seed attribute.
type seeds struct{ number, drawn uint32 }

// next returns the seed of the next operation, in the order of messages.
func (s *seeds) next() float64 {
	s.drawn++
	return float64(uint64(s.number)<<20 + uint64(s.drawn)%(1<<20))
}

// execute runs one operator.
func (x *session) execute(s *stream, m *protocol.Message) {
	o := &exec.Operation{Name: m.Name, Domain: m.Domain, Version: int(m.Version), Outputs: len(m.Out)}
	for _, a := range m.Attrs {
		o.Attrs.Set(a.Name, a.Value)
	}
	fresh := o.Random() && o.Attrs.Lookup("seed") == nil
	if fresh {
		o.Attrs = append(ir.Attrs(nil), o.Attrs...)
		o.Attrs.Set("seed", x.seeds.next())
	}
	x.submit(s, m, o.String(), func(in []*tensor.Tensor) ([]*tensor.Tensor, error) {
		return x.graphs.operation(x.ctx, o, in, !fresh)
	})
}
