package cpu

// RNN is the simple recurrent layer, h = F(x·Wᵀ + h·Rᵀ + Wb + Rb) at each step.
// y, yh, b, lens and h0 may be nil. Scratch is gx of Seq×Batch×Hidden, gh and h of
// Batch×Hidden elements.
func RNN[T Float](y, yh, x, w, r, b []T, lens []int32, h0, gx, gh, h []T, o Recurrent) {
	o.check("RNN", lens)
	n := o.Hidden
	if lens != nil {
		clear(y)
	}
	for d := range o.Directions {
		var wb, rb []T
		if b != nil {
			wb, rb = row(b, 2*d, n), row(b, 2*d+1, n)
		}
		inputGates(&o, gx, x, row(w, d, o.gateSize(n, o.Input)), wb, rb, gh, n)
		startState(&o, h, h0, d)
		fn, _, _ := o.gates(d)
		var m weights[T]
		m.load(row(r, d, o.gateSize(n, n)), n, n, o.Packed)
		for s := range o.Seq {
			t := o.time(d, s)
			g := m.mulAdd(&o, gx, gh, h, t)
			for k := range o.Batch {
				if !hasStep(lens, t, k) {
					continue
				}
				hk := row(h, k, n)
				applyGate(fn, hk, row(g, k, n), o.Clip)
				emitState(&o, y, hk, t, d, k)
			}
		}
		m.release()
		finishState(&o, yh, h, d)
	}
}
