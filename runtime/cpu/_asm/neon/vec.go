package main

// vectors writes the loops over vectors.
func vectors(f *file) {
	two := func(op opcode) func(g *graph, a, b *expr) *expr {
		return func(g *graph, a, b *expr) *expr { return g.do(op, a, b) }
	}
	for _, k := range []struct {
		name string
		op   opcode
	}{{"Add", fadd}, {"Sub", fsub}, {"Mul", fmul}, {"Div", fdiv}, {"Max", fmax}, {"Min", fmin}} {
		binary(f, k.name, two(k.op))
		withScalar(f, k.name+"S", false, func(g *graph, _, a, s *expr) *expr { return g.do(k.op, a, s) })
	}
	withScalar(f, "RSubS", false, func(g *graph, _, a, s *expr) *expr { return g.sub2(s, a) })
	withScalar(f, "RDivS", false, func(g *graph, _, a, s *expr) *expr { return g.div2(s, a) })
	withScalar(f, "ExpSubS", false, func(g *graph, _, a, s *expr) *expr { return g.exp(g.sub2(a, s)) })
	withScalar(f, "Axpy", true, func(g *graph, d, a, s *expr) *expr { return g.fma(a, s, d) })
	withScalar(f, "MulMulS", true, func(g *graph, d, a, s *expr) *expr { return g.mul2(g.mul2(d, s), a) })
	for _, k := range []struct {
		name string
		fn   func(g *graph, x *expr) *expr
	}{
		{"Relu", (*graph).relu},
		{"Sqrt", func(g *graph, x *expr) *expr { return g.do(fsqrt, x) }},
		{"Exp", (*graph).exp},
		{"Log", (*graph).log},
		{"Tanh", (*graph).tanh},
		{"Sigmoid", (*graph).sigmoid},
		{"Erf", (*graph).erf},
		{"Gelu", (*graph).gelu},
		{"GeluTanh", (*graph).geluTanh},
		{"Silu", (*graph).silu},
		{"HardSwish", (*graph).hardSwish},
	} {
		unary(f, k.name, k.fn)
	}
	sum(f)
	dot(f)
	reduce(f, "Max", fmax)
	reduce(f, "Min", fmin)
}

// Registers of a loop: the next elements of dst and the operands, and how many are left.
const (
	dstReg, aReg, bReg, lenReg = "R0", "R1", "R2", "R3"
	scalarVec                  = 31
)

func unary(f *file, name string, fn func(g *graph, x *expr) *expr) {
	f.text("vec"+name+"NEON", "(dst, x []float32)", 48)
	f.line("MOVD x_base+24(FP), %s", aReg)
	each(f, func(load func(ptr string, reg int)) int {
		load(aReg, 0)
		g := &graph{}
		return g.write(f, fn(g, g.input(0, false)))
	}, aReg)
}

func binary(f *file, name string, fn func(g *graph, a, b *expr) *expr) {
	f.text("vec"+name+"NEON", "(dst, a, b []float32)", 72)
	f.line("MOVD a_base+24(FP), %s", aReg)
	f.line("MOVD b_base+48(FP), %s", bReg)
	each(f, func(load func(ptr string, reg int)) int {
		load(aReg, 0)
		load(bReg, 1)
		g := &graph{}
		return g.write(f, fn(g, g.input(0, false), g.input(1, false)))
	}, aReg, bReg)
}

// withScalar writes a loop over a vector and a number; with update it also reads dst.
func withScalar(f *file, name string, update bool, fn func(g *graph, d, a, s *expr) *expr) {
	f.text("vec"+name+"NEON", "(dst, a []float32, s float32)", 52)
	f.line("MOVD a_base+24(FP), %s", aReg)
	f.line("FMOVS s+48(FP), F%d", scalarVec)
	f.splat(scalarVec)
	each(f, func(load func(ptr string, reg int)) int {
		load(aReg, 0)
		var d *expr
		g := &graph{}
		if update {
			load(dstReg, 1)
			d = g.input(1, false)
		}
		return g.write(f, fn(g, d, g.input(0, false), g.input(scalarVec, true)), scalarVec)
	}, aReg)
}

// each writes a loop over four elements at a time, and one over the single elements that are left. The body
// loads its operands and returns the register with the result.
func each(f *file, body func(load func(ptr string, reg int)) int, operands ...string) {
	f.line("MOVD dst_base+0(FP), %s", dstReg)
	f.line("MOVD dst_len+8(FP), %s", lenReg)
	f.line("MOVD $vecConsts<>(SB), %s", constants)
	loop := func(name, next, move string, elements int) {
		f.label(name)
		f.line("SUBS $%d, %s", elements, lenReg)
		f.line("BLT %s", next)
		r := body(func(ptr string, reg int) { f.line("%s (%s), F%d", move, ptr, reg) })
		f.line("%s F%d, (%s)", move, r, dstReg)
		for _, ptr := range append([]string{dstReg}, operands...) {
			f.line("ADD $%d, %s", 4*elements, ptr)
		}
		f.line("B %s", name)
		f.label(next)
		f.line("ADD $%d, %s", elements, lenReg)
	}
	loop("four", "tail", "FMOVQ", 4)
	loop("one", "done", "FMOVS", 1)
	f.line("RET")
}

// lanes64 writes a loop over 64 elements at a time, as 16 vectors for body. It does not read the rest.
func lanes64(f *file, start uint32, body func(j int), operands ...string) {
	f.line("MOVD x_len+8(FP), %s", lenReg)
	f.line("MOVD $vecConsts<>(SB), %s", constants)
	for j := range 16 {
		f.line("FMOVQ %d(%s), F%d", f.constant(start), constants, j)
	}
	f.label("loop")
	f.line("SUBS $64, %s", lenReg)
	f.line("BLT fold")
	for j := range 16 {
		body(j)
	}
	for _, ptr := range operands {
		f.line("ADD $256, %s", ptr)
	}
	f.line("B loop")
	f.label("fold")
}

// fold combines 64 lanes in halves, and returns the first of them.
func fold(f *file, op opcode, at string) {
	for n := 8; n > 0; n /= 2 {
		for j := range n {
			f.emit(op, j, j, j+n)
		}
	}
	f.word(0x6E004001, "EXT.16B V1, V0, V0, $8")
	f.emit(op, 0, 0, 1)
	f.word(0x4E0C0401, "DUP.4S V1, V0[1]")
	f.emit(op, 0, 0, 1)
	f.line("FMOVS F0, %s", at)
	f.line("RET")
}

// sum adds whole 64s of x, then the 64 of rest.
func sum(f *file) {
	f.text("vecSumNEON", "(x []float32, rest *[64]float32) float32", 36)
	f.line("MOVD x_base+0(FP), %s", aReg)
	body := func(j int) {
		f.line("FMOVQ %d(%s), F%d", 16*j, aReg, 16+j)
		f.emit(fadd, j, j, 16+j)
	}
	lanes64(f, 0, body, aReg)
	f.line("MOVD rest+24(FP), %s", aReg)
	for j := range 16 {
		body(j)
	}
	fold(f, fadd, "ret+32(FP)")
}

// dot adds the products of whole 64s of x and y, then those of the 64 of their rests.
func dot(f *file) {
	f.text("vecDotNEON", "(x, y []float32, restX, restY *[64]float32) float32", 68)
	f.line("MOVD x_base+0(FP), %s", aReg)
	f.line("MOVD y_base+24(FP), %s", bReg)
	body := func(j int) {
		x, y := 16+j%8*2, 17+j%8*2
		f.line("FMOVQ %d(%s), F%d", 16*j, aReg, x)
		f.line("FMOVQ %d(%s), F%d", 16*j, bReg, y)
		f.emit(fmla, j, x, y)
	}
	lanes64(f, 0, body, aReg, bReg)
	f.line("MOVD restX+48(FP), %s", aReg)
	f.line("MOVD restY+56(FP), %s", bReg)
	for j := range 16 {
		body(j)
	}
	fold(f, fadd, "ret+64(FP)")
}

// reduce combines whole 64s of x by an operation whose order does not matter.
func reduce(f *file, name string, op opcode) {
	f.text("vecReduce"+name+"NEON", "(x []float32) float32", 28)
	f.line("MOVD x_base+0(FP), %s", aReg)
	start := uint32(0xff800000)
	if name == "Min" {
		start = 0x7f800000
	}
	lanes64(f, start, func(j int) {
		f.line("FMOVQ %d(%s), F%d", 16*j, aReg, 16+j)
		f.emit(op, j, j, 16+j)
	}, aReg)
	fold(f, op, "ret+24(FP)")
}
