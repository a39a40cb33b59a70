package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// frameEmitter prints one frame: a field for each value that outlives a block, and a method for each block.
type frameEmitter struct {
	*peerplan.Frame
	e *partitionEmitter

	locals map[*ir.Value]string // of the current block
	apart  map[*ir.Node]string  // of the current block: the executions in which bundles are sent
	names  *ident.Scope
	child  *frameEmitter // of the current Fold
}

func (f *frameEmitter) frame() *jen.Statement { return jen.Op("&").Id("f").Dot("Frame") }

func (f *frameEmitter) recv() *jen.Statement { return jen.Id("f").Op("*").Id(f.Type) }

// reserved returns a scope with the identifiers that no local variable may have.
func (f *frameEmitter) reserved() *ident.Scope {
	n := ident.NewLocals("f", "e", "c", "err", "body", "math", "tensor", "runtime", "model", "values", "wire", "cpu")
	for _, s := range f.Plan.Slots {
		n.Take(f.e.opt.importName(s.Package))
	}
	for _, name := range f.Plan.Consts() {
		n.Take(name)
	}
	for _, x := range slices.Concat(f.Kept, f.Scratch, f.Rest) {
		if own, ok := peer.OwnOf(x.Value.Type); ok {
			n.Take(f.e.opt.importName(own.Package))
		}
	}
	return n
}

// define returns the name of a local variable for a value, or "_" if the value has no reader.
func (f *frameEmitter) define(v *ir.Value) string {
	if f.unread([]*ir.Value{v}) {
		return "_"
	}
	name := f.names.Local(f.Plan.ValueName(v))
	if !f.At(v).IsField() {
		f.locals[v] = name
	}
	return name
}

// unread reports whether none of the values has a reader.
func (f *frameEmitter) unread(list []*ir.Value) bool {
	for _, v := range list {
		if v != nil && f.IsRead(v) {
			return false
		}
	}
	return true
}

// opensWith reports whether a value is the peer of the event that opened the execution, and is read.
func (f *frameEmitter) opensWith(v *ir.Value) bool {
	return v != nil && v.Type.Equal(peer.Peer1) && !f.unread([]*ir.Value{v})
}

// stays reports whether the host keeps the value of a field.
func (f *frameEmitter) stays(v *ir.Value) bool {
	x := f.At(v)
	return x != nil && x.Stays
}

// fieldKind returns the part of the runtime function's name for the type of a field.
func fieldKind(t ir.Type) string {
	switch {
	case peer.IsOwn(t):
		return "Own"
	case t.Equal(peer.Peers):
		return "Peers"
	case t.Equal(peer.Peer1):
		return "Peer"
	case t.Equal(peer.Address1), peerplan.IsString(t):
		return "Text"
	case peerplan.IsStrings(t):
		return "DenseStrings"
	case peerplan.IsScalar(t):
		return "Scalar"
	}
	return "Dense"
}

// frameOf returns the emitter of a module's frame.
func (e *partitionEmitter) frameOf(m *partitioner.Module) *frameEmitter {
	return e.frames[e.FrameOf(m).Index]
}
