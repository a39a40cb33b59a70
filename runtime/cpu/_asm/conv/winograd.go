package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var winogradType = kernels.StructOf("winogradTile")

// Offsets of winogradTile's fields.
var (
	offTileDst   = winogradType.Offset("dst")
	offTileSrc   = winogradType.Offset("src")
	offTileTmp   = winogradType.Offset("tmp")
	offTileBias  = winogradType.Offset("bias")
	offTileRes   = winogradType.Offset("res")
	offTileN     = winogradType.Offset("n")
	offTilePixel = winogradType.Offset("pixel")
	offTileRow   = winogradType.Offset("row")
	offTileStep  = winogradType.Offset("step")
	offTileLow   = winogradType.Offset("low")
	offTileHigh  = winogradType.Offset("high")
)

// winograd emits the transforms of F(4×4, 3×3), for a vector of channels at a time. The last vector ends with
// the last channel; it may overlap the previous one.
type winograd struct{ isa }

func (g winograd) emit() {
	g.transform("winogradIn", "brings 6×6 pixels of each channel into their 36 transforms", g.in)
	g.transform("winogradOut", "makes 4×4 pixels of each channel of 36 transforms", g.out)
}

// transform emits a function that iterates over the channels.
func (g winograd) transform(name, does string, body func(t Mem, c Register)) {
	name += g.name()
	kernels.Text(name, "func(t *winogradTile)")
	Doc(name + " " + does + ".")
	t := Mem{Base: Load(Param("t"), GP64())}
	c, last := GP64(), GP64() // of the present vector, in bytes
	XORQ(c, c)
	Label("vector")
	body(t, c)
	MOVQ(t.Offset(offTileN), last)
	bytes(last)
	SUBQ(U32(4*g.lanes()), last)
	CMPQ(c, last)
	JGE(LabelRef("done"))
	ADDQ(U32(4*g.lanes()), c)
	CMPQ(c, last)
	CMOVQGT(last, c)
	JMP(LabelRef("vector"))
	Label("done")
	VZEROUPPER()
	RET()
}

func (g winograd) field(t Mem, off int) GPVirtual {
	r := GP64()
	MOVQ(t.Offset(off), r)
	return r
}

// winogradTable emits the factors of the transforms, in eight lanes each. The transforms evaluate polynomials
// at 0, ±a, ±b and infinity.
func winogradTable() {
	const a, b = 0.75, 1.5
	table := GLOBL("winogradNumbers", RODATA|NOPTR)
	for i, n := range []struct {
		name  string
		value float32
	}{{"a", a}, {"a2", a * a}, {"a3", a * a * a}, {"b", b}, {"b2", b * b}, {"b3", b * b * b}, {"sum", a*a + b*b}, {"product", a * a * b * b}} {
		for lane := range 8 {
			DATA(32*i+4*lane, F32(n.value))
		}
		winogradNumbers[n.name] = table.Offset(32 * i)
	}
}

var winogradNumbers = map[string]Mem{}

// constants returns factors of a transform, in registers if there are enough.
func (g winograd) constants(names ...string) map[string]Op {
	k := map[string]Op{}
	for _, n := range names {
		k[n] = winogradNumbers[n]
		if g.lanes() == 16 {
			v := g.vec()
			broadcast(winogradNumbers[n], v)
			k[n] = v
		}
	}
	return k
}

// six returns six addresses with a constant distance.
func six(base, distance GPVirtual) [6]Mem {
	l3, l5 := GP64(), GP64()
	LEAQ(Mem{Base: distance, Index: distance, Scale: 2}, l3)
	LEAQ(Mem{Base: distance, Index: distance, Scale: 4}, l5)
	return [6]Mem{
		{Base: base}, {Base: base, Index: distance, Scale: 1}, {Base: base, Index: distance, Scale: 2},
		{Base: base, Index: l3, Scale: 1}, {Base: base, Index: distance, Scale: 4}, {Base: base, Index: l5, Scale: 1},
	}
}

// in transforms the columns of pixels into tmp, and tmp's rows into dst, where transforms are a step apart.
func (g winograd) in(t Mem, c Register) {
	k := g.constants("a", "a2", "b", "b2", "sum", "product")
	tmp := Mem{Base: g.field(t, offTileTmp)}
	size := 4 * g.lanes()
	src, row, pixel := g.field(t, offTileSrc), g.field(t, offTileRow), g.field(t, offTilePixel)
	bytes(row)
	bytes(pixel)
	ADDQ(c, src)
	at := six(src, row)
	for j := range 6 {
		var d [6]VecVirtual
		for i := range d {
			d[i] = g.vec()
			load(at[i], d[i])
		}
		for i, v := range g.in1(d, k) {
			store(v, tmp.Offset((6*i+j)*size))
		}
		if j < 5 {
			ADDQ(pixel, src)
		}
	}
	dst, step := g.field(t, offTileDst), g.field(t, offTileStep)
	bytes(step)
	ADDQ(c, dst)
	at = six(dst, step)
	for i := range 6 {
		var d [6]VecVirtual
		for j := range d {
			d[j] = g.vec()
			load(tmp.Offset((6*i+j)*size), d[j])
		}
		for j, v := range g.in1(d, k) {
			store(v, at[j])
		}
		if i < 5 {
			LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
			LEAQ(Mem{Base: dst, Index: step, Scale: 2}, dst)
		}
	}
}

// in1 is the transform of six values.
func (g winograd) in1(d [6]VecVirtual, k map[string]Op) (t [6]VecVirtual) {
	for i := range t {
		t[i] = g.vec()
	}
	// t0 = d4 - (a²+b²)·d2 + a²b²·d0
	VMOVAPS(d[4], t[0])
	VFNMADD231PS(k["sum"], d[2], t[0])
	VFMADD231PS(k["product"], d[0], t[0])
	// t5 = d5 - (a²+b²)·d3 + a²b²·d1
	VMOVAPS(d[5], t[5])
	VFNMADD231PS(k["sum"], d[3], t[5])
	VFMADD231PS(k["product"], d[1], t[5])
	// t1, t2 = (d4 - b²·d2) ± a·(d3 - b²·d1); t3, t4 = (d4 - a²·d2) ± b·(d3 - a²·d1)
	for i, by := range []string{"b2", "a2"} {
		plus, minus, x := t[1+2*i], t[2+2*i], g.vec()
		VMOVAPS(d[4], plus)
		VFNMADD231PS(k[by], d[2], plus)
		VMOVAPS(d[3], x)
		VFNMADD231PS(k[by], d[1], x)
		VMOVAPS(plus, minus)
		VFMADD231PS(k[[]string{"a", "b"}[i]], x, plus)
		VFNMADD231PS(k[[]string{"a", "b"}[i]], x, minus)
	}
	return t
}

// out transforms the columns of transforms into tmp, and tmp's rows into pixels. It adds a bias, and a
// residual if there is one, and limits the pixels to two bounds.
func (g winograd) out(t Mem, c Register) {
	k := g.constants("a", "a2", "a3", "b", "b2", "b3")
	tmp := Mem{Base: g.field(t, offTileTmp)}
	size := 4 * g.lanes()
	src, step := g.field(t, offTileSrc), g.field(t, offTileStep)
	bytes(step)
	ADDQ(c, src)
	step6 := GP64()
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step6)
	ADDQ(step6, step6)
	at := six(src, step6)
	for j := range 6 {
		var m [6]VecVirtual
		for i := range m {
			m[i] = g.vec()
			load(at[i], m[i])
		}
		for i, v := range g.out1(m, k) {
			store(v, tmp.Offset((6*i+j)*size))
		}
		if j < 5 {
			ADDQ(step, src)
		}
	}
	dst, res := g.field(t, offTileDst), g.field(t, offTileRes)
	row, pixel := g.field(t, offTileRow), g.field(t, offTilePixel)
	bytes(row)
	bytes(pixel)
	ADDQ(c, dst)
	bias, low, high := g.vec(), g.vec(), g.vec()
	load(Mem{Base: g.field(t, offTileBias), Index: c, Scale: 1}, bias)
	broadcast(t.Offset(offTileLow), low)
	broadcast(t.Offset(offTileHigh), high)
	pixel3 := GP64()
	LEAQ(Mem{Base: pixel, Index: pixel, Scale: 2}, pixel3)
	fourOf := func(p GPVirtual) [4]Mem {
		return [4]Mem{{Base: p}, {Base: p, Index: pixel, Scale: 1}, {Base: p, Index: pixel, Scale: 2}, {Base: p, Index: pixel3, Scale: 1}}
	}
	i := GP64()
	XORQ(i, i)
	Label("line")
	var m [6]VecVirtual
	for j := range m {
		m[j] = g.vec()
		load(tmp.Offset(j*size), m[j])
	}
	y := g.out1(m, k)
	for _, v := range y {
		VADDPS(bias, v, v)
	}
	TESTQ(res, res)
	JZ(LabelRef("bounds"))
	r := GP64()
	LEAQ(Mem{Base: res, Index: c, Scale: 1}, r)
	for j, m := range fourOf(r) {
		VADDPS(m, y[j], y[j])
	}
	ADDQ(row, res)
	Label("bounds")
	for j, m := range fourOf(dst) {
		atLeast(low, y[j])
		atMost(high, y[j])
		store(y[j], m)
	}
	ADDQ(row, dst)
	ADDQ(U32(6*size), tmp.Base)
	INCQ(i)
	CMPQ(i, U32(4))
	JL(LabelRef("line"))
}

// out1 is the transform of six values.
func (g winograd) out1(m [6]VecVirtual, k map[string]Op) (y [4]VecVirtual) {
	for i := range y {
		y[i] = g.vec()
	}
	sum, sum2, diff, diff2 := g.vec(), g.vec(), g.vec(), g.vec()
	VADDPS(m[2], m[1], sum)
	VADDPS(m[4], m[3], sum2)
	VSUBPS(m[2], m[1], diff)
	VSUBPS(m[4], m[3], diff2)
	// y0 = m0 + (m1+m2) + (m3+m4)
	VADDPS(sum, m[0], y[0])
	VADDPS(sum2, y[0], y[0])
	// y1 = a·(m1-m2) + b·(m3-m4)
	VMULPS(k["a"], diff, y[1])
	VFMADD231PS(k["b"], diff2, y[1])
	// y2 = a²·(m1+m2) + b²·(m3+m4)
	VMULPS(k["a2"], sum, y[2])
	VFMADD231PS(k["b2"], sum2, y[2])
	// y3 = m5 + a³·(m1-m2) + b³·(m3-m4)
	VMOVAPS(m[5], y[3])
	VFMADD231PS(k["a3"], diff, y[3])
	VFMADD231PS(k["b3"], diff2, y[3])
	return y
}
