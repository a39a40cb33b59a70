package differ

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"os/exec"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// Foreign is the stage in which ONNX Runtime has other results.
const Foreign Stage = "onnxruntime"

// ErrNoRuntime is the error if Python or its module ONNX Runtime is missing.
var ErrNoRuntime = errors.New("there is no python3 with the modules onnx and onnxruntime (pip install onnx onnxruntime)")

//go:embed ort.py.txt
var ortScript string

// Runtime is a process with ONNX Runtime. It is started again after a model has crashed it.
type Runtime struct{ p *process }

// NewRuntime starts ONNX Runtime. The error is [ErrNoRuntime] if it is missing.
func NewRuntime() (*Runtime, error) {
	if exec.Command("python3", "-c", "import onnx, onnxruntime").Run() != nil {
		return nil, ErrNoRuntime
	}
	r := &Runtime{}
	return r, r.start()
}

func (r *Runtime) start() (err error) {
	r.p, err = startProcess(exec.Command("python3", "-c", ortScript))
	return err
}

// Close ends the process.
func (r *Runtime) Close() { r.p.stop() }

// compare compares the evaluation of a model with ONNX Runtime. It returns the number of compared runs: ONNX
// Runtime may have no kernel, or reject sizes that bbgen accepts, and its results for values that are not
// finite vary.
func (r *Runtime) compare(c *checked) (compared int, f *Failure, err error) {
	m := c.model
	if !m.Data.Finite() {
		return 0, nil, nil
	}
	if err := r.send(c); err != nil {
		return 0, &Failure{m, Foreign, -1, err}, nil
	}
	for _, set := range c.sets {
		got, err := r.p.results(len(set.want))
		switch {
		case r.p.died: // a fault of ONNX Runtime
			return compared, f, r.start()
		case err != nil || f != nil:
			continue
		}
		compared++
		if err := agrees(c.plain, set.in, got, set.want); err != nil {
			f = &Failure{m, Foreign, set.run, err}
		}
	}
	return compared, f, nil
}

// alone returns the failure of a model, or nil.
func (r *Runtime) alone(m *randomgraph.Model) *Failure {
	c, f := check(m)
	if f == nil && len(c.sets) > 0 {
		_, f, _ = r.compare(c)
	}
	return f
}

// foreign compares models with ONNX Runtime, and minimizes those with other results.
func (s *Search) foreign(models []*checked, t *Tally) error {
	r, err := NewRuntime()
	if err != nil {
		return err
	}
	defer r.Close()
	for _, c := range models {
		n, f, err := r.compare(c)
		if err != nil {
			return err
		}
		t.Foreign += n
		if f != nil {
			t.Failures = append(t.Failures, Minimize(f, s.Smaller, r.alone))
		}
	}
	return nil
}

// send requests all runs of a model. Its outputs are copies, so that each has a name of its own.
func (r *Runtime) send(c *checked) error {
	m := c.model.Module.Clone()
	named(m)
	model, err := onnx.Encode(m)
	if err != nil {
		return err
	}
	request := append(binary.AppendUvarint(nil, uint64(len(model))), model...)
	request = binary.AppendUvarint(request, uint64(len(c.sets)))
	for _, set := range c.sets {
		request = binary.AppendUvarint(request, uint64(len(set.in)))
		for _, v := range set.in {
			b := tensorio.AppendTensor(nil, "", v.(*tensor.Tensor))
			request = append(binary.AppendUvarint(request, uint64(len(b))), b...)
		}
	}
	go r.p.in.Write(request) // fails if the process has died, which its output shows
	return nil
}

// named gives each result of m a value of its own: in ONNX, outputs must be distinct and must not be inputs.
// Results of regions may be their parameters, except that ONNX Runtime does not write such results of a Scan.
func named(m *ir.Module) {
	named := []*ir.Region{m.Main.Body}
	m.Main.Body.Walk(func(n *ir.Node) {
		if n.Is("Scan") {
			named = append(named, n.Regions...)
		}
	})
	for _, r := range named {
		for i, v := range r.Results {
			n := &ir.Node{Op: "Identity", Name: m.FreshName("out"), In: []*ir.Value{v}}
			n.Out = []*ir.Value{{Name: m.FreshName("result"), Type: v.Type, Def: n}}
			r.Nodes = append(r.Nodes, n)
			r.Results[i] = n.Out[0]
		}
	}
}
