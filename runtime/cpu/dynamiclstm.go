package cpu

// PackGates8Size returns how many bytes [PackGates8] writes.
func PackGates8Size(directions, k, n int) int { return directions * PackB8Size(k, n) }

// PackGates8 packs the weights of a recurrent layer, for each direction n rows of k, as [PackB8T] does.
func PackGates8(dst, w []int8, directions, k, n int) {
	for d := range directions {
		PackB8T(row(dst, d, PackB8Size(k, n)), row(w, d, n*k), k, n)
	}
}

// DynamicLSTM is [LSTM] with weights of int8, packed by [PackGates8]. The input, and in each step the state,
// are quantized for the products like by [DynamicQuantizeLinear]. For each gate and direction there is a
// scale of the weights, the sum of the weights without their zero point, and the zero point. The shifts may
// be nil if all are zero.
func DynamicLSTM(y, yh, yc, x []float32, w, r []int8, b []float32, lens []int32, h0, c0, p, wScales []float32, wSums, wShifts []int32,
	rScales []float32, rSums, rShifts []int32, gx, gh, h, c []float32, o Recurrent) {
	l := lstm[float32]{y, yh, yc, lens, h0, c0, p, gx, gh, h, c}
	l.begin(&o)
	n := 4 * o.Hidden
	for d := range o.Directions {
		in := newByteGates(w, wScales, wSums, wShifts, d, o.Input, n)
		rows := o.Seq * o.Batch
		in.mul(gx, x, rows, o.Input, n)
		wb, rb := gateBiases(b, d, n)
		for i := range rows {
			if b != nil {
				g := row(gx, i, n)
				VecAdd32(g, g, wb)
				VecAdd32(g, g, rb)
			}
		}
		m := weights[float32]{bytes: newByteGates(r, rScales, rSums, rShifts, d, o.Hidden, n), n: n, k: o.Hidden}
		l.direction(&o, &m, d)
	}
}

// byteGates is the weights of a direction.
type byteGates struct {
	packed       []int8
	scales       []float32
	sums, shifts []int32
}

func newByteGates(w []int8, scales []float32, sums, shifts []int32, d, k, n int) byteGates {
	return byteGates{packed: row(w, d, PackB8Size(k, n)), scales: row(scales, d, n), sums: row(sums, d, n), shifts: part(shifts, d, n)}
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
	QMatMul(dst[:rows*n], q, g.packed, add, mult[:n], g.shifts, 0, false, rows, k, n)
	scratch.put(mult)
	scratch.put(addBuf)
	scratch.put(buf)
}
