package main

import (
	"math"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/gates"
)

// The formulas of ../vec/formulas.go, which has comments on them.

func (g *graph) c(x float64) *expr           { return g.bits(floatBits(x)) }
func (g *graph) fma(a, b, c *expr) *expr     { return g.do(fmla, c, a, b) } // a·b + c
func (g *graph) fnma(a, b, c *expr) *expr    { return g.do(fmls, c, a, b) } // c - a·b
func (g *graph) add2(a, b *expr) *expr       { return g.do(fadd, a, b) }
func (g *graph) sub2(a, b *expr) *expr       { return g.do(fsub, a, b) }
func (g *graph) mul2(a, b *expr) *expr       { return g.do(fmul, a, b) }
func (g *graph) div2(a, b *expr) *expr       { return g.do(fdiv, a, b) }
func (g *graph) less(a, b *expr) *expr       { return g.do(fcmgt, b, a) } // ones where a < b
func (g *graph) pick(m, yes, no *expr) *expr { return g.do(bsl, m, yes, no) }

func (g *graph) withSign(x, y *expr) *expr {
	return g.do(orr, x, g.do(and, y, g.bits(1<<31)))
}

func (g *graph) poly(x *expr, cs ...float64) *expr {
	p := g.c(cs[0])
	for _, c := range cs[1:] {
		p = g.fma(p, x, g.c(c))
	}
	return p
}

func (g *graph) relu(x *expr) *expr { return g.do(fmax, x, g.bits(0)) }

const rounder = 3 << 22

func (g *graph) exp(x *expr) *expr {
	x = g.do(fmin, g.do(fmax, x, g.c(-104)), g.c(89))
	n := g.sub2(g.fma(x, g.c(math.Log2E), g.c(rounder)), g.c(rounder))
	r := g.fnma(n, g.c(0.693359375), x)
	r = g.fnma(n, g.c(-2.12194440e-4), r)
	p := g.poly(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
	p = g.fma(p, g.mul2(r, r), r)
	return g.scale(g.add2(p, g.c(1)), n)
}

// scale is a·2ⁿ in two steps, since 2ⁿ may not be a normal number.
func (g *graph) scale(a, n *expr) *expr {
	i := g.do(fcvtns, n)
	half := g.do(sshr(1), i)
	rest := g.do(sub, i, half)
	power := func(e *expr) *expr { return g.do(shl(23), g.do(add, e, g.bits(127))) }
	return g.mul2(g.mul2(a, power(half)), power(rest))
}

func (g *graph) tanh(x *expr) *expr {
	abs := g.do(fabs, x)
	e := g.exp(g.add2(abs, abs))
	big := g.sub2(g.c(1), g.div2(g.c(2), g.add2(e, g.c(1))))
	big = g.withSign(big, x)
	s := g.mul2(x, x)
	p := g.poly(s, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
	small := g.fma(g.mul2(p, s), x, x)
	return g.pick(g.less(abs, g.c(0.625)), small, big)
}

func (g *graph) sigmoid(x *expr) *expr {
	e := g.exp(g.do(orr, x, g.bits(1<<31)))
	top := g.pick(g.less(x, g.bits(0)), e, g.c(1))
	return g.div2(top, g.add2(e, g.c(1)))
}

func (g *graph) silu(x *expr) *expr { return g.gated(x, gates.Silu) }

func (g *graph) hardSwish(x *expr) *expr {
	gate := g.fma(x, g.c(1./6), g.c(0.5))
	return g.mul2(x, g.do(fmax, g.do(fmin, gate, g.c(1)), g.bits(0)))
}

func (g *graph) gelu(x *expr) *expr     { return g.gated(x, gates.Gelu) }
func (g *graph) geluTanh(x *expr) *expr { return g.gated(x, gates.GeluTanh) }

func (g *graph) gated(x *expr, gate gates.Gate) *expr {
	abs := g.do(fabs, x)
	s := g.do(fmin, g.mul2(abs, g.c(float64(gate.Scale))), g.c(15))
	n := g.add2(s, g.c(rounder))
	t := g.sub2(s, g.sub2(n, g.c(rounder)))
	first := g.do(mul, g.do(shl(2), g.do(and, n, g.bits(15))), g.bits(0x01010101)) // byte of the entry, four times
	at := g.do(add, first, g.bits(0x03020100))
	p := g.lookup(at, gate.Coeffs[0])
	for _, c := range gate.Coeffs[1:] {
		p = g.fma(p, t, g.lookup(at, c))
	}
	return g.fma(abs, p, g.mul2(x, g.c(0.5)))
}

func (g *graph) erf(x *expr) *expr {
	abs, s := g.do(fabs, x), g.mul2(x, x)
	r := g.poly(abs, -1.72853470e-5, 3.83197126e-4)
	u := g.poly(abs, -3.88396438e-3, 2.42546219e-2)
	r = g.fma(r, s, u)
	for _, c := range []float64{-1.06777877e-1, -6.34846687e-1, -1.28717512e-1} {
		r = g.fma(r, abs, g.c(c))
	}
	r = g.sub2(g.mul2(r, abs), abs)
	big := g.withSign(g.sub2(g.c(1), g.exp(r)), x)
	p := g.poly(s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
	small := g.fma(p, x, x)
	return g.pick(g.less(abs, g.c(0.927734375)), small, big)
}

func (g *graph) log(x *expr) *expr {
	const sqrtHalf = 0x3f3504f3
	tiny := g.pick(g.less(x, g.bits(0x00800000)), g.c(1<<23), g.c(1))
	y := g.mul2(x, tiny)
	i := g.do(sub, y, g.bits(sqrtHalf))
	e := g.do(scvtf, g.do(sshr(23), i))
	e = g.add2(e, g.pick(g.less(x, g.bits(0x00800000)), g.c(-23), g.bits(0)))
	m := g.sub2(g.do(add, g.do(and, i, g.bits(0x007fffff)), g.bits(sqrtHalf)), g.c(1))
	z := g.mul2(m, m)
	p := g.poly(m, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
		-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	p = g.mul2(g.mul2(p, m), z)
	p = g.fma(e, g.c(-2.12194440e-4), p)
	p = g.fnma(z, g.c(0.5), p)
	y = g.fma(e, g.c(0.693359375), g.add2(m, p))
	y = g.pick(g.do(fcmeq, x, g.bits(0x7f800000)), x, y) // +Inf
	y = g.pick(g.do(fcmeq, x, g.bits(0)), g.bits(0xff800000), y)
	return g.pick(g.do(fcmge, x, g.bits(0)), y, g.bits(0x7fc00000)) // negative or NaN
}
