package cpu

// PackGates8Size returns how many bytes [PackGates8] writes.
func PackGates8Size(directions, k, n int) int { return directions * PackB8Size(k, n) }

// PackGates8 packs the weights of a recurrent layer, for each direction n rows of k, as [PackB8T] does.
func PackGates8(dst, w []int8, directions, k, n int) {
	for d := range directions {
		PackB8T(row(dst, d, PackB8Size(k, n)), row(w, d, n*k), k, n)
	}
}

// ByteGates is the weights of int8 of a recurrent layer, packed by [PackGates8], in its products with the input or
// the state. Each gate of each direction has a scale, the sum of its weights without their zero point, and the
// zero point. The shifts may be nil if all zero points are zero.
type ByteGates struct {
	W            []int8
	Scales       []float32 // [directions, gates·hidden]
	Sums, Shifts []int32   // the same
}

// DynamicLSTM is [LSTM] with weights of int8. The input, and in each step the state, are quantized for the
// products like by [DynamicQuantizeLinear].
func DynamicLSTM(y, yh, yc []float32, in RecurrentIn[float32], w, r ByteGates, buf RecurrentBuffers[float32], o Recurrent) {
	l := lstm[float32]{y, yh, yc, in, buf}
	l.begin(&o)
	n := 4 * o.Hidden
	for d := range o.Directions {
		gates := w.direction(d, o.Input, n)
		rows := o.Seq * o.Batch
		gates.mul(buf.GX, in.X, rows, o.Input, n)
		wb, rb := gateBiases(in.B, d, n)
		for i := range rows {
			if in.B != nil {
				g := row(buf.GX, i, n)
				VecAdd32(g, g, wb)
				VecAdd32(g, g, rb)
			}
		}
		m := weights[float32]{bytes: r.direction(d, o.Hidden, n), n: n, k: o.Hidden}
		l.direction(&o, &m, d)
	}
}

// byteGates is the weights of a direction.
type byteGates struct {
	packed       []int8
	scales       []float32
	sums, shifts []int32
}

// direction returns the weights of direction d, n gates of k.
func (g *ByteGates) direction(d, k, n int) byteGates {
	return byteGates{packed: row(g.W, d, PackB8Size(k, n)), scales: row(g.Scales, d, n), sums: row(g.Sums, d, n), shifts: part(g.Shifts, d, n)}
}

// mul is dst = a·wᵀ for an a of rows of k elements, which are quantized together.
func (g *byteGates) mul(dst, a []float32, rows, k, n int) {
	if rows == 0 {
		return
	}
	buf, q := scratchBytes(rows*k + 1)
	addBuf, add := scratchInts(n)
	mult := scratch.get(n + 1)
	scale, zero := mult[n:], q[rows*k:]
	q = q[:rows*k]
	DynamicQuantizeLinear(q, scale, zero, a[:rows*k])
	VecMulS32(mult[:n], g.scales, scale[0])
	for j, s := range g.sums {
		add[j] = -int32(zero[0]) * s
	}
	QMatMul(dst[:rows*n], q, g.packed, Requant{Add: add, Mult: mult[:n], Shift: g.shifts}, MatMulShape{M: rows, K: k, N: n})
	scratch.put(mult)
	scratch.put(addBuf)
	scratch.put(buf)
}
