package cpu

// LSTM is long short-term memory. A step of one direction computes, from the
// input x and the state h and c of the step before,
//
//	i = F(x·Wiᵀ + h·Riᵀ + Pi∘c + Wbi + Rbi)
//	f = F(x·Wfᵀ + h·Rfᵀ + Pf∘c + Wbf + Rbf)
//	c = f∘c + i∘G(x·Wcᵀ + h·Rcᵀ + Wbc + Rbc)
//	o = F(x·Woᵀ + h·Roᵀ + Po∘c + Wbo + Rbo)
//	h = o∘H(c)
//
// The order of the gates in w, r and b is i, o, f, c, that of the peepholes in p is i, o, f. Clip bounds the
// arguments of F and G. y, yh and yc may be nil.
func LSTM[T Float](y, yh, yc []T, in RecurrentIn[T], w, r []T, buf RecurrentBuffers[T], o Recurrent) {
	l := lstm[T]{y, yh, yc, in, buf}
	l.begin(&o)
	n := o.Hidden
	for d := range o.Directions {
		wb, rb := gateBiases(in.B, d, 4*n)
		inputGates(&o, buf.GX, in.X, row(w, d, o.gateSize(4*n, o.Input)), wb, rb, buf.GH, 4*n)
		var m weights[T]
		m.load(row(r, d, o.gateSize(4*n, n)), 4*n, n, o.Packed)
		l.direction(&o, &m, d)
		m.release()
	}
}

// lstm is the operands of an LSTM besides its weights.
type lstm[T Float] struct {
	y, yh, yc []T
	in        RecurrentIn[T]
	buf       RecurrentBuffers[T]
}

func (l *lstm[T]) begin(o *Recurrent) {
	o.check("LSTM", l.in.Lens)
	if l.in.Lens != nil {
		clear(l.y)
	}
}

// gateBiases returns the biases of n gates for the input and for the state, which may be nil.
func gateBiases[T Float](b []T, d, n int) (wb, rb []T) {
	if b == nil {
		return nil, nil
	}
	return row(b, 2*d, n), row(b, 2*d+1, n)
}

// direction computes the steps of a direction with the weights m for the state. gx holds the products of the
// input.
func (l *lstm[T]) direction(o *Recurrent, m *weights[T], d int) {
	n := o.Hidden
	startState(o, l.buf.H, l.in.H0, d)
	startState(o, l.buf.C, l.in.C0, d)
	peep := part(l.in.P, d, 3*n)
	for s := range o.Seq {
		t := o.time(d, s)
		gates := m.mulAdd(o, l.buf.GX, l.buf.GH, l.buf.H, t)
		for k := range o.Batch {
			if !hasStep(l.in.Lens, t, k) {
				continue
			}
			hk := row(l.buf.H, k, n)
			lstmStep(o, hk, row(l.buf.C, k, n), row(gates, k, 4*n), peep, d)
			emitState(o, l.y, hk, t, d, k)
		}
	}
	finishState(o, l.yh, l.buf.H, d)
	finishState(o, l.yc, l.buf.C, d)
}

// lstmStep is one step of one sample: g holds the arguments of its gates.
func lstmStep[T Float](o *Recurrent, h, c, g, peep []T, d int) {
	n := len(h)
	ig, og, fg, cg := g[:n], g[n:2*n], g[2*n:3*n], g[3*n:4*n]
	fnF, fnG, fnH := o.gates(d)
	if peep == nil && !o.InputForget {
		applyGate(fnF, g[:3*n], g[:3*n], o.Clip)
		applyGate(fnG, cg, cg, o.Clip)
		keepAndAdd(c, fg, ig, cg)
		applyGate(fnH, h, c, 0)
		Mul(h, h, og)
		return
	}
	if peep != nil {
		addProduct(ig, peep[:n], c)
		addProduct(fg, peep[2*n:], c)
	}
	applyGate(fnF, ig, ig, o.Clip)
	if o.InputForget {
		for j, v := range ig {
			fg[j] = 1 - v
		}
	} else {
		applyGate(fnF, fg, fg, o.Clip)
	}
	applyGate(fnG, cg, cg, o.Clip)
	keepAndAdd(c, fg, ig, cg)
	if peep != nil {
		addProduct(og, peep[n:2*n], c)
	}
	applyGate(fnF, og, og, o.Clip)
	applyGate(fnH, h, c, 0)
	Mul(h, h, og)
}

// keepAndAdd is c[j] = f[j]*c[j] + i[j]*g[j]; i is overwritten.
func keepAndAdd[T Float](c, f, i, g []T) {
	Mul(c, c, f)
	Mul(i, i, g)
	Add(c, c, i)
}

// addProduct is dst[i] += a[i]*b[i].
func addProduct[T Float](dst, a, b []T) {
	for i := range dst {
		dst[i] += T(a[i] * b[i])
	}
}
