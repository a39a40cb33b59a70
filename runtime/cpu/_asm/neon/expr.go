package main

import "slices"

// expr is a vector that a kernel computes: a node of a graph, which is written in the order of its nodes.
type expr struct {
	op    opcode
	in    []*expr
	bits  uint32 // of a constant
	table [16]float32
	kind  exprKind
	reg   int // its register, when it has one
	last  int // position of its last reader
	fixed bool
}

type exprKind uint8

const (
	computed exprKind = iota
	constant
	given // in a register from the start
	found // in a table, by the indices of bytes
)

// graph is a list of expressions in the order of their creation, in which they can be computed.
type graph struct{ nodes []*expr }

func (g *graph) add(e *expr) *expr {
	g.nodes = append(g.nodes, e)
	return e
}

func (g *graph) do(op opcode, in ...*expr) *expr { return g.add(&expr{op: op, in: in}) }

// bits returns a constant. Each use loads it again, so that it needs a register only for a short time.
func (g *graph) bits(x uint32) *expr { return g.add(&expr{kind: constant, bits: x}) }

// lookup returns the elements of a table whose bytes have the indices in at.
func (g *graph) lookup(at *expr, table [16]float32) *expr {
	return g.add(&expr{kind: found, in: []*expr{at}, table: table})
}

// tableVecs are the registers into which tables are loaded, tableReg points to a table.
const tableVecs, tableReg = "[V28.B16, V29.B16, V30.B16, V31.B16]", "R14"

// input returns the vector in a register, which is not overwritten if keep is set.
func (g *graph) input(reg int, keep bool) *expr {
	return g.add(&expr{kind: given, reg: reg, fixed: keep})
}

// constants is the register that points to the constants.
const constants = "R15"

// write emits the graph and returns the register of its result. It does not use the registers in use.
func (g *graph) write(f *file, result *expr, inUse ...int) int {
	live := g.needed(result)
	for i, e := range live {
		for _, x := range e.in {
			x.last = i
		}
	}
	result.last = len(live)
	a := &registers{}
	for _, r := range inUse {
		a.used[r] = true
	}
	for _, e := range live {
		if e.kind == given {
			a.used[e.reg] = true
		}
	}
	for i, e := range live {
		g.one(f, a, i, e)
	}
	return result.reg
}

// needed returns the nodes on which the result depends.
func (g *graph) needed(result *expr) []*expr {
	need := map[*expr]bool{result: true}
	for _, e := range slices.Backward(g.nodes) {
		if need[e] {
			for _, x := range e.in {
				need[x] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(g.nodes), func(e *expr) bool { return !need[e] })
}

// one emits the node at position i.
func (g *graph) one(f *file, a *registers, i int, e *expr) {
	switch {
	case e.kind == given:
		return
	case e.kind == constant:
		e.reg = a.take()
		f.line("FMOVQ %d(%s), F%d", f.constant(e.bits), constants, e.reg)
		return
	case e.kind == found:
		e.reg = a.take()
		f.line("MOVD $vecTables<>+%d(SB), %s", f.table(e.table), tableReg)
		f.line("VLD1 (%s), %s", tableReg, tableVecs)
		f.line("VTBL V%d.B16, %s, V%d.B16", e.in[0].reg, tableVecs, e.reg)
		return
	}
	in := e.in
	if e.op.acc { // the first operand is moved to the destination
		in = in[1:]
		if d := e.in[0]; d.last == i && !d.fixed && !slices.Contains(in, d) {
			e.reg = d.reg
		} else {
			e.reg = a.take()
			f.move(e.reg, d.reg)
		}
	}
	for _, x := range e.in {
		if x.last == i && !x.fixed && (!e.op.acc || x.reg != e.reg) {
			a.used[x.reg] = false
		}
	}
	if !e.op.acc {
		e.reg = a.take()
	}
	regs := make([]int, len(in))
	for k, x := range in {
		regs[k] = x.reg
	}
	f.emit(e.op, e.reg, regs...)
}

// registers tells which registers are in use.
type registers struct{ used [32]bool }

func (a *registers) take() int {
	for r, used := range a.used[:28] {
		if !used {
			a.used[r] = true
			return r
		}
	}
	panic("no register is free")
}
