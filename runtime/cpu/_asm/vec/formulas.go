package main

import (
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/gates"
)

// formulas are functions of a vector, written once for both instruction sets. They change no operand.
type formulas struct {
	isa
	kept map[uint32]Register // constants that stay in registers
}

// keep returns formulas that keep constants in registers.
func (f formulas) keep(xs ...float64) formulas {
	kept := map[uint32]Register{}
	for _, x := range xs {
		kept[math.Float32bits(float32(x))] = f.c(x)
	}
	return formulas{f.isa, kept}
}

func (f formulas) max(a, b Register) Register { return f.orNaN(f.isa.max(a, b), a) }
func (f formulas) min(a, b Register) Register { return f.orNaN(f.isa.min(a, b), a) }

// orNaN is a if a is NaN, otherwise x. MAXPS and MINPS return b if either is NaN.
func (f formulas) orNaN(x, a Register) Register { return f.pick(unordered, a, a, a, x) }

func (f formulas) relu(x Register) Register { return f.isa.max(f.zero(), x) }

// exp is 2ⁿ·exp(r), where x = n·log(2) + r with |r| ≤ log(2)/2, and exp(r) = 1 + r + r²·P(r) (coefficients of Cephes).
func (f formulas) exp(x Register) Register { return f.expBelow(f.isa.min(f.c(89), x)) } // NaN stays: it is the second operand

// expBelow is exp for x ≤ 89.
func (f formulas) expBelow(x Register) Register {
	const least = -104
	p, n := f.expParts(f.isa.max(f.c(least), x))
	p = f.pick(less, x, f.c(least), f.zero(), p) // scaling down to 0 is twenty times slower
	return f.scale(p, n)
}

// expDown is exp for x ≤ 0. Numbers that are not normal are zeros.
func (f formulas) expDown(x Register) Register {
	return f.downFrom(f.c(leastDown), x, f.expParts)
}

const leastDown = -86.5

// keepExp returns formulas that keep constants of exp and expDown in registers: with AVX2 as many as few.
func (f formulas) keepExp(few int) formulas {
	list := append([]float64{rounder, leastDown, math.Log2E, logHigh, logLow, 1}, expCoeffs...)
	if f.lanes() < 16 {
		list = list[:few]
	}
	return f.keep(list...)
}

// The sum of these is the logarithm of 2.
const logHigh, logLow = 0.693359375, -2.12194440e-4

// expParts returns exp(x) as the factors exp(r) and 2ⁿ, and n of the latter.
func (f formulas) expParts(x Register) (p, n Register) {
	n = f.sub(f.fma(x, f.c(math.Log2E), f.c(rounder)), f.c(rounder))
	r := f.fnma(n, f.c(logHigh), x)
	r = f.fnma(n, f.c(logLow), r)
	p = f.poly(r, expCoeffs...)
	p = f.fma(p, f.mul(r, r), r)
	return f.add(p, f.c(1)), n
}

var expCoeffs = []float64{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1}

// rounder is a number whose addition leaves the nearest integer of a small number in the low bits.
const rounder = 3 << 22

// tanh is Cephes's polynomial near zero, otherwise 1 - 2/(exp(2|x|)+1) with the sign of x.
func (f formulas) tanh(x Register) Register {
	abs := f.abs(x)
	e := f.exp(f.add(abs, abs))
	big := f.sub(f.c(1), f.div(f.c(2), f.add(e, f.c(1))))
	big = f.withSign(big, x)
	s := f.mul(x, x)
	p := f.poly(s, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
	small := f.fma(f.mul(p, s), x, x)
	return f.pick(less, abs, f.c(0.625), small, big)
}

// sigmoid is exp(-|x|)/(1+exp(-|x|)) for x < 0 and 1/(1+exp(-|x|)) for x ≥ 0, so that nothing overflows.
func (f formulas) sigmoid(x Register) Register {
	e := f.exp(f.or(x, f.c(math.Copysign(0, -1))))
	top := f.pick(less, x, f.zero(), e, f.c(1))
	return f.div(top, f.add(e, f.c(1)))
}

func (f formulas) hardSwish(x Register) Register {
	gate := f.fma(x, f.c(1./6), f.c(0.5))
	return f.mul(x, f.isa.max(f.zero(), f.isa.min(f.c(1), gate))) // NaN stays: it is the second operand
}

// gated prepares x/2 + |x|·p(|x|) for a loop.
func (f formulas) gated(g gates.Gate) function {
	ms := make([]Mem, len(g.Coeffs))
	for i, c := range g.Coeffs {
		ms[i] = table(c)
	}
	look := f.tables(ms)
	f, sign := f.keep(float64(g.Scale), 15, rounder, 0.5), f.bits(0x80000000)
	return func(x Register) Register {
		abs := f.without(x, sign)
		s := f.isa.min(f.mul(abs, f.c(float64(g.Scale))), f.c(15))
		n := f.add(s, f.c(rounder))
		t := f.sub(s, f.sub(n, f.c(rounder)))
		p := look(n, func(entry func(int) Register) Register {
			p := entry(0)
			for i := range ms[1:] {
				VFMADD213PS(entry(i+1), t, p)
			}
			return p
		})
		return f.fma(abs, p, f.mul(x, f.c(0.5)))
	}
}

// erf is x + x·P(x²) near zero, otherwise 1 - exp(Q(|x|)) with the sign of x (coefficients of N. Juffa).
func (f formulas) erf(x Register) Register {
	abs, s := f.abs(x), f.mul(x, x)
	r := f.poly(abs, -1.72853470e-5, 3.83197126e-4)
	u := f.poly(abs, -3.88396438e-3, 2.42546219e-2)
	r = f.fma(r, s, u)
	for _, c := range []float64{-1.06777877e-1, -6.34846687e-1, -1.28717512e-1} {
		r = f.fma(r, abs, f.c(c))
	}
	r = f.sub(f.mul(r, abs), abs)
	big := f.withSign(f.sub(f.c(1), f.exp(r)), x)
	p := f.poly(s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
	small := f.fma(p, x, x)
	return f.pick(less, abs, f.c(0.927734375), small, big)
}

// log is e·log(2) + log(1+m), where x = 2ᵉ·(1+m) with √½ ≤ 1+m < √2 (coefficients of Cephes).
func (f formulas) log(x Register) Register {
	const sqrtHalf = 0x3f3504f3
	tiny := f.pick(less, x, f.bits(0x00800000), f.c(1<<23), f.c(1))
	y := f.mul(x, tiny)
	i := f.subInt(y, f.bits(sqrtHalf))
	e := f.toFloat(f.shiftRight(i, 23))
	e = f.add(e, f.pick(less, x, f.bits(0x00800000), f.c(-23), f.c(0)))
	m := f.sub(f.addInt(f.and(i, f.bits(0x007fffff)), f.bits(sqrtHalf)), f.c(1))
	z := f.mul(m, m)
	p := f.poly(m, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
		-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	p = f.mul(f.mul(p, m), z)
	p = f.fma(e, f.c(-2.12194440e-4), p)
	p = f.fnma(z, f.c(0.5), p)
	y = f.fma(e, f.c(0.693359375), f.add(m, p))
	y = f.pick(equal, x, f.bits(0x7f800000), x, y) // +Inf
	y = f.pick(equal, x, f.zero(), f.bits(0xff800000), y)
	return f.pick(notGreaterEqual, x, f.zero(), f.bits(0x7fc00000), y) // negative or NaN
}

// poly evaluates a polynomial, the highest coefficient first.
func (f formulas) poly(x Register, cs ...float64) Register {
	p := f.fresh(cs[0])
	for _, c := range cs[1:] {
		bits := math.Float32bits(float32(c))
		if r := f.kept[bits]; r != nil {
			VFMADD213PS(r, x, p)
		} else {
			f.fmaWith(constant(bits), x, p)
		}
	}
	return p
}

func (f formulas) c(x float64) Register { return f.bits(math.Float32bits(float32(x))) }

// fresh returns a constant in a register of its own.
func (f formulas) fresh(x float64) Register {
	r := f.kept[math.Float32bits(float32(x))]
	if r == nil {
		return f.c(x)
	}
	v := f.vec()
	f.into(r, v)
	return v
}

func (f formulas) abs(x Register) Register { return f.and(x, f.bits(0x7fffffff)) }

// withSign returns x ≥ 0 with the sign of y.
func (f formulas) withSign(x, y Register) Register {
	return f.or(x, f.and(y, f.bits(0x80000000)))
}

func (f formulas) zero() Register {
	v := f.vec()
	VXORPS(v.AsY(), v.AsY(), v.AsY())
	return v
}

func (f formulas) bits(x uint32) Register {
	if r := f.kept[x]; r != nil {
		return r
	}
	v := f.vec()
	f.splat(constant(x), v)
	return v
}

// constant returns the address of 8 copies of a float32, which is the size that the linker aligns: so no copy
// crosses a cache line.
func constant(bits uint32) Mem {
	i := slices.Index(consts, bits)
	if i < 0 {
		i = len(consts)
		consts = append(consts, bits)
	}
	return NewDataAddr(NewStaticSymbol("vecConsts"), 32*i)
}

var consts []uint32

// table returns the address of 16 float32.
func table(xs [16]float32) Mem {
	i := slices.Index(tables, xs)
	if i < 0 {
		i = len(tables)
		tables = append(tables, xs)
	}
	return NewDataAddr(NewStaticSymbol("vecTables"), 64*i)
}

var tables [][16]float32

func constants() {
	GLOBL("vecConsts", RODATA|NOPTR)
	for i, bits := range consts {
		for j := range 8 {
			DATA(32*i+4*j, U32(bits))
		}
	}
}

func writeTables() {
	GLOBL("vecTables", RODATA|NOPTR)
	for i, xs := range tables {
		for j, x := range xs {
			DATA(64*i+4*j, U32(math.Float32bits(x)))
		}
	}
}
