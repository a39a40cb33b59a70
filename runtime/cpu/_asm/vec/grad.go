package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// grads emits the parts of the kernels of gradients and of logarithms of sums of exponentials.
func grads(v isa) {
	f := formulas{isa: v}
	mapped(v, "ReluGrad", "dst dy y", "", func() mapping {
		return func(x, _ []Register) Register { return v.pick(lessOrEqual, x[1], f.zero(), f.zero(), x[0]) }
	})
	mapped(v, "GeluGrad", "dst dy x", "", func() mapping {
		f := f.keepExp(6)
		return func(x, _ []Register) Register { return v.mul(x[0], f.geluSlope(x[1])) }
	})
	mapped(v, "GeluTanhGrad", "dst dy x", "", func() mapping {
		f := f.keepExp(6)
		return func(x, _ []Register) Register { return v.mul(x[0], f.geluTanhSlope(x[1])) }
	})
	mapped(v, "ExpSubS", "dst a", "s", func() mapping {
		f := f.keepExp(6)
		return func(x, s []Register) Register { return f.exp(v.sub(x[0], s[0])) }
	})
	mapped(v, "SubSMul", "dst a b", "s", func() mapping {
		return func(x, s []Register) Register { return v.mul(v.sub(x[0], s[0]), x[1]) }
	})
	mapped(v, "MulAdd", "+dst a b", "", func() mapping {
		return func(x, _ []Register) Register { return v.add(x[0], v.mul(x[1], x[2])) }
	})
	mapped(v, "NormGrad", "dst h u", "a b c", func() mapping {
		return func(x, s []Register) Register { return v.mul(v.sub(v.sub(x[0], s[0]), v.mul(x[1], s[1])), s[2]) }
	})
}

// mapping emits a function of vectors x and scalars s.
type mapping func(x, s []Register) Register

// mapped emits dst[i] = f(elements of the other vectors, scalars), where ready prepares f before the loop. A dst with a plus is
// also read.
func mapped(v isa, name, vectors, scalars string, ready func() mapping) {
	reads := strings.HasPrefix(vectors, "+")
	names, numbers := strings.Fields(strings.TrimPrefix(vectors, "+")), strings.Fields(scalars)
	params := strings.Join(names, ", ") + " []float32"
	if len(numbers) > 0 {
		params += ", " + strings.Join(numbers, ", ") + " float32"
	}
	kernels.Variant("vec"+name, v.name(), "func("+params+")")
	base := make([]Register, len(names))
	for i, n := range names {
		base[i] = Load(Param(n).Base(), GP64())
	}
	s := make([]Register, len(numbers))
	for i, n := range numbers {
		s[i] = scalar(v, n)
	}
	f := ready()
	each(v, Load(Param("dst").Len(), GP64()), func(m mask, at func(Register) Mem) {
		var x []Register
		for i, b := range base {
			if i > 0 || reads {
				x = append(x, m.load(at(b)))
			}
		}
		m.store(f(x, s), at(base[0]))
	})
}

// geluSlope is Φ(x) + x·φ(x), with one exp for both: 1-Φ(|x|) is exp(-x²/2) times a polynomial of 1/(1+p·|x|/√2) (Abramowitz and Stegun, 7.1.26).
func (f formulas) geluSlope(x Register) Register {
	bell := f.exp(f.mul(f.mul(x, x), f.c(-0.5)))
	t := f.div(f.c(1), f.fma(f.abs(x), f.c(0.3275911*math.Sqrt2/2), f.c(1)))
	p := f.poly(t, 1.061405429/2, -1.453152027/2, 1.421413741/2, -0.284496736/2, 0.254829592/2)
	below := f.mul(f.mul(p, t), bell)
	below = f.pick(less, x, f.zero(), below, f.sub(f.c(1), below))
	return f.add(below, f.mul(f.mul(x, bell), f.c(1/math.Sqrt(2*math.Pi))))
}

// geluTanhSlope is s·(1 + x·(1-s)·u'), where s = sigmoid(u(x)) and u is twice the argument of tanh.
func (f formulas) geluTanhSlope(x Register) Register {
	const c = 2 * 0.7978845608028653559 // 2·√(2/π)
	z := f.mul(x, x)
	s := f.sigmoid(f.mul(f.fma(z, f.c(c*0.044715), f.c(c)), x))
	slope := f.fma(z, f.c(3*c*0.044715), f.c(c))
	return f.fma(f.mul(f.mul(x, f.sub(f.c(1), s)), slope), s, s)
}
