package cpu

// Recurrent is what LSTM, GRU and RNN have in common.
type Recurrent struct {
	Seq, Batch, Input, Hidden int

	Directions int  // 2: the second one runs from the end
	Reverse    bool // the first one runs from the end
	BatchFirst bool // the batch stands before time, and before the directions

	Clip              float64 // bound of what a gate's function gets, 0 for none
	InputForget       bool    // LSTM: what is not let in is forgotten
	LinearBeforeReset bool    // GRU: the reset gate applies to the product
	Packed            bool    // w and r are what [PackGates] made of them

	F, G, H    Gate // the functions of the first direction
	F2, G2, H2 Gate // and of the second
}

// gates are the functions of direction d.
func (o *Recurrent) gates(d int) (f, g, h Gate) {
	if d == 0 {
		return o.F, o.G, o.H
	}
	return o.F2, o.G2, o.H2
}

// time is the position of the given step of direction d.
func (o *Recurrent) time(d, step int) int {
	if d == 1 || o.Reverse {
		return o.Seq - 1 - step
	}
	return step
}

// row is the position of sample k at time t among the rows of x.
func (o *Recurrent) row(t, k int) int {
	if o.BatchFirst {
		return k*o.Seq + t
	}
	return t*o.Batch + k
}

// yRow is the position of direction d of sample k at time t among the rows of y.
func (o *Recurrent) yRow(t, d, k int) int {
	if o.BatchFirst {
		return o.row(t, k)*o.Directions + d
	}
	return (t*o.Directions+d)*o.Batch + k
}

// stateRow is the position of direction d of sample k among the rows of a state.
func (o *Recurrent) stateRow(d, k int) int {
	if o.BatchFirst {
		return k*o.Directions + d
	}
	return d*o.Batch + k
}

// active reports whether sample k has a step t.
func active(lens []int32, t, k int) bool { return lens == nil || t < int(lens[k]) }

// check looks at the lengths that the samples are said to have.
func (o *Recurrent) check(kernel string, lens []int32) {
	for k, n := range lens {
		if n < 0 || int(n) > o.Seq {
			fail(kernel, "sequence %d has length %d, want 0 to %d", k, n, o.Seq)
		}
	}
}

// row is row i of a matrix of n columns.
func row[T any](x []T, i, n int) []T { return x[i*n : (i+1)*n] }

// part is part d of x, nil if x is.
func part[T any](x []T, d, n int) []T {
	if x == nil {
		return nil
	}
	return row(x, d, n)
}

// startState sets a state of one direction to what the layer was given, or to zero.
func startState[T Float](o *Recurrent, state, given []T, d int) {
	if given == nil {
		clear(state)
		return
	}
	for k := range o.Batch {
		copy(row(state, k, o.Hidden), row(given, o.stateRow(d, k), o.Hidden))
	}
}

// finishState writes a state of one direction to dst, if it is wanted.
func finishState[T Float](o *Recurrent, dst, state []T, d int) {
	if dst == nil {
		return
	}
	for k := range o.Batch {
		copy(row(dst, o.stateRow(d, k), o.Hidden), row(state, k, o.Hidden))
	}
}

// emitState writes the new state of a sample to y, if it is wanted.
func emitState[T Float](o *Recurrent, y, state []T, t, d, k int) {
	if y != nil {
		copy(row(y, o.yRow(t, d, k), o.Hidden), state)
	}
}

// gateSize is how many numbers a direction of weights has for n results of k.
func (o *Recurrent) gateSize(n, k int) int {
	if o.Packed {
		return PackB32Size(k, n)
	}
	return n * k
}

// inputGates is what all the steps of a direction get from x, n numbers each:
// dst = x·wᵀ + wb + rb, where the biases may be nil. tmp has n elements or more.
func inputGates[T Float](o *Recurrent, dst, x, w, wb, rb, tmp []T, n int) {
	if len(dst) == 0 {
		return
	}
	bias := tmp[:n]
	clear(bias)
	if wb != nil {
		copy(bias, wb[:n])
	}
	if rb != nil {
		Add(bias[:len(rb)], bias[:len(rb)], rb)
	}
	rows := len(dst) / n
	d, ok := any(dst).([]float32)
	if ok && o.Packed {
		MatMulPacked32(d, any(x).([]float32), any(w).([]float32), any(bias).([]float32), rows, o.Input, n, ActNone)
		return
	}
	for i := range rows {
		copy(row(dst, i, n), bias)
	}
	if ok {
		Gemm32(d, any(x).([]float32), any(w).([]float32), rows, o.Input, n, false, true, 1, 1)
		return
	}
	mulAddT(dst, x, w, rows, o.Input, n)
}

// mulAddT is dst += a·bᵀ for a of m×k and b of n×k elements.
func mulAddT[T Float](dst, a, b []T, m, k, n int) {
	for i := range m {
		d, u := row(dst, i, n), row(a, i, k)
		for j := range d {
			var s T
			for l, v := range row(b, j, k) {
				s += T(u[l] * v)
			}
			d[j] += s
		}
	}
}

// weights is an n×k matrix that many products read.
type weights[T Float] struct {
	w      []T
	packed []float32
	own    bool // packed is scratch
	bytes  byteGates
	n, k   int
}

// load gets w ready, which is packed if it is float32.
func (m *weights[T]) load(w []T, n, k int, packed bool) {
	*m = weights[T]{w: w, n: n, k: k}
	f, ok := any(w).([]float32)
	switch {
	case packed && !ok:
		fail("Recurrent", "packed weights are not float32")
	case packed:
		m.packed = f
	case ok:
		m.packed, m.own = scratch.get(PackB32Size(k, n)), true
		PackB32T(m.packed, f, k, n)
	}
}

// mul is dst = a·wᵀ for a of some rows.
func (m *weights[T]) mul(dst, a []T, rows int) {
	if m.bytes.packed != nil {
		m.bytes.mul(any(dst).([]float32), any(a).([]float32), rows, m.k, m.n)
		return
	}
	if d, ok := any(dst).([]float32); ok {
		MatMulPacked32(d, any(a).([]float32), m.packed, nil, rows, m.k, m.n, ActNone)
		return
	}
	clear(dst)
	mulAddT(dst, a, m.w, rows, m.k, m.n)
}

// mulAdd adds a·wᵀ to what the samples get at time t, and returns the result: one
// row after the other in gx if they stand there side by side, else in gh.
func (m *weights[T]) mulAdd(o *Recurrent, gx, gh, a []T, t int) []T {
	if o.BatchFirst && o.Batch > 1 || m.bytes.packed != nil {
		m.mul(gh, a, o.Batch)
		for k := range o.Batch {
			g := row(gh, k, m.n)
			Add(g, g, row(gx, o.row(t, k), m.n))
		}
		return gh
	}
	g := gx[o.row(t, 0)*m.n:][:o.Batch*m.n]
	if d, ok := any(g).([]float32); ok {
		addMatMulPacked32(d, any(a).([]float32), m.packed, o.Batch, m.k, m.n)
		return g
	}
	mulAddT(g, a, m.w, o.Batch, m.k, m.n)
	return g
}

// addMatMulPacked32 is dst += a·b, where packedB is what [PackB32] made of b.
func addMatMulPacked32(dst, a, packedB []float32, m, k, n int) {
	if len(dst) == 0 || k == 0 {
		return
	}
	g := gemms.get()
	*g = gemm{dst: dst, a: a, b: packedB, batch: 1, m: m, k: k, n: n, lda: k, ldc: n, acc: true}
	g.do()
	gemms.put(g)
}

// drop gives the packed form back.
func (m *weights[T]) drop() {
	if m.own {
		scratch.put(m.packed)
	}
}
