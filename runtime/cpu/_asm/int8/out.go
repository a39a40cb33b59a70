package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var (
	requantType   = kernels.StructOf("requantTile")
	quantizerType = kernels.StructOf("byteQuantizer")
	scalesType    = kernels.StructOf("byteScales")
)

// Offsets of requantTile's fields.
var (
	offDst     = requantType.Offset("dst")
	offSums    = requantType.Offset("sums")
	offAdd     = requantType.Offset("add")
	offMult    = requantType.Offset("mult")
	offLDD     = requantType.Offset("ldd")
	offLDS     = requantType.Offset("lds")
	offRows    = requantType.Offset("rows")
	offCols    = requantType.Offset("cols")
	offLow     = requantType.Offset("low")
	offHigh    = requantType.Offset("high")
	offZero    = requantType.Offset("zero")
	offShift   = requantType.Offset("shift")
	offRowSums = requantType.Offset("rowSums")
	offOffset  = requantType.Offset("offset")
	offFloor   = requantType.Offset("floor")
	offFlip    = requantType.Offset("flip")
)

// output is the processing of sums.
type output struct {
	name string
	size int
}

var (
	bytes  = output{"Bytes", 1}
	floats = output{"Floats", 4}
	ints   = output{"Ints", 4}
)

// requant emits the conversion of a tile of sums to outputs. With shifted, it first subtracts the products of
// shift and rowSums.
type requant struct {
	isa
	output
	shifted bool
}

func (g requant) emit() {
	name := "requant" + g.output.name
	if g.shifted {
		name += "Shifted"
	}
	kernels.Text(name+g.isa.name(), "func(t *requantTile)")
	t := Load(Param("t"), GP64())
	field := func(off int) Mem { return Mem{Base: t, Disp: off} }
	broadcast := func(off int) Register {
		v := g.vec()
		VBROADCASTSS(field(off), v)
		return v
	}
	low, high, zero := broadcast(offLow), broadcast(offHigh), broadcast(offZero)
	// Columns come one vector after the other, so that their numbers stay in registers for all rows.
	i, n := GP64(), GP64()
	XORQ(i, i)
	MOVQ(field(offCols), n)
	to, from, left, rowSums := GP64(), GP64(), GP64(), GP64()
	eachVector(g.isa, i, n, func(l lanes) {
		column := func(off int) Register {
			v := g.vec()
			MOVQ(field(off), from)
			l.load(Mem{Base: from, Index: i, Scale: 4}, v)
			return v
		}
		var a, m, s Register
		a = column(offAdd)
		if g.output != ints {
			m = column(offMult)
		}
		if g.shifted {
			s = column(offShift)
			MOVQ(field(offRowSums), rowSums)
		}
		MOVQ(field(offDst), to)
		LEAQ(Mem{Base: to, Index: i, Scale: uint8(g.size)}, to)
		MOVQ(field(offSums), from)
		LEAQ(Mem{Base: from, Index: i, Scale: 4}, from)
		MOVQ(field(offRows), left)
		row := label("row")
		Label(row)
		x := g.vec()
		l.load(Mem{Base: from}, x)
		VPADDD(a, x, x)
		if g.shifted {
			rowSum := g.vec()
			VPBROADCASTD(Mem{Base: rowSums}, rowSum)
			VPMULLD(s, rowSum, rowSum)
			VPSUBD(rowSum, x, x)
			ADDQ(U8(4), rowSums)
		}
		if g.output == ints {
			l.store(x, Mem{Base: to})
		} else {
			VCVTDQ2PS(x, x)
			VMULPS(m, x, x)
			VMAXPS(low, x, x) // low where x is NaN
		}
		switch g.output {
		case floats:
			l.store(x, Mem{Base: to})
		case bytes:
			VMINPS(high, x, x)
			VCVTPS2DQ(x, x)
			VPADDD(zero, x, x)
			l.storeBytes(x, Mem{Base: to})
		}
		ADDQ(field(offLDD), to)
		ADDQ(field(offLDS), from)
		DECQ(left)
		JNZ(LabelRef(row))
	})
	VZEROUPPER()
	RET()
}

// requantPanels emits requant for bytes of whole panels with AVX2. Bounds and zero points are those of bytes, whose packing
// saturates; only what is too large for an int32 needs a bound before.
func requantPanels(order Mem, shifted bool) {
	name := "requantPanels"
	if shifted {
		name += "Shifted"
	}
	kernels.Text(name+"AVX2", "func(t *requantTile)")
	Doc(name + "AVX2 is requantBytes for a multiple of 32 columns.")
	t := Load(Param("t"), GP64())
	field := func(off int) Register {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: off}, r)
		return r
	}
	broadcast := func(off int) Register {
		v := YMM()
		VPBROADCASTD(Mem{Base: t, Disp: off}, v)
		return v
	}
	high, offset, floor, flip := broadcast(offHigh), broadcast(offOffset), broadcast(offFloor), broadcast(offFlip)
	perm := YMM()
	VMOVDQU(order, perm)
	dst, sums, add, mult := field(offDst), field(offSums), field(offAdd), field(offMult)
	ldd, lds, rows, cols := field(offLDD), field(offLDS), field(offRows), field(offCols)
	var shift, rowSums, rowSum Register
	if shifted {
		shift, rowSums, rowSum = field(offShift), field(offRowSums), YMM()
	}
	i := GP64()
	Label("row")
	XORQ(i, i)
	if shifted {
		VPBROADCASTD(Mem{Base: rowSums}, rowSum)
	}
	Label("panel")
	var v [4]VecVirtual
	for j := range v {
		at := func(base Register) Mem { return Mem{Base: base, Index: i, Scale: 4, Disp: 32 * j} }
		x := YMM()
		VMOVDQU(at(sums), x)
		VPADDD(at(add), x, x)
		if shifted {
			s := YMM()
			VPMULLD(at(shift), rowSum, s)
			VPSUBD(s, x, x)
		}
		VCVTDQ2PS(x, x)
		VMULPS(at(mult), x, x)
		VMINPS(x, high, x) // NaN stays NaN
		VCVTPS2DQ(x, x)
		v[j] = x
	}
	VPACKSSDW(v[1], v[0], v[0])
	VPACKSSDW(v[3], v[2], v[2])
	VPADDSW(offset, v[0], v[0])
	VPADDSW(offset, v[2], v[2])
	VPACKUSWB(v[2], v[0], v[0])
	VPERMD(v[0], perm, v[0])
	VPMAXUB(floor, v[0], v[0])
	VPXOR(flip, v[0], v[0])
	VMOVDQU(v[0], Mem{Base: dst, Index: i, Scale: 1})
	ADDQ(U8(32), i)
	CMPQ(i, cols)
	JL(LabelRef("panel"))
	if shifted {
		ADDQ(U8(4), rowSums)
	}
	ADDQ(ldd, dst)
	ADDQ(lds, sums)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// packedOrder emits the table of the groups of four bytes that packing leaves in lanes.
func packedOrder() Mem {
	order := GLOBL("bytePackedOrder", RODATA|NOPTR)
	for i, from := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*i, U32(from))
	}
	return order
}

// requantPanel emits requant for bytes of a whole panel, whose parameters stay in registers.
func requantPanel() {
	kernels.Text("requantPanelAVX512", "func(t *requantTile)")
	Doc("requantPanelAVX512 is requantBytesAVX512 for 32 columns.")
	t := Load(Param("t"), GP64())
	field := func(off int) Register {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: off}, r)
		return r
	}
	broadcast := func(off int) Register {
		v := ZMM()
		VBROADCASTSS(Mem{Base: t, Disp: off}, v)
		return v
	}
	low, high, zero := broadcast(offLow), broadcast(offHigh), broadcast(offZero)
	dst, sums, add, mult := field(offDst), field(offSums), field(offAdd), field(offMult)
	ldd, lds, rows := field(offLDD), field(offLDS), field(offRows)
	var a, m [2]VecVirtual
	for i := range a {
		a[i], m[i] = ZMM(), ZMM()
		VMOVUPS(Mem{Base: add, Disp: 64 * i}, a[i])
		VMOVUPS(Mem{Base: mult, Disp: 64 * i}, m[i])
	}
	Label("row")
	for i := range a {
		x := ZMM()
		VPADDD(Mem{Base: sums, Disp: 64 * i}, a[i], x)
		VCVTDQ2PS(x, x)
		VMULPS(m[i], x, x)
		VMAXPS(low, x, x) // low where x is NaN
		VMINPS(high, x, x)
		VCVTPS2DQ(x, x)
		VPADDD(zero, x, x)
		VPMOVDB(x, Mem{Base: dst, Disp: 16 * i})
	}
	ADDQ(ldd, dst)
	ADDQ(lds, sums)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// intsToFloats emits the conversion of 32-bit integers.
func intsToFloats(v isa) {
	kernels.AtLevel("intsToFloats", v.name(), "func(dst *float32, x *int32, n int)")
	dst, x, n, i := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64()), GP64()
	XORQ(i, i)
	eachVector(v, i, n, func(l lanes) {
		y := v.vec()
		l.load(Mem{Base: x, Index: i, Scale: 4}, y)
		VCVTDQ2PS(y, y)
		l.store(y, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

// eachVector emits body for whole vectors of n elements, with i as the first element, and for the rest.
func eachVector(v isa, i, n Register, body func(l lanes)) {
	SUBQ(U8(v.lanes()), n)
	JL(LabelRef("tail"))
	Label("loop")
	body(all{v})
	ADDQ(U8(v.lanes()), i)
	SUBQ(U8(v.lanes()), n)
	JGE(LabelRef("loop"))
	Label("tail")
	ADDQ(U8(v.lanes()), n)
	JZ(LabelRef("done"))
	body(v.tail(n))
	Label("done")
}

// quantize emits the rounding of floats to bytes.
func quantize(v isa) {
	kernels.AtLevel("quantizeBytes", v.name(), "func(dst *byte, x *float32, n int, q *byteQuantizer)")
	dst, x, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	i := GP64()
	eachQuantized(v, dst, n, i, func(l lanes, y Register) { l.load(Mem{Base: x, Index: i, Scale: 4}, y) })
}

// addBytes emits the sum of bytes that stand for floats, rounded to bytes.
func addBytes(v isa, signed bool) {
	kernels.AtLevel("add"+sign(signed)+"8", v.name(), "func(dst, a, b *byte, n int, q *byteQuantizer, s *byteScales)")
	dst, a, b, n := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	scales := Load(Param("s"), GP64())
	field := func(name string) Register {
		s := v.vec()
		VBROADCASTSS(Mem{Base: scales, Disp: scalesType.Offset(name)}, s)
		return s
	}
	scaleA, scaleB, zeroA, zeroB := field("scaleA"), field("scaleB"), field("zeroA"), field("zeroB")
	i := GP64()
	eachQuantized(v, dst, n, i, func(l lanes, y Register) {
		z := v.vec()
		dequantized(l, Mem{Base: a, Index: i, Scale: 1}, y, scaleA, zeroA, signed)
		dequantized(l, Mem{Base: b, Index: i, Scale: 1}, z, scaleB, zeroB, signed)
		VADDPS(z, y, y)
	})
}

// dequantized emits the floats y that the bytes x stand for.
func dequantized(l lanes, x Mem, y, scale, zero Register, signed bool) {
	l.loadBytes(x, y, signed)
	VPSUBD(zero, y, y)
	VCVTDQ2PS(y, y)
	VMULPS(scale, y, y)
}

// eachQuantized emits the rounding of n floats, which load sets y to from index i on, to bytes of dst. Multiplying by the rounded
// 1/scale may give another result than dividing by scale. So it divides if a result is near a half, that is, if its distance from
// the nearest integer is about a half.
func eachQuantized(v isa, dst, n, i Register, load func(l lanes, y Register)) {
	numbers := Load(Param("q"), GP64())
	field := func(name string) Register {
		s := v.vec()
		VBROADCASTSS(Mem{Base: numbers, Disp: quantizerType.Offset(name)}, s)
		return s
	}
	scale, inverse, near := field("scale"), field("inverse"), field("near")
	low, high, zero, magnitude := field("low"), field("high"), field("zero"), v.vec()
	v.ones(magnitude)
	VPSRLD(U8(1), magnitude, magnitude)
	XORQ(i, i)
	eachVector(v, i, n, func(l lanes) {
		y, q, rest := v.vec(), v.vec(), v.vec()
		round := func() {
			v.clearNaN(y)
			VMAXPS(low, y, y)
			VMINPS(high, y, y)
			VCVTPS2DQ(y, q)
		}
		far := label("far")
		load(l, y)
		VMULPS(inverse, y, y)
		round()
		VCVTDQ2PS(q, rest)
		VSUBPS(rest, y, rest)
		VANDPS(magnitude, rest, rest)
		v.anyAtLeast(rest, near)
		JZ(LabelRef(far))
		load(l, y)
		VDIVPS(scale, y, y)
		round()
		Label(far)
		VPADDD(zero, q, q)
		l.storeBytes(q, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

// dequantize emits the inverse of quantize.
func dequantize(v isa, signed bool) {
	kernels.AtLevel("dequantize"+sign(signed)+"8", v.name(), "func(dst *float32, x *byte, n int, scale float32, zero int32)")
	dst, x, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	scale, zero := param(v, "scale"), param(v, "zero")
	i := GP64()
	XORQ(i, i)
	eachVector(v, i, n, func(l lanes) {
		y := v.vec()
		dequantized(l, Mem{Base: x, Index: i, Scale: 1}, y, scale, zero, signed)
		l.store(y, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

func sign(signed bool) string {
	if signed {
		return "S"
	}
	return "U"
}

// param returns a parameter of four bytes in all lanes.
func param(v isa, name string) Register {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	s := v.vec()
	VBROADCASTSS(p.Addr, s)
	return s
}
