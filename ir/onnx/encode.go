package onnx

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// Encode writes a module as a ModelProto, which ONNX's own tools can load. The same module gives the same
// bytes, and [Decode] converts them to a module with the same text form, with these exceptions: inferred
// information is only written as far as ONNX can express it; float attributes are rounded to float32; a
// constant that the body of a local function reads becomes a Constant node.
//
// NB: an output of unknown rank has no shape, which ONNX's checker rejects but runtimes accept.
func Encode(m *ir.Module) ([]byte, error) {
	p, err := (&encoder{m: m}).model()
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(p)
}

// encoder holds the state shared by the graphs of one module.
type encoder struct {
	m      *ir.Module
	f      *ir.Func           // the local function being written, or nil
	opsets map[string]int     // imports at the current position
	placed map[*ir.Value]bool // constants that are initializers of an enclosing graph
}

func (e *encoder) model() (*onnxpb.ModelProto, error) {
	e.opsets = imports(e.m.Opsets, nil, e.graphs()...)
	consts := e.initializers()
	e.placed = setOf(consts)
	g, err := e.graph(e.m.Main.Body, consts)
	if err != nil {
		return nil, err
	}
	if err := e.mainInputs(g); err != nil {
		return nil, err
	}
	g.Name = &e.m.Name
	p := &onnxpb.ModelProto{
		IrVersion:   proto.Int64(irVersion(e.opsets[""])),
		OpsetImport: importProtos(e.opsets),
		Graph:       g,
	}
	putMetadata(p, e.m.Meta)
	for i, t := range e.m.Training {
		info, err := e.training(t)
		if err != nil {
			return nil, fmt.Errorf("training %d: %w", i, err)
		}
		p.TrainingInfo = append(p.TrainingInfo, info)
	}
	for _, f := range e.m.Funcs {
		fp, err := e.function(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		p.Functions = append(p.Functions, fp)
	}
	return p, nil
}

// graphs returns the bodies with operators of the versions that the model imports.
func (e *encoder) graphs() []*ir.Region {
	out := []*ir.Region{e.m.Main.Body}
	for _, t := range e.m.Training {
		for _, f := range []*ir.Func{t.Algorithm, t.Init} {
			if f != nil {
				out = append(out, f.Body)
			}
		}
	}
	return out
}

// initializers returns the constants of the model's graph: those that it reads, and those that only training
// changes.
func (e *encoder) initializers() []*ir.Value {
	out := e.m.Main.Consts()
	placed := setOf(out)
	for _, t := range e.m.Training {
		own := map[*ir.Value]bool{}
		if t.Algorithm != nil {
			own = setOf(t.Algorithm.Consts())
		}
		for _, b := range slices.Concat(t.Updates, t.Inits) {
			if !own[b.To] && !placed[b.To] {
				placed[b.To] = true
				out = append(out, b.To)
			}
		}
	}
	return out
}

func setOf(vs []*ir.Value) map[*ir.Value]bool {
	set := make(map[*ir.Value]bool, len(vs))
	for _, v := range vs {
		set[v] = true
	}
	return set
}

// mainInputs checks that the model's inputs have types, and adds its state variables.
func (e *encoder) mainInputs(g *onnxpb.GraphProto) error {
	for _, s := range e.m.Main.State {
		info := valueInfo(s.Param)
		addProp(&info.MetadataProps, keys.State, string(s.Kind))
		addProp(&info.MetadataProps, keys.Next, s.Next.Name)
		g.Input = append(g.Input, info)
		if s.Init == nil {
			continue
		}
		t, err := tensorProto(s.Param.Name, s.Init)
		if err != nil {
			return fmt.Errorf("state %q: %w", s.Param.Name, err)
		}
		g.Initializer = append(g.Initializer, t)
	}
	for _, in := range g.Input {
		if in.Type == nil {
			return fmt.Errorf("graph input %q has no type", in.GetName())
		}
	}
	return nil
}
