package codegen

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
)

const pkgWire = "github.com/bbgen/bbgen/runtime/wire"

// Component says how code uses what is in a slot.
type Component struct {
	Package, Type string            // the Go type
	Value         Literal           // what it begins as
	Opens         bool              // it has the method Open(runtime.Env) error
	Keeps         bool              // it has state, with AppendBinary and UnmarshalBinary
	Shaped        bool              // it is a runtime.Shaped
	Gathers       bool              // it is a runtime.Gatherer
	Needs         map[string]string // fields that point to the components in other slots
	Methods       map[string]Method
}

// Method says what a method of a component is told beside the operands.
type Method struct {
	Context bool // a context.Context first: it is a command
	Node    bool // the *runtime.Node first
	Large   bool // a *runtime.Large in place of the first tensor
	Results int  // how many it returns, beside the error
}

// Literal is a Go value as code writes it.
type Literal struct {
	Package, Type string // of a composite literal
	Name          string // of a package's function or variable
	Text          string // of any other: a Go expression
	Fields        []LiteralField
	Elems         []Literal
	Prefix        string // before the type: "[]"
}

// LiteralField is a field of a struct.
type LiteralField struct {
	Name  string
	Value Literal
}

// PartitionOptions say how a partition's package is to look.
type PartitionOptions struct {
	Package    string
	Source     string               // what the program was recorded from
	Components map[string]Component // by slot
}

// GeneratePartition prints the package of what peers of one class run.
func GeneratePartition(p *partitioner.Partition, opt PartitionOptions) ([]File, error) {
	e, err := newPartitionEmitter(p, opt)
	if err != nil {
		return nil, fmt.Errorf("partition %s: %w", p.Class, err)
	}
	files := []emitted{{"partition.bb.go", e.emitPartition, nil}}
	for _, f := range e.frames {
		if f.mod.Parent == nil {
			files = append(files, emitted{f.file + ".bb.go", func(j *jen.File) { e.emitActivity(j, f) }, nil})
		}
	}
	for _, c := range e.computes {
		files = append(files, emitted{c.file + ".bb.go", func(j *jen.File) { e.emitCompute(j, c) }, c.emitter})
	}
	if e.hasWeights() {
		files = append(files, emitted{"weights.bb.go", e.emitWeights, nil})
	}
	out, err := printFiles(Options{Package: opt.Package, Source: opt.Source}, files, e.weights)
	if err == nil && !e.hasWeights() {
		out = slices.DeleteFunc(out, func(f File) bool { return f.Path == "weights.bin" })
	}
	return out, err
}

// partitionEmitter prints one partition.
type partitionEmitter struct {
	*partitioner.Partition
	opt      PartitionOptions
	slots    map[string]*slotNames // by the slot's name
	stores   []*storeNames
	frames   []*frameEmitter
	frameOf  map[*partitioner.Module]*frameEmitter
	computes []*computeEmitter
	compute  map[*partitioner.Compute]*computeEmitter
	consts   map[*ir.Value]*constant
	ordered  []*constant
	graphs   []*graph
	queues   []string // the serial queues of commands, the computing one last
	weights  []byte

	wholes     map[*ir.Value]string // memory for values that children keep in files
	wholeOrder []*ir.Value
}

// slotNames are what a slot is called in Go.
type slotNames struct {
	*partitioner.Slot
	field, config string
	Component
}

// constant is a tensor that steps read, beside those of computations.
type constant struct {
	value *ir.Value
	field string
	off   int
}

func newPartitionEmitter(p *partitioner.Partition, opt PartitionOptions) (*partitionEmitter, error) {
	e := &partitionEmitter{
		Partition: p, opt: opt, slots: map[string]*slotNames{}, frameOf: map[*partitioner.Module]*frameEmitter{},
		compute: map[*partitioner.Compute]*computeEmitter{}, consts: map[*ir.Value]*constant{}, wholes: map[*ir.Value]string{},
	}
	fields := ident.NewScope("env", "consts")
	if err := e.nameSlots(fields); err != nil {
		return nil, err
	}
	e.addStores(fields)
	types := ident.NewScope("Config", "DefaultConfig", "Partition", "Install", "Default", "Fingerprint", "peer", "edges", "failing", "weightsFile", "weightBytes")
	files := ident.NewScope("partition", "weights", "failing")
	for _, m := range p.Modules {
		f := newFrame(e, m, types, files)
		e.frames, e.frameOf[m] = append(e.frames, f), f
	}
	if err := e.addComputes(fields, types, files); err != nil {
		return nil, err
	}
	for _, f := range e.frames {
		f.collect(fields)
		f.nameFields()
		if err := f.check(); err != nil {
			return nil, err
		}
	}
	e.addGraphs()
	for _, f := range e.frames {
		f.nameWholes(fields)
	}
	e.placeConstants()
	return e, nil
}

// nameSlots names the components, and the queues that their commands wait in.
func (e *partitionEmitter) nameSlots(fields *ident.Scope) error {
	exported := ident.NewScope()
	for _, s := range e.Slots {
		c, ok := e.opt.Components[s.Name]
		if !ok {
			return fmt.Errorf("nothing is bound to slot %q", s.Name)
		}
		e.slots[s.Name] = &slotNames{Slot: s, field: fields.Local(s.Name), config: exported.Exported(s.Name), Component: c}
		for len(e.queues) <= s.Group {
			e.queues = append(e.queues, "")
		}
		if q := &e.queues[s.Group]; *q == "" {
			*q = s.Name
		} else {
			*q += "+" + s.Name
		}
	}
	e.queues = append(e.queues, "compute")
	return nil
}

// addComputes plans the computations of all modules.
func (e *partitionEmitter) addComputes(fields, types, files *ident.Scope) error {
	for _, m := range e.Modules {
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				c := s.Compute
				if c == nil && s.Cut != nil {
					c = s.Cut.Body
				}
				if c == nil || e.compute[c] != nil {
					continue
				}
				p, err := plan.Make(c.Func)
				if err != nil {
					return fmt.Errorf("%s: %w", c.Name, err)
				}
				x := newCompute(e, c, p, fields, types, files)
				e.computes, e.compute[c] = append(e.computes, x), x
			}
		}
	}
	return nil
}

// placeConstants lays out weights.bin: the constants of each computation, then
// those that steps read themselves, then the graphs of backends.
func (e *partitionEmitter) placeConstants() {
	for _, c := range e.computes {
		c.base = e.place(c.weightBytes())
	}
	for _, c := range e.ordered {
		if !isTexts(c.value.Type) {
			c.off = e.place(c.value.Const.Bytes())
		}
	}
	for _, g := range e.graphs {
		g.off = e.place(g.model)
	}
}

// place appends bytes to weights.bin and returns where they stand.
func (e *partitionEmitter) place(b []byte) int {
	off := len(e.weights)
	e.weights = append(e.weights, b...)
	e.weights = append(e.weights, make([]byte, aligned(len(e.weights))-len(e.weights))...)
	return off
}

func (e *partitionEmitter) hasWeights() bool { return len(e.weights) > 0 }

// emitWeights emits the embedded file.
func (e *partitionEmitter) emitWeights(f *jen.File) {
	f.Anon("embed")
	f.Comment("weightsFile holds the constants in the layouts that the kernels read.")
	f.Comment("")
	f.Comment("//go:embed weights.bin")
	f.Var().Id("weightsFile").String()
	f.Comment("weightBytes is the size of the file.")
	f.Const().Id("weightBytes").Op("=").Lit(len(e.weights))
}

// slotOf is the slot that a call is on.
func (e *partitionEmitter) slotOf(n *ir.Node) *slotNames { return e.slots[n.Str(op.SlotAttr)] }

// schema is the hash of all that a snapshot depends on: what frames keep, where
// they wait, and which components have state.
func (e *partitionEmitter) schema() uint64 {
	h := sha256.New()
	fmt.Fprintln(h, e.Class, e.queues)
	for _, s := range e.Slots {
		if c := e.slots[s.Name]; c.Keeps {
			fmt.Fprintln(h, "slot", s.Name, c.Package, c.Type)
		}
	}
	for _, f := range e.frames {
		fmt.Fprintln(h, "module", f.mod.Name)
		for _, c := range f.mod.Cuts {
			fmt.Fprintln(h, "cut", c.Kind, c.Name)
		}
		for _, b := range f.mod.Blocks {
			fmt.Fprintln(h, "block", b.Name, mask(b.Wait), mask(b.Starts), b.Any)
			for _, c := range slices.Concat(b.Wait, b.Starts) {
				if c.Index >= maskBits {
					fmt.Fprintln(h, "and", c.Index)
				}
			}
		}
		for _, v := range f.mod.Fields {
			fmt.Fprintln(h, "field", f.fields[v], v.Type)
		}
	}
	for _, s := range e.stores {
		fmt.Fprintln(h, "store", s.typ, s.name)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// maskBits is how many cut points of a module have a bit in its blocks' masks.
const maskBits = 64

// mask is a set of cut points as bits, but for those that have none.
func mask(cuts []*partitioner.Cut) uint64 {
	var m uint64
	for _, c := range cuts {
		m |= 1 << c.Index // a shift by 64 is 0 in Go
	}
	return m
}

// emitLiteral emits a Go value.
func emitLiteral(l Literal) *jen.Statement {
	switch {
	case l.Text != "":
		return jen.Op(l.Text)
	case l.Name != "":
		return jen.Qual(l.Package, l.Name)
	}
	out := jen.Op(l.Prefix)
	if l.Prefix == "" {
		out = jen.Null()
	}
	out.Add(emitComponent(l.Package, l.Type))
	return out.ValuesFunc(func(g *jen.Group) {
		for _, f := range l.Fields {
			g.Id(f.Name).Op(":").Add(emitLiteral(f.Value))
		}
		for _, x := range l.Elems {
			g.Add(emitLiteral(x))
		}
	})
}

// emitComponent emits a component's type.
func emitComponent(pkg, name string) *jen.Statement {
	if pkg != "" {
		return jen.Qual(pkg, name)
	}
	return jen.Id(name)
}

// importName is what a package is called in code.
func importName(pkg string) string { return path.Base(pkg) }
