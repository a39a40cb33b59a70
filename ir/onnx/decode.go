package onnx

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// The versions of the file format that are read. IR 3 brought opset imports,
// without which a node has no defined meaning.
const (
	minIR = 3
	maxIR = 14
)

// maxDepth bounds how deep graphs nest in nodes and types in types.
const maxDepth = 64

// Decode reads a ModelProto. The name is the file's, for messages; open gives
// access to files of external data beside it, which are refused if it is nil.
func Decode(name string, b []byte, open func(location string) ([]byte, error)) (*ir.Module, error) {
	return wrapped(name, b, open, maxDense)
}

// DecodeWithin is [Decode] of a file that comes alone, whose sparse tensors may become so
// many bytes.
func DecodeWithin(name string, b []byte, dense int) (*ir.Module, error) {
	return wrapped(name, b, nil, min(dense, maxDense))
}

func wrapped(name string, b []byte, open func(string) ([]byte, error), dense int) (*ir.Module, error) {
	m, err := decode(name, b, open, dense)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func decode(name string, b []byte, open func(string) ([]byte, error), dense int) (*ir.Module, error) {
	if len(b) == 0 {
		return nil, errors.New("the file is empty, want an ONNX model")
	}
	p := &onnxpb.ModelProto{}
	// The cause is ours: protobuf's own text differs from build to build.
	if err := proto.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("not an ONNX model: %s", otherwise(b))
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
	return d.model()
}

// decoder holds what one file's graphs share.
type decoder struct {
	p    *onnxpb.ModelProto
	m    *ir.Module
	data external

	values names             // of values
	nodes  names             // of nodes
	syms   names             // of symbols
	params map[string]string // dim_param → symbol
	funcs  map[funcID]*ir.Func

	opsets map[string]int  // of the graph or function being read
	formal map[string]bool // attributes of the function being read
	depth  int             // of graphs within graphs
	dense  int             // bytes that sparse tensors may still become
	states []*ir.State
	next   []string // names of what the states become
}

func newDecoder(name string, p *onnxpb.ModelProto, open func(string) ([]byte, error)) *decoder {
	return &decoder{
		p:      p,
		m:      &ir.Module{Name: printable(p.Graph.GetName()), File: name},
		data:   external{open: open, files: map[string][]byte{}},
		params: map[string]string{},
		funcs:  map[funcID]*ir.Func{},
	}
}

// model reads the graph before the functions, so that it is the graph whose
// names stay as they are.
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

// domain returns the one name of an operator domain: ONNX's own has two.
func domain(s string) string {
	if s == "ai.onnx" {
		return ""
	}
	return s
}

// version returns the operator set version of a domain where the decoder is. What a
// function does not import is taken from the model; a domain that nobody
// imports counts as 1, like in files older than imports.
func (d *decoder) version(dom string) int {
	if _, ok := d.opsets[dom]; !ok {
		d.opsets[dom] = max(d.m.Opsets[dom], 1)
	}
	return d.opsets[dom]
}
