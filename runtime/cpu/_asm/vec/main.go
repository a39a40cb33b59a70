// Command vec writes vec_amd64.s: loops over float32 vectors, with the same formulas for AVX-512 and AVX2.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/gates"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/prune"
)

func main() {
	kernels.Begin()
	maskTable = GLOBL("vecMasks", RODATA|NOPTR)
	for i := range 16 {
		x := U32(0)
		if i < 8 {
			x = ^x
		}
		DATA(4*i, x)
	}
	for _, v := range []isa{avx512{common{ZMM}}, avx2{common{YMM}}} {
		f := formulas{isa: v}
		binary(v, "Add", v.add)
		binary(v, "Sub", v.sub)
		binary(v, "Mul", v.mul)
		binary(v, "Div", v.div)
		binary(v, "Max", f.max)
		binary(v, "Min", f.min)
		withScalar(v, "AddS", v.add)
		withScalar(v, "SubS", v.sub)
		withScalar(v, "MulS", v.mul)
		withScalar(v, "DivS", v.div)
		withScalar(v, "MaxS", f.max)
		withScalar(v, "MinS", f.min)
		withScalar(v, "RSubS", func(a, s Register) Register { return v.sub(s, a) })
		withScalar(v, "RDivS", func(a, s Register) Register { return v.div(s, a) })
		update(v, "Axpy", func(d, x, s Register) Register { return v.fma(x, s, d) })
		update(v, "MulMulS", func(d, x, s Register) Register { return v.mul(v.mul(d, s), x) })
		unary(v, "Relu", func() function { return f.relu })
		unary(v, "Sqrt", func() function { return v.sqrt })
		unary(v, "Exp", func() function { return f.keepExp(6).exp })
		unary(v, "Log", func() function { return f.log })
		unary(v, "Tanh", func() function { return f.keepExp(6).tanh })
		unary(v, "Sigmoid", func() function { return f.keepExp(6).sigmoid })
		unary(v, "Erf", func() function { return f.keepExp(6).erf })
		unary(v, "Gelu", func() function { return f.gated(gates.Gelu) })
		unary(v, "GeluTanh", func() function { return f.gated(gates.GeluTanh) })
		unary(v, "Silu", func() function { return f.gated(gates.Silu) })
		unary(v, "HardSwish", func() function { return f.keep(1./6, 0.5, 1).hardSwish })
		softmax(v, f)
		softmaxStairs(v, f)
		layerNorm(v, f)
		layerNormRows(v, f)
		l2NormRows(v, f)
		reductions(v, f)
		sum(v)
		dot(v)
		reduce(v, "Max", v.max, 0xff800000)
		reduce(v, "Min", v.min, 0x7f800000)
		grads(v)
		wheres(v)
		repeat(v)
		rotate(v)
		quarters(v)
		steps(v)
	}
	constants()
	writeTables()
	prune.SelfMoves()
	Generate()
}

// function emits a function of a vector.
type function func(x Register) Register

// unary emits a kernel that applies a function, which ready prepares before the loop.
func unary(v isa, name string, ready func() function) {
	kernels.Variant("vec"+name, v.name(), "func(dst, x []float32)")
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	f := ready()
	each(v, Load(Param("dst").Len(), GP64()), func(m mask, at func(Register) Mem) {
		m.store(f(m.load(at(x))), at(dst))
	})
}

func binary(v isa, name string, f func(a, b Register) Register) {
	kernels.Variant("vec"+name, v.name(), "func(dst, a, b []float32)")
	dst, a, b := Load(Param("dst").Base(), GP64()), Load(Param("a").Base(), GP64()), Load(Param("b").Base(), GP64())
	each(v, Load(Param("dst").Len(), GP64()), func(m mask, at func(Register) Mem) {
		m.store(f(m.load(at(a)), m.load(at(b))), at(dst))
	})
}

func withScalar(v isa, name string, f func(a, s Register) Register) {
	kernels.Variant("vec"+name, v.name(), "func(dst, a []float32, s float32)")
	dst, a := Load(Param("dst").Base(), GP64()), Load(Param("a").Base(), GP64())
	s := scalar(v, "s")
	each(v, Load(Param("dst").Len(), GP64()), func(m mask, at func(Register) Mem) {
		m.store(f(m.load(at(a)), s), at(dst))
	})
}

// update is withScalar for functions that also read dst.
func update(v isa, name string, f func(d, a, s Register) Register) {
	kernels.Variant("vec"+name, v.name(), "func(dst, a []float32, s float32)")
	dst, a := Load(Param("dst").Base(), GP64()), Load(Param("a").Base(), GP64())
	s := scalar(v, "s")
	each(v, Load(Param("dst").Len(), GP64()), func(m mask, at func(Register) Mem) {
		m.store(f(m.load(at(dst)), m.load(at(a)), s), at(dst))
	})
}

func scalar(v isa, name string) Register {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	s := v.vec()
	VBROADCASTSS(p.Addr, s)
	return s
}

// each emits body for whole vectors of n elements and for the rest, and returns.
func each(v isa, n Register, body func(m mask, at func(Register) Mem)) {
	loop(v, n, "", body)
	VZEROUPPER()
	RET()
}

// loop is each without the return. Its labels begin with the given name. It leaves n at zero.
func loop(v isa, n Register, name string, body func(m mask, at func(Register) Mem)) {
	i := GP64()
	at := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: 4} }
	XORQ(i, i)
	SUBQ(U8(v.lanes()), n)
	JL(LabelRef(name + "tail"))
	Label(name + "loop")
	body(whole{v}, at)
	ADDQ(U8(v.lanes()), i)
	SUBQ(U8(v.lanes()), n)
	JGE(LabelRef(name + "loop"))
	Label(name + "tail")
	ADDQ(U8(v.lanes()), n)
	JZ(LabelRef(name + "done"))
	body(v.first(n), at)
	Label(name + "done")
}

// lanes64 emits body for 64 sums: acc[j] gets vector j of every 64 elements. Its labels begin with the given
// name. Only what is no whole vector has a mask: with AVX2, a store under a mask takes as long as a vector's exponentials,
// and none can be read again before it has reached the cache.
func lanes64(v isa, n Register, name string, acc []Register, body func(m mask, at func(Register) Mem, j int)) {
	i := GP64()
	XORQ(i, i)
	atj := func(j int) func(Register) Mem {
		return func(base Register) Mem { return Mem{Base: base, Index: i, Scale: 4, Disp: 4 * j * v.lanes()} }
	}
	SUBQ(U8(64), n)
	JL(LabelRef(name + "tail"))
	Label(name + "loop")
	for j := range acc {
		body(whole{v}, atj(j), j)
	}
	ADDQ(U8(64), i)
	SUBQ(U8(64), n)
	JGE(LabelRef(name + "loop"))
	Label(name + "tail")
	ADDQ(U8(64), n)
	JZ(LabelRef(name + "done"))
	part := func(j int) string { return fmt.Sprint(name, "part", j) }
	for j := range acc {
		SUBQ(U8(v.lanes()), n)
		JL(LabelRef(part(j)))
		if j < len(acc)-1 { // fewer than 64 are left
			body(whole{v}, atj(j), j)
			TESTQ(n, n)
			JZ(LabelRef(name + "done"))
		}
	}
	for j := range acc {
		Label(part(j))
		ADDQ(U8(v.lanes()), n)
		body(v.first(n), atj(j), j)
		if j < len(acc)-1 {
			JMP(LabelRef(name + "done"))
		}
	}
	Label(name + "done")
}

func accumulators(v isa) []Register {
	acc := make([]Register, 64/v.lanes())
	for j := range acc {
		acc[j] = v.vec()
	}
	return acc
}

// fold combines 64 lanes in halves, and returns the first of them.
func fold(v isa, acc []Register, f func(a, b Register) Register) Register {
	for n := len(acc) / 2; n > 0; n /= 2 {
		for j := range n {
			acc[j] = f(acc[j], acc[j+n])
		}
	}
	x := acc[0]
	if v.lanes() == 16 {
		high := YMM()
		VEXTRACTF64X4(U8(1), x, high)
		x = f(x.(VecVirtual).AsY(), high)
	}
	high := XMM()
	VEXTRACTF128(U8(1), x, high)
	x = f(x.(VecVirtual).AsX(), high)
	high = XMM()
	VMOVHLPS(x, x, high)
	x = f(x, high)
	high = XMM()
	VMOVSHDUP(x, high)
	return f(x, high)
}

func result(x Register) {
	r := XMM()
	VMOVAPS(x, r)
	VZEROUPPER()
	Store(r, ReturnIndex(0))
	RET()
}

func sum(v isa) {
	kernels.Variant("vecSum", v.name(), "func(x []float32) float32")
	x, acc := Load(Param("x").Base(), GP64()), zeroed(v)
	lanes64(v, Load(Param("x").Len(), GP64()), "", acc, func(m mask, at func(Register) Mem, j int) {
		VADDPS(m.load(at(x)), acc[j], acc[j])
	})
	result(fold(v, acc, addAny))
}

func dot(v isa) {
	kernels.Variant("vecDot", v.name(), "func(x, y []float32) float32")
	x, y, acc := Load(Param("x").Base(), GP64()), Load(Param("y").Base(), GP64()), zeroed(v)
	lanes64(v, Load(Param("x").Len(), GP64()), "", acc, func(m mask, at func(Register) Mem, j int) {
		VFMADD231PS(m.load(at(x)), m.load(at(y)), acc[j])
	})
	result(fold(v, acc, addAny))
}

// addAny adds registers of any width.
func addAny(a, b Register) Register {
	VADDPS(b, a, a)
	return a
}

// reduce emits the largest or smallest element; none is the bits of the result for an empty x.
func reduce(v isa, name string, f func(a, b Register) Register, none uint32) {
	kernels.Variant("vecReduce"+name, v.name(), "func(x []float32) float32")
	x := Load(Param("x").Base(), GP64())
	acc := v.vec()
	v.splat(constant(none), acc)
	empty := v.vec()
	v.splat(constant(none), empty)
	nan := v.vec()
	VXORPS(nan.AsY(), nan.AsY(), nan.AsY())
	n := Load(Param("x").Len(), GP64())
	i := GP64()
	at := Mem{Base: x, Index: i, Scale: 4}
	XORQ(i, i)
	SUBQ(U8(v.lanes()), n)
	JL(LabelRef("tail"))
	Label("loop")
	y := v.vec()
	VMOVUPS(at, y)
	v.noteNaN(y, nan)
	v.into(f(acc, y), acc)
	ADDQ(U8(v.lanes()), i)
	SUBQ(U8(v.lanes()), n)
	JGE(LabelRef("loop"))
	Label("tail")
	ADDQ(U8(v.lanes()), n)
	JZ(LabelRef("done"))
	m := v.first(n)
	y = m.load(at).(VecVirtual)
	v.noteNaN(y, nan)
	v.into(f(acc, m.keep(y, empty)), acc)
	Label("done")
	bits := v.anyBits(nan)
	top := foldOne(v, acc, name)
	TESTL(bits, bits)
	JZ(LabelRef("result"))
	VMOVSS(constant(0x7fc00000), top)
	Label("result")
	result(top)
}

// foldOne folds the lanes of one register by max or min.
func foldOne(v isa, acc Register, name string) Register {
	return fold(v, []Register{acc}, func(a, b Register) Register {
		if name == "Max" {
			VMAXPS(b, a, a)
		} else {
			VMINPS(b, a, a)
		}
		return a
	})
}
