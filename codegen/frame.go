package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// frameEmitter prints the frames of one module: a field for each value that
// outlives a block, and a method for each block.
type frameEmitter struct {
	e     *partitionEmitter
	mod   *partitioner.Module
	index int
	typ   string // serverFrame
	file  string

	fields  map[*ir.Value]string
	kept    []*ir.Value             // fields in snapshots
	scratch []*ir.Value             // fields for their memory alone
	senders map[*ir.Value]int       // values that are the peer that filled a cut point
	alias   map[*ir.Value]*ir.Value // values that are others
	tasks   map[*partitioner.Cut]string
	steps   map[*partitioner.Cut]*partitioner.Step // what begins each cut point

	locals map[*ir.Value]string // of the block at hand
	names  *ident.Scope
	task   bool          // the code at hand runs on the host's worker
	child  *frameEmitter // of the Fold at hand
	used   map[*ir.Value]bool
}

func newFrame(e *partitionEmitter, m *partitioner.Module, types, files *ident.Scope) *frameEmitter {
	f := &frameEmitter{
		e: e, mod: m, index: slices.Index(e.Modules, m), fields: map[*ir.Value]string{}, senders: map[*ir.Value]int{},
		alias: map[*ir.Value]*ir.Value{}, tasks: map[*partitioner.Cut]string{}, steps: map[*partitioner.Cut]*partitioner.Step{},
		used: map[*ir.Value]bool{},
	}
	f.typ = types.Local(m.Name + " frame")
	if m.Parent == nil {
		f.file = files.Local(m.Name)
	}
	for _, c := range m.Cuts {
		if c.Kind == partitioner.Command {
			f.tasks[c] = types.Local(m.Name + " " + e.cutName(c))
		}
		if c.Sender != nil {
			f.senders[c.Sender] = c.Index
		}
	}
	return f
}

// kindOf is the kind of a step's node, 0 if it has none.
func kindOf(s *partitioner.Step) op.PeerKind {
	if o := peerOp(s.Node); o != nil {
		return o.Kind
	}
	return 0
}

func peerOp(n *ir.Node) *op.Peer {
	if n == nil {
		return nil
	}
	if o := op.Lookup(n); o != nil {
		return o.Peer
	}
	return nil
}

// collect looks at all steps: which values are read, which are others under
// another name, which constants there are.
func (f *frameEmitter) collect(peerFields *ident.Scope) {
	f.kept = slices.DeleteFunc(slices.Clone(f.mod.Fields), func(v *ir.Value) bool { return f.isSender(v) || isTrigger(v) })
	touched := map[*ir.Value]bool{}
	for _, b := range f.mod.Blocks {
		for i := range b.Steps {
			s := &b.Steps[i]
			if s.Cut != nil {
				f.steps[s.Cut] = s
			}
			for _, v := range stepReads(s) {
				f.read(v, peerFields)
			}
			c := computeOf(s)
			if c == nil {
				continue
			}
			for _, v := range append(slices.Clone(c.Args), c.Outs...) { // what it is told the address of
				if !v.IsConst() && !touched[v] && (isScalar(v.Type) || slices.Contains(c.Outs, v)) {
					touched[v] = true
					f.scratch = append(f.scratch, v)
				}
			}
		}
	}
	f.scratch = slices.DeleteFunc(f.scratch, func(v *ir.Value) bool { return slices.Contains(f.kept, v) || f.isSender(v) })
	for _, b := range f.mod.Blocks { // lists of peers are filled in place
		for i := range b.Steps {
			if n := b.Steps[i].Node; n != nil && kindOf(&b.Steps[i]) == op.KindService {
				for _, v := range n.Out {
					if v != nil && (v.Type.Equal(op.Peers) || encoded[peerOp(n).State] && !isTrigger(v)) && !slices.Contains(f.kept, v) {
						f.scratch = append(f.scratch, v)
					}
				}
			}
		}
	}
}

// read notes that a step reads a value.
func (f *frameEmitter) read(v *ir.Value, peerFields *ident.Scope) {
	if v == nil {
		return
	}
	f.used[v] = true
	if v.IsConst() && len(v.Const.Shape) > 0 && f.e.consts[v] == nil {
		c := &constant{value: v, field: peerFields.Local(f.e.valueName(v))}
		f.e.consts[v], f.e.ordered = c, append(f.e.ordered, c)
	}
}

// computeOf is the computation of a step.
func computeOf(s *partitioner.Step) *partitioner.Compute {
	if s.Compute == nil && s.Cut != nil {
		return s.Cut.Body
	}
	return s.Compute
}

// stepReads are the values that a step reads.
func stepReads(s *partitioner.Step) []*ir.Value {
	var out []*ir.Value
	switch {
	case s.Node == nil:
	case kindOf(s) == op.KindOrder: // the others only have to be there
		if !isTrigger(s.Node.Out[0]) {
			out = append(out, s.Node.In[0])
		}
	case s.Edge != nil && s.Edge.Trigger: // the value stays here
		out = append(out, s.Node.In[1:]...)
	default:
		out = append(out, s.Node.In...)
	}
	if c := computeOf(s); c != nil {
		out = append(out, c.Args...)
	}
	if s.Cut != nil && s.Cut.Peers != nil {
		out = append(out, s.Cut.Peers)
	}
	return out
}

// nameFields gives fields the author's names.
func (f *frameEmitter) nameFields() {
	n := ident.NewScope("peer")
	for i := range f.mod.Blocks {
		n.Take(fmt.Sprint("block", i))
	}
	for _, v := range append(slices.Clone(f.kept), f.scratch...) {
		f.fields[v] = n.Local(f.e.valueName(v))
	}
}

func (f *frameEmitter) isSender(v *ir.Value) bool { _, ok := f.senders[v]; return ok }

func isTrigger(v *ir.Value) bool { return v.Type.Equal(op.Trigger) }

func isScalar(t ir.Type) bool { return t.Kind == ir.Tensor && t.Ranked && len(t.Shape) == 0 }

// isText reports whether a value is one string, isTexts whether it is a tensor of
// them: their bytes are elsewhere.
func isText(t ir.Type) bool  { return isScalar(t) && t.Elem == tensor.String }
func isTexts(t ir.Type) bool { return t.Kind == ir.Tensor && t.Elem == tensor.String && !isScalar(t) }

// check says what code cannot be made of.
func (f *frameEmitter) check() error {
	for _, v := range append(slices.Clone(f.kept), f.scratch...) {
		if goType(v.Type) == "" {
			return fmt.Errorf("%svalue %q is %s, which peers cannot keep", position(v.Def), v.Name, v.Type)
		}
	}
	for _, b := range f.mod.Blocks {
		for i := range b.Steps {
			if err := f.checkStep(&b.Steps[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *frameEmitter) checkStep(s *partitioner.Step) error {
	n := s.Node
	if n == nil {
		return nil
	}
	p := peerOp(n)
	if p == nil {
		return fmt.Errorf("%s%v computes: it belongs into a computation", position(n), n)
	}
	if strings.HasPrefix(n.Domain, op.RolePrefix) && f.e.slotOf(n) == nil {
		return fmt.Errorf("%s%v: there is no slot %q", position(n), n, n.Str(op.SlotAttr))
	}
	return nil
}

// position is where the author wrote a node, for messages.
func position(n *ir.Node) string {
	if n == nil || n.Pos == "" {
		return ""
	}
	return n.Pos + ": "
}

// goType is a value's type in Go; "" if it has none.
func goType(t ir.Type) string {
	switch {
	case t.Kind == ir.Tensor && t.Elem.Valid():
		if isScalar(t) {
			return t.Elem.GoType()
		}
		return "tensor.Dense[" + t.Elem.GoType() + "]"
	case t.Equal(op.Peers):
		return "[]wire.PeerID"
	case t.Equal(op.Peer1):
		return "wire.PeerID"
	case t.Equal(op.Address1):
		return "string"
	}
	return ""
}

// cutName is what a cut point is called.
func (e *partitionEmitter) cutName(c *partitioner.Cut) string {
	return strings.TrimPrefix(ident.Short(c.Name), e.Class+".")
}

// valueName is a value's name without the class and the modules that it belongs
// to.
func (e *partitionEmitter) valueName(v *ir.Value) string {
	return strings.TrimPrefix(ident.Short(v.Name), e.Class+".")
}
