package onnx

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// The versions of the file format that are supported. IR 3 introduced opset imports, without which a node has
// no defined meaning.
const (
	minIR = 3
	maxIR = 14
)

// maxDepth limits the nesting of graphs and of types.
const maxDepth = 64

// Decode reads a ModelProto. The name is that of the file, for messages. The function open opens files of
// external data, which are closed before Decode returns; if it is nil, they are rejected.
func Decode(name string, b []byte, open func(location string) (External, error)) (*ir.Module, error) {
	return wrapped(name, b, open, maxDense)
}

// DecodeWithin is like [Decode], for a file without external data. Its sparse tensors may expand to at most
// dense bytes.
func DecodeWithin(name string, b []byte, dense int) (*ir.Module, error) {
	return wrapped(name, b, nil, min(dense, maxDense))
}

func wrapped(name string, b []byte, open func(string) (External, error), dense int) (*ir.Module, error) {
	m, err := decode(name, b, open, dense)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func decode(name string, b []byte, open func(string) (External, error), dense int) (*ir.Module, error) {
	if len(b) == 0 {
		return nil, errors.New("the file is empty, want an ONNX model")
	}
	p := &onnxpb.ModelProto{}
	// The cause is our own text, as protobuf's text differs between builds.
	if err := proto.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("not an ONNX model: %s", otherwise(b))
	}
	release(len(b))
	if p.Graph == nil && len(p.Functions) > 0 {
		return nil, noGraph(p)
	}
	if p.IrVersion == nil && p.Graph == nil {
		return nil, errors.New("not an ONNX model: neither ir_version nor graph")
	}
	if v := p.GetIrVersion(); v < minIR || v > maxIR {
		return nil, fmt.Errorf("ir version %d, want %d to %d", v, minIR, maxIR)
	}
	if p.Graph == nil {
		return nil, errors.New("model has no graph")
	}
	d := newDecoder(name, p, open)
	d.dense = dense
	defer d.data.close()
	return d.model()
}

// decoder holds the state shared by the graphs of one file.
type decoder struct {
	p    *onnxpb.ModelProto
	m    *ir.Module
	data external

	values names             // of values
	nodes  names             // of nodes
	syms   names             // of symbols
	params map[string]string // dim_param → symbol
	funcs  map[funcID]*ir.Func

	opsets map[string]int  // of the current graph or function
	formal map[string]bool // attributes of the current function
	depth  int             // of graphs within graphs
	dense  int             // bytes to which sparse tensors may still expand
	states []*ir.State
	next   []string // names of the next values of the states
}

func newDecoder(name string, p *onnxpb.ModelProto, open func(string) (External, error)) *decoder {
	return &decoder{
		p:      p,
		m:      &ir.Module{Name: modelName(p.Graph.GetName(), name), File: name},
		data:   external{open: open},
		params: map[string]string{},
		funcs:  map[funcID]*ir.Func{},
	}
}

// model reads the graph before the functions, so that names in the graph do not change.
func (d *decoder) model() (*ir.Module, error) {
	var err error
	if d.m.Opsets, err = opsets(d.p.OpsetImport); err != nil {
		return nil, err
	}
	d.opsets = d.m.Opsets
	if err := d.declareFuncs(); err != nil {
		return nil, err
	}
	top := newScope(nil)
	body, err := d.graph(d.p.Graph, top)
	if err != nil {
		return nil, err
	}
	if err := body.Sort(); err != nil {
		return nil, err
	}
	if err := d.nextStates(top); err != nil {
		return nil, err
	}
	d.m.Main = &ir.Func{Name: "main", Body: body, State: d.states}
	if err := d.training(top); err != nil {
		return nil, err
	}
	if err := d.functions(); err != nil {
		return nil, err
	}
	d.m.Meta = metadata(d.p)
	return d.m, d.checkStates()
}

// opsets collects operator set versions by domain.
func opsets(imports []*onnxpb.OperatorSetIdProto) (map[string]int, error) {
	out := map[string]int{}
	for _, p := range imports {
		dom := domain(p.GetDomain())
		if !isPrintable(dom) {
			return nil, fmt.Errorf("opset domain %q is not printable", dom)
		}
		v := int(p.GetVersion())
		if v < 1 {
			return nil, fmt.Errorf("opset %q has version %d, want 1 or more", dom, v)
		}
		if have, ok := out[dom]; ok && have != v {
			return nil, fmt.Errorf("opset %q is imported as version %d and as %d", dom, have, v)
		}
		out[dom] = v
	}
	return out, nil
}

// domain returns the canonical name of an operator domain, as ONNX's own has two.
func domain(s string) string {
	if s == "ai.onnx" {
		return ""
	}
	return s
}

// version returns the operator set version of a domain at the current position. A function inherits imports
// of the model. A domain without an import has version 1, as in files older than imports.
func (d *decoder) version(dom string) int {
	if _, ok := d.opsets[dom]; !ok {
		d.opsets[dom] = max(d.m.Opsets[dom], 1)
	}
	return d.opsets[dom]
}
