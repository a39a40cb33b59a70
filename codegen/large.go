package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// mayBeLarge reports whether a value may be as large as [tensor.Large].
func mayBeLarge(t ir.Type) bool {
	if t.Kind != ir.Tensor || isScalar(t) || t.Elem.Size() == 0 {
		return false
	}
	size := t.Elem.Size()
	for _, d := range t.Shape {
		n, ok := d.Const()
		if !ok {
			return true
		}
		size *= n
	}
	return size >= tensor.Large
}

// stays reports whether a field of a child frame stays where the host keeps it
// until the gather: what no block of the child reads.
func (f *frameEmitter) stays(v *ir.Value) bool {
	if f.mod.Parent == nil || f.used[v] || !mayBeLarge(v.Type) {
		return false
	}
	return slices.ContainsFunc(f.cutsOf(partitioner.Fill), func(c *partitioner.Cut) bool { return f.value(c) == v })
}

// nameWholes gives the peer memory for what children keep in files and a
// component takes whole: one at a time.
func (f *frameEmitter) nameWholes(peerFields *ident.Scope) {
	for _, b := range f.mod.Blocks {
		for i := range b.Steps {
			s := &b.Steps[i]
			if s.Fold == nil || f.takesLarge(s.Node) {
				continue
			}
			if v := s.Node.In[0]; f.e.frameOf[s.Fold].stays(v) && f.e.wholes[v] == "" {
				f.e.wholes[v] = peerFields.Local(f.e.valueName(v))
				f.e.wholeOrder = append(f.e.wholeOrder, v)
			}
		}
	}
}

// takesLarge reports whether the method behind a fold takes a runtime.Large.
func (f *frameEmitter) takesLarge(n *ir.Node) bool {
	return f.e.slotOf(n).Methods[peerOp(n).Method].Large
}

// foldOperands are the operands of a fold, of which the first may be large:
//
//	update, err := c.update.Whole(&f.peer.update)
//	if err != nil {
//		return err
//	}
func (f *frameEmitter) foldOperands(g *jen.Group, n *ir.Node) []jen.Code {
	args := f.operands(n)
	v := n.In[0]
	switch stays, takes := f.child.stays(v), f.takesLarge(n); {
	case stays && takes:
		args[0] = jen.Op("&").Add(args[0])
	case takes:
		args[0] = jen.Qual(pkgRuntime, "LargeOf").Call(args[0])
	case stays:
		name := f.names.Local(f.e.valueName(v))
		g.List(jen.Id(name), jen.Err()).Op(":=").Add(args[0]).Dot("Whole").Call(jen.Op("&").Id("f").Dot("peer").Dot(f.e.wholes[v]))
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		args[0] = jen.Id(name)
	}
	return args
}

// emitDrops emits what nobody reads after a block:
//
//	runtime.Drop(n, &f.params)
func (f *frameEmitter) emitDrops(g *jen.Group, b *partitioner.Block) {
	for _, v := range f.kept {
		if mayBeLarge(v.Type) && !f.stays(v) && f.readBy(v) == b {
			g.Qual(pkgRuntime, "Drop").Call(jen.Id("n"), jen.Op("&").Add(f.emitOwn("f", v)))
		}
	}
}

// readBy is the block after which nobody reads a value: the only one that does, or,
// if a command alone does, the first that waits for it. It is nil if there are
// several readers.
func (f *frameEmitter) readBy(v *ir.Value) *partitioner.Block {
	var reader *partitioner.Block
	var command *partitioner.Cut
	for _, b := range f.mod.Blocks {
		for i := range b.Steps {
			s := &b.Steps[i]
			if !slices.Contains(stepReads(s), v) {
				continue
			}
			isCommand := s.Cut != nil && s.Cut.Kind == partitioner.Command
			if reader != nil && (reader != b || isCommand || command != nil) {
				return nil
			}
			if reader = b; isCommand {
				command = s.Cut
			}
		}
	}
	if command == nil {
		return reader
	}
	for _, b := range f.mod.Blocks {
		if !b.Any && slices.Contains(b.Wait, command) {
			return b
		}
	}
	return nil
}

// mayShare reports whether a value's memory is nobody else's once it is set: that
// of a field that only lives as long as its execution, or of what was handed over.
func (f *frameEmitter) mayShare(v *ir.Value) bool {
	for f.alias[v] != nil {
		v = f.alias[v]
	}
	return slices.Contains(f.kept, v) || handedOver(v)
}

// isLent reports whether a value is what a component has just returned.
func (f *frameEmitter) isLent(v *ir.Value) bool {
	_, ok := f.locals[v]
	return ok && f.alias[v] == nil && v.Type.Kind == ir.Tensor
}

// handedOver reports whether a value is the result of a call that gives it away.
func handedOver(v *ir.Value) bool {
	if v.Def == nil {
		return false
	}
	o := op.Lookup(v.Def)
	return o != nil && o.Peer != nil && o.Peer.GivesAway
}
