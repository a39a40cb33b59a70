package cpu

// Recurrent is the common parameters of LSTM, GRU and RNN.
type Recurrent struct {
	Seq, Batch, Input, Hidden int

	Directions int  // 2: the second one runs from the end
	Reverse    bool // the first one runs from the end
	BatchFirst bool // the batch is the axis before time, and before the directions

	Clip              float64 // bound of the arguments of gates; 0 for none
	InputForget       bool    // LSTM: the forget gate is 1 minus the input gate
	LinearBeforeReset bool    // GRU: the reset gate applies to the product
	Packed            bool    // w and r are packed by [PackGates]

	F, G, H    Gate // the functions of the first direction
	F2, G2, H2 Gate // and of the second
}

// RecurrentIn is the inputs of LSTM, GRU and RNN besides their weights. All but X may be nil. N is the number of
// gates times Hidden. With BatchFirst, the batch is the first axis of X, H0 and C0.
type RecurrentIn[T Float] struct {
	X      []T     // [Seq, Batch, Input]
	B      []T     // [Directions, 2·N]: the biases of the products of the input, and of those of the state
	Lens   []int32 // [Batch]: the steps of each sample
	H0, C0 []T     // [Directions, Batch, Hidden]: the state at the beginning; C0 of LSTM
	P      []T     // [Directions, 3·Hidden]: the peepholes of LSTM
}

// RecurrentBuffers is scratch memory of LSTM, GRU and RNN. N is the number of gates times Hidden.
type RecurrentBuffers[T Float] struct {
	GX   []T // Seq×Batch×N elements
	GH   []T // Batch×N
	H, C []T // Batch×Hidden; C of LSTM
}

// gates returns the functions of direction d.
func (o *Recurrent) gates(d int) (f, g, h Gate) {
	if d == 0 {
		return o.F, o.G, o.H
	}
	return o.F2, o.G2, o.H2
}

// time returns the position of the given step of direction d.
func (o *Recurrent) time(d, step int) int {
	if d == 1 || o.Reverse {
		return o.Seq - 1 - step
	}
	return step
}

// row returns the index of the row of x for sample k at time t.
func (o *Recurrent) row(t, k int) int {
	if o.BatchFirst {
		return k*o.Seq + t
	}
	return t*o.Batch + k
}

// yRow returns the index of the row of y for direction d of sample k at time t.
func (o *Recurrent) yRow(t, d, k int) int {
	if o.BatchFirst {
		return o.row(t, k)*o.Directions + d
	}
	return (t*o.Directions+d)*o.Batch + k
}

// stateRow returns the index of the row of a state for direction d of sample k.
func (o *Recurrent) stateRow(d, k int) int {
	if o.BatchFirst {
		return k*o.Directions + d
	}
	return d*o.Batch + k
}

// hasStep reports whether sample k has a step t.
func hasStep(lens []int32, t, k int) bool { return lens == nil || t < int(lens[k]) }

// check checks the lengths of the samples.
func (o *Recurrent) check(kernel string, lens []int32) {
	for k, n := range lens {
		if n < 0 || int(n) > o.Seq {
			fail(kernel, "sequence %d has length %d, want 0 to %d", k, n, o.Seq)
		}
	}
}

// row returns row i of a matrix of n columns.
func row[T any](x []T, i, n int) []T { return x[i*n : (i+1)*n] }

// part returns part d of x, or nil if x is nil.
func part[T any](x []T, d, n int) []T {
	if x == nil {
		return nil
	}
	return row(x, d, n)
}

// startState sets the state of one direction to the given one, or to zero.
func startState[T Float](o *Recurrent, state, given []T, d int) {
	if given == nil {
		clear(state)
		return
	}
	for k := range o.Batch {
		copy(row(state, k, o.Hidden), row(given, o.stateRow(d, k), o.Hidden))
	}
}

// finishState writes the state of one direction to dst, unless dst is nil.
func finishState[T Float](o *Recurrent, dst, state []T, d int) {
	if dst == nil {
		return
	}
	for k := range o.Batch {
		copy(row(dst, o.stateRow(d, k), o.Hidden), row(state, k, o.Hidden))
	}
}

// emitState writes the new state of a sample to y, unless y is nil.
func emitState[T Float](o *Recurrent, y, state []T, t, d, k int) {
	if y != nil {
		copy(row(y, o.yRow(t, d, k), o.Hidden), state)
	}
}

// gateSize returns the number of elements in a direction's weights, for n results of k.
func (o *Recurrent) gateSize(n, k int) int {
	if o.Packed {
		return PackB32Size(k, n)
	}
	return n * k
}

// inputGates computes the products of x for all steps of a direction, n elements each: dst = x·wᵀ + wb + rb,
// where the biases may be nil. tmp has n elements or more.
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
		product32(d, any(x).([]float32), any(w).([]float32), GemmShape{M: rows, K: o.Input, N: n, TransB: true, Alpha: 1, Beta: 1})
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

// weights is an n×k matrix that is used in many products.
type weights[T Float] struct {
	w      []T
	packed []float32
	own    bool // packed is scratch
	bytes  byteGates
	n, k   int
}

// load prepares w, which is packed if it is float32.
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

// mul is dst = a·wᵀ for an a of some rows.
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

// mulAdd adds a·wᵀ to the inputs of the samples at time t, and returns the result with adjacent rows: in gx
// if they are adjacent there, otherwise in gh.
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

// addMatMulPacked32 is dst += a·b, where packedB is the result of [PackB32] for b.
func addMatMulPacked32(dst, a, packedB []float32, m, k, n int) {
	if len(dst) == 0 || k == 0 {
		return
	}
	if s := (MatMulShape{M: m, K: k, N: n}); s.isFew() {
		var t gemmTile
		t.flags = tileAcc
		t.runAll(dst, a, packedB, nil, nil, s)
		return
	}
	g := gemms.get()
	*g = gemm{dst: dst, a: a, b: packedB, batch: 1, m: m, k: k, n: n, lda: k, ldc: n, acc: true}
	g.do()
	gemms.put(g)
}

// release gives the packed form back.
func (m *weights[T]) release() {
	if m.own {
		scratch.put(m.packed)
	}
}
