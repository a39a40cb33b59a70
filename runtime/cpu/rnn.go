package cpu

// RNN is the simple recurrent layer, h = F(x·Wᵀ + h·Rᵀ + Wb + Rb) at each step.
// y and yh may be nil.
func RNN[T Float](y, yh []T, in RecurrentIn[T], w, r []T, buf RecurrentBuffers[T], o Recurrent) {
	o.check("RNN", in.Lens)
	n := o.Hidden
	if in.Lens != nil {
		clear(y)
	}
	for d := range o.Directions {
		var wb, rb []T
		if in.B != nil {
			wb, rb = row(in.B, 2*d, n), row(in.B, 2*d+1, n)
		}
		inputGates(&o, buf.GX, in.X, row(w, d, o.gateSize(n, o.Input)), wb, rb, buf.GH, n)
		startState(&o, buf.H, in.H0, d)
		fn, _, _ := o.gates(d)
		var m weights[T]
		m.load(row(r, d, o.gateSize(n, n)), n, n, o.Packed)
		for s := range o.Seq {
			t := o.time(d, s)
			g := m.mulAdd(&o, buf.GX, buf.GH, buf.H, t)
			for k := range o.Batch {
				if !hasStep(in.Lens, t, k) {
					continue
				}
				hk := row(buf.H, k, n)
				applyGate(fn, hk, row(g, k, n), o.Clip)
				emitState(&o, y, hk, t, d, k)
			}
		}
		m.release()
		finishState(&o, yh, buf.H, d)
	}
}
