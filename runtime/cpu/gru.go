package cpu

// GRU is a layer of gated recurrent units. A step of one direction computes,
// from the input x and the state h of the step before,
//
//	z = F(x·Wzᵀ + h·Rzᵀ + Wbz + Rbz)
//	r = F(x·Wrᵀ + h·Rrᵀ + Wbr + Rbr)
//	n = G(x·Whᵀ + (r∘h)·Rhᵀ + Wbh + Rbh)
//	h = (1-z)∘n + z∘h
//
// or, with LinearBeforeReset, n = G(x·Whᵀ + r∘(h·Rhᵀ + Rbh) + Wbh). The order of the gates in w, r and b is
// z, r, h. y and yh may be nil.
func GRU[T Float](y, yh []T, in RecurrentIn[T], w, r []T, buf RecurrentBuffers[T], o Recurrent) {
	o.check("GRU", in.Lens)
	n := o.Hidden
	if in.Lens != nil {
		clear(y)
	}
	for d := range o.Directions {
		var wb, rb []T
		if in.B != nil {
			wb, rb = row(in.B, 2*d, 3*n), row(in.B, 2*d+1, 3*n)
		}
		u := gru[T]{Recurrent: o, lens: in.Lens, y: y, h: buf.H, gx: buf.GX, gh: buf.GH, d: d}
		if rb != nil && o.LinearBeforeReset {
			u.rbh, rb = rb[2*n:], rb[:2*n]
		}
		inputGates(&o, buf.GX, in.X, row(w, d, o.gateSize(3*n, o.Input)), wb, rb, buf.GH, 3*n)
		startState(&o, buf.H, in.H0, d)
		if o.LinearBeforeReset {
			u.linear(row(r, d, o.gateSize(3*n, n)))
		} else {
			u.reset(row(r, d, o.gateSize(2*n, n)+o.gateSize(n, n)))
		}
		finishState(&o, yh, buf.H, d)
	}
}

// gru is one direction of a [GRU].
type gru[T Float] struct {
	Recurrent
	lens         []int32
	y, h, gx, gh []T
	rbh          []T // the bias of the product that the reset gate multiplies
	d            int
}

// linear runs the steps with the reset gate after the product.
func (u *gru[T]) linear(r []T) {
	n := u.Hidden
	fnF, _, _ := u.gates(u.d)
	var m weights[T]
	m.load(r, 3*n, n, u.Packed)
	for s := range u.Seq {
		t := u.time(u.d, s)
		m.mul(u.gh, u.h, u.Batch)
		for k := range u.Batch {
			if !hasStep(u.lens, t, k) {
				continue
			}
			gx, gh := row(u.gx, u.row(t, k), 3*n), row(u.gh, k, 3*n)
			zr := gx[:2*n]
			Add(zr, zr, gh[:2*n])
			applyGate(fnF, zr, zr, u.Clip)
			if u.rbh != nil {
				Add(gh[2*n:], gh[2*n:], u.rbh)
			}
			Mul(gh[2*n:], gh[2*n:], gx[n:2*n])
			Add(gx[2*n:], gx[2*n:], gh[2*n:])
			u.update(gx, t, k)
		}
	}
	m.release()
}

// reset runs the steps with the reset gate before the product.
func (u *gru[T]) reset(r []T) {
	n := u.Hidden
	fnF, _, _ := u.gates(u.d)
	zr, rh := u.gh[:2*n*u.Batch], u.gh[2*n*u.Batch:]
	var m, mh weights[T]
	size := u.gateSize(2*n, n)
	m.load(r[:size], 2*n, n, u.Packed)
	mh.load(r[size:], n, n, u.Packed)
	for s := range u.Seq {
		t := u.time(u.d, s)
		m.mul(zr, u.h, u.Batch)
		for k := range u.Batch {
			gx := row(u.gx, u.row(t, k), 3*n)[:2*n]
			Add(gx, gx, row(zr, k, 2*n))
			applyGate(fnF, gx, gx, u.Clip)
			Mul(row(rh, k, n), gx[n:], row(u.h, k, n))
		}
		mh.mul(zr[:n*u.Batch], rh, u.Batch)
		for k := range u.Batch {
			if !hasStep(u.lens, t, k) {
				continue
			}
			gx := row(u.gx, u.row(t, k), 3*n)
			Add(gx[2*n:], gx[2*n:], row(zr, k, n))
			u.update(gx, t, k)
		}
	}
	mh.release()
	m.release()
}

// update completes a step of sample k: g holds z, r and the argument of G.
func (u *gru[T]) update(g []T, t, k int) {
	n := u.Hidden
	_, fnG, _ := u.gates(u.d)
	z, v, h := g[:n], g[2*n:], row(u.h, k, n)
	applyGate(fnG, v, v, u.Clip)
	Mul(h, h, z) // (1-z)∘n + z∘h is n - z∘n + z∘h
	Mul(z, z, v)
	Sub(v, v, z)
	Add(h, h, v)
	emitState(&u.Recurrent, u.y, h, t, u.d, k)
}
