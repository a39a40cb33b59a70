package cpu

// normGradTask is [LayerNormGrad] on several threads. A turn is a run of rows, with its own sums for scale
// and bias.
type normGradTask struct {
	dx, dy, x, scale []float32
	n                int
	eps              float32
	center           bool

	rows, turns int
	own         []float32 // by turn: its part of dscale and of dbias, and two rows
}

var normGradTasks freelist[normGradTask]

// normGradTurns is the maximum number of turns. The number of turns depends only on the shape, and so does
// the order of the sums.
const normGradTurns = 16

// do runs t and gives it back.
func (t *normGradTask) do(dscale, dbias []float32) {
	n := t.n
	t.rows = len(t.x) / n
	t.turns = max(1, min(normGradTurns, len(t.x)/rowTurn, t.rows))
	t.own = scratch.get(4 * n * t.turns)
	parallel(t.turns, 2*len(t.x), t)
	for i := range t.turns {
		part := row(t.own, i, 4*n)
		if dscale != nil {
			VecAdd32(dscale, dscale, part)
		}
		if dbias != nil {
			VecAdd32(dbias, dbias, part[n:])
		}
	}
	scratch.put(t.own)
	*t = normGradTask{}
	normGradTasks.put(t)
}

func (t *normGradTask) run(i int) {
	n := t.n
	own := row(t.own, i, 4*n)
	dscale, dbias, unit, h := own[:n], own[n:2*n], own[2*n:3*n], own[3*n:]
	clear(dscale)
	clear(dbias)
	for r := i * t.rows / t.turns; r < (i+1)*t.rows/t.turns; r++ {
		x, dy := row(t.x, r, n), row(t.dy, r, n)
		if t.center {
			VecSubS32(unit, x, VecSum32(x)/float32(n))
		} else {
			copy(unit, x)
		}
		f := invSqrt(VecDot32(unit, unit)/float32(n) + t.eps)
		VecMulS32(unit, unit, f)
		vecMulAdd(dscale, dy, unit)
		VecAdd32(dbias, dbias, dy)
		if t.dx == nil {
			continue
		}
		VecMul32(h, dy, t.scale)
		mean := float32(0)
		if t.center {
			mean = VecSum32(h) / float32(n)
		}
		vecNormGrad(row(t.dx, r, n), h, unit, mean, VecDot32(h, unit)/float32(n), f)
	}
}
