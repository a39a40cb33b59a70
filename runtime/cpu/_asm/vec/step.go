package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var numbersType = kernels.StructOf("stepNumbers[float32]")

// numbers are the fields of stepNumbers. They are read where they are used, as there are not
// enough registers.
type numbers struct {
	isa
	base Register
}

func (k numbers) at(field string) Register {
	x := k.vec()
	VBROADCASTSS(Mem{Base: k.base, Disp: numbersType.Offset(field)}, x)
	return x
}

func (k numbers) factor() Register { return k.at("scale") }
func (k numbers) decay() Register  { return k.at("decay") }
func (k numbers) rate() Register   { return k.at("rate") }
func (k numbers) keep() Register   { return k.at("keep") }
func (k numbers) keep1() Register  { return k.at("keep1") }
func (k numbers) take1() Register  { return k.at("take1") }
func (k numbers) keep2() Register  { return k.at("keep2") }
func (k numbers) take2() Register  { return k.at("take2") }
func (k numbers) eps() Register    { return k.at("eps") }

// step emits an optimizer's update of its vectors, of which the last is the gradient. f returns the new
// values of the others. Nothing is fused.
func step(v isa, name, vectors string, f func(k numbers, x []Register) []Register) {
	names := strings.Fields(vectors)
	kernels.AtLevel("step"+name, v.name(), "func("+strings.Join(names, ", ")+" []float32, k *stepNumbers[float32])")
	base := make([]Register, len(names))
	for i, n := range names {
		base[i] = Load(Param(n).Base(), GP64())
	}
	k := numbers{v, Load(Param("k"), GP64())}
	each(v, Load(Param("w").Len(), GP64()), func(m mask, at func(Register) Mem) {
		x := make([]Register, len(base))
		for i := range x {
			x[i] = m.load(at(base[i]))
		}
		for i, y := range f(k, x) {
			m.store(y, at(base[i]))
		}
	})
}

func steps(v isa) {
	f := formulas{isa: v}
	step(v, "Adam", "w m v g", func(k numbers, x []Register) []Register {
		w, m, h := adam(k, x)
		return []Register{scaled(k, w, m, h), m, h}
	})
	step(v, "AdamTop", "w m v top g", func(k numbers, x []Register) []Register {
		w, m, h := adam(k, []Register{x[0], x[1], x[2], x[4]})
		top := f.max(h, x[3])
		return []Register{scaled(k, w, m, top), m, h, top}
	})
	step(v, "SGD", "w g", func(k numbers, x []Register) []Register {
		return []Register{v.sub(x[0], v.mul(k.rate(), decayed(k, x[0], x[1])))}
	})
	step(v, "Momentum", "w v g", func(k numbers, x []Register) []Register {
		_, u := velocity(k, x)
		return []Register{v.sub(x[0], v.mul(k.rate(), u)), u}
	})
	step(v, "Nesterov", "w v g", func(k numbers, x []Register) []Register {
		d, u := velocity(k, x)
		d = v.add(d, v.mul(k.keep1(), u))
		return []Register{v.sub(x[0], v.mul(k.rate(), d)), u}
	})
	step(v, "Adagrad", "w h g", func(k numbers, x []Register) []Register {
		d := decayed(k, x[0], x[2])
		h := v.add(x[1], v.mul(d, d))
		return []Register{scaled(k, x[0], d, h), h}
	})
	step(v, "RMSprop", "w h g", func(k numbers, x []Register) []Register {
		d := decayed(k, x[0], x[2])
		h := v.add(v.mul(k.keep2(), x[1]), v.mul(v.mul(k.take2(), d), d))
		return []Register{scaled(k, x[0], d, h), h}
	})
	step(v, "Lion", "w m g", func(k numbers, x []Register) []Register {
		w, d := v.mul(x[0], k.keep()), v.mul(k.factor(), x[2])
		u := v.add(v.mul(k.keep1(), x[1]), v.mul(k.take1(), d))
		w = v.sub(w, v.pick(less, f.zero(), u, k.rate(), f.zero()))
		w = v.add(w, v.pick(less, u, f.zero(), k.rate(), f.zero()))
		return []Register{w, v.add(v.mul(k.keep2(), x[1]), v.mul(k.take2(), d))}
	})
}

// decayed is scale·g + decay·w.
func decayed(k numbers, w, g Register) Register {
	return k.add(k.mul(k.factor(), g), k.mul(k.decay(), w))
}

// velocity returns the gradient and the new velocity, from w, v and g.
func velocity(k numbers, x []Register) (d, u Register) {
	d = decayed(k, x[0], x[2])
	return d, k.add(k.mul(k.keep1(), x[1]), k.mul(k.take1(), d))
}

// scaled is w - rate·d/(√h+eps), where d may be a first moment of the gradient, and h is a second one.
func scaled(k numbers, w, d, h Register) Register {
	return k.sub(w, k.div(k.mul(k.rate(), d), k.add(k.sqrt(h), k.eps())))
}

// adam returns the parameter after its decay, and the new moments, from w, m, v and g.
func adam(k numbers, x []Register) (w, m, v Register) {
	w = k.mul(x[0], k.keep())
	d := decayed(k, w, x[3])
	m = k.add(x[1], k.mul(k.take1(), k.sub(d, x[1])))
	v = k.add(k.mul(k.keep2(), x[2]), k.mul(k.mul(k.take2(), d), d))
	return w, m, v
}
