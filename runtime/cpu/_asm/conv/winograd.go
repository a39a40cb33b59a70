package main

import (
	"fmt"

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

// winograd emits the transforms of F(4×4, 3×3) and F(2×2, 3×3), for a vector of channels at a time. The last vector ends with
// the last channel; it may overlap the previous one.
type winograd struct {
	isa
	side int // pixels of a tile along each axis: 4 or 2
}

func (g winograd) emit() {
	name, n := "winograd", g.values()
	if g.side == 2 {
		name = "winogradSmall"
	}
	g.transform(name+"In", fmt.Sprintf("brings %d×%d pixels of each channel into their %d transforms", n, n, n*n), g.in)
	g.transform(name+"Out", fmt.Sprintf("makes %d×%d pixels of each channel of %d transforms", g.side, g.side, n*n), g.out)
}

// values is the number of values that a transform along an axis reads for a tile, or makes of it.
func (g winograd) values() int { return g.side + 2 }

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

// row returns n addresses with a constant distance, at most six.
func row(base, distance GPVirtual, n int) []Mem {
	at := []Mem{{Base: base}, {Base: base, Index: distance, Scale: 1}, {Base: base, Index: distance, Scale: 2}}
	if n > 3 {
		l3 := GP64()
		LEAQ(Mem{Base: distance, Index: distance, Scale: 2}, l3)
		at = append(at, Mem{Base: base, Index: l3, Scale: 1})
	}
	if n > 4 {
		l5 := GP64()
		LEAQ(Mem{Base: distance, Index: distance, Scale: 4}, l5)
		at = append(at, Mem{Base: base, Index: distance, Scale: 4}, Mem{Base: base, Index: l5, Scale: 1})
	}
	return at[:n]
}

// in transforms the columns of pixels into tmp, and tmp's rows into dst, where transforms are a step apart.
func (g winograd) in(t Mem, c Register) {
	in1 := g.in1()
	n := g.values()
	tmp := Mem{Base: g.field(t, offTileTmp)}
	size := 4 * g.lanes()
	src, line, pixel := g.field(t, offTileSrc), g.field(t, offTileRow), g.field(t, offTilePixel)
	bytes(line)
	bytes(pixel)
	ADDQ(c, src)
	at := row(src, line, n)
	for j := range n {
		for i, v := range in1(g.loads(at)) {
			store(v, tmp.Offset((n*i+j)*size))
		}
		if j < n-1 {
			ADDQ(pixel, src)
		}
	}
	dst, step := g.field(t, offTileDst), g.field(t, offTileStep)
	bytes(step)
	ADDQ(c, dst)
	at = row(dst, step, n)
	for i := range n {
		for j, v := range in1(g.loads(adjacent(tmp.Offset(n*i*size), size, n))) {
			store(v, at[j])
		}
		if i < n-1 {
			LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
			if n == 6 {
				LEAQ(Mem{Base: dst, Index: step, Scale: 2}, dst)
			}
		}
	}
}

// loads loads vectors.
func (g winograd) loads(at []Mem) []VecVirtual {
	v := make([]VecVirtual, len(at))
	for i, m := range at {
		v[i] = g.vec()
		load(m, v[i])
	}
	return v
}

// adjacent returns n addresses, size bytes apart.
func adjacent(m Mem, size, n int) []Mem {
	at := make([]Mem, n)
	for i := range at {
		at[i] = m.Offset(i * size)
	}
	return at
}

// vecs returns n vectors.
func (g winograd) vecs(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = g.vec()
	}
	return v
}

// in1 returns the transform along an axis.
func (g winograd) in1() func(d []VecVirtual) []VecVirtual {
	if g.side == 2 {
		return g.smallIn1
	}
	k := g.constants("a", "a2", "b", "b2", "sum", "product")
	return func(d []VecVirtual) []VecVirtual { return g.largeIn1(d, k) }
}

// smallIn1 is the transform of four values. It evaluates polynomials at 0, ±1 and infinity.
func (g winograd) smallIn1(d []VecVirtual) []VecVirtual {
	t := g.vecs(4)
	VSUBPS(d[2], d[0], t[0])
	VADDPS(d[2], d[1], t[1])
	VSUBPS(d[1], d[2], t[2])
	VSUBPS(d[3], d[1], t[3])
	return t
}

// largeIn1 is the transform of six values.
func (g winograd) largeIn1(d []VecVirtual, k map[string]Op) []VecVirtual {
	t := g.vecs(6)
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
	out1 := g.out1()
	n := g.values()
	tmp := Mem{Base: g.field(t, offTileTmp)}
	size := 4 * g.lanes()
	src, step := g.field(t, offTileSrc), g.field(t, offTileStep)
	bytes(step)
	ADDQ(c, src)
	steps := GP64() // of a row of transforms
	if n == 6 {
		LEAQ(Mem{Base: step, Index: step, Scale: 2}, steps)
		ADDQ(steps, steps)
	} else {
		MOVQ(step, steps)
		SHLQ(U8(2), steps)
	}
	at := row(src, steps, n)
	for j := range n {
		for i, v := range out1(g.loads(at)) {
			store(v, tmp.Offset((n*i+j)*size))
		}
		if j < n-1 {
			ADDQ(step, src)
		}
	}
	dst, res := g.field(t, offTileDst), g.field(t, offTileRes)
	line, pixel := g.field(t, offTileRow), g.field(t, offTilePixel)
	bytes(line)
	bytes(pixel)
	ADDQ(c, dst)
	bias, low, high := g.vec(), g.vec(), g.vec()
	load(Mem{Base: g.field(t, offTileBias), Index: c, Scale: 1}, bias)
	broadcast(t.Offset(offTileLow), low)
	broadcast(t.Offset(offTileHigh), high)
	dsts := row(dst, pixel, g.side)
	i := GP64()
	XORQ(i, i)
	Label("line")
	y := out1(g.loads(adjacent(tmp, size, n)))
	for _, v := range y {
		VADDPS(bias, v, v)
	}
	TESTQ(res, res)
	JZ(LabelRef("bounds"))
	r := GP64()
	LEAQ(Mem{Base: res, Index: c, Scale: 1}, r)
	for j, m := range dsts {
		m.Base = r
		VADDPS(m, y[j], y[j])
	}
	ADDQ(line, res)
	Label("bounds")
	for j, m := range dsts {
		atLeast(low, y[j])
		atMost(high, y[j])
		store(y[j], m)
	}
	ADDQ(line, dst)
	ADDQ(U32(n*size), tmp.Base)
	INCQ(i)
	CMPQ(i, U32(g.side))
	JL(LabelRef("line"))
}

// out1 returns the transform along an axis back to pixels.
func (g winograd) out1() func(m []VecVirtual) []VecVirtual {
	if g.side == 2 {
		return g.smallOut1
	}
	k := g.constants("a", "a2", "a3", "b", "b2", "b3")
	return func(m []VecVirtual) []VecVirtual { return g.largeOut1(m, k) }
}

// smallOut1 is the transform of four values.
func (g winograd) smallOut1(m []VecVirtual) []VecVirtual {
	y := g.vecs(2)
	// y0 = m0 + m1 + m2, y1 = m1 - m2 - m3
	VADDPS(m[1], m[0], y[0])
	VADDPS(m[2], y[0], y[0])
	VSUBPS(m[2], m[1], y[1])
	VSUBPS(m[3], y[1], y[1])
	return y
}

// largeOut1 is the transform of six values.
func (g winograd) largeOut1(m []VecVirtual, k map[string]Op) []VecVirtual {
	y := g.vecs(4)
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
