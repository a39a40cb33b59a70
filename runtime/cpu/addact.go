package cpu

// AddAct completes a product whose kernel neither adds res nor applies act:
//
//	for i := range dst {
//		dst[i] = act(dst[i] + res[i])
//	}
//
// where res may be nil.
func AddAct[T Float](dst, res []T, act Act) {
	if d, ok := any(dst).([]float32); ok {
		t := addActTasks.get()
		*t = addActTask{dst: d, res: any(res).([]float32), act: act}
		parallel((len(dst)+addActBlock-1)/addActBlock, t.cost(), t)
		*t = addActTask{}
		addActTasks.put(t)
		return
	}
	if res != nil {
		Add(dst, dst, res[:len(dst)])
	}
	applyAct(dst, act)
}

// addActBlock is the number of elements that stay in L1 from the sum to the function.
const addActBlock = 4096

// addActTask is the task of [AddAct]. A turn is a block.
type addActTask struct {
	dst, res []float32
	act      Act
}

var addActTasks freelist[addActTask]

// cost estimates the nanoseconds on one thread.
func (t *addActTask) cost() int {
	switch t.act {
	case ActNone, ActRelu, ActRelu6:
		return len(t.dst) / 10
	}
	return len(t.dst) / 2
}

func (t *addActTask) run(i int) {
	lo, hi := i*addActBlock, min((i+1)*addActBlock, len(t.dst))
	d := t.dst[lo:hi]
	if t.res != nil {
		VecAdd32(d, d, t.res[lo:hi])
	}
	t.act.apply(d)
}

// AffineAct is dst = act(x*a + b), channel by channel as [Affine].
func AffineAct[T Float](dst, x, a, b []T, inner int, act Act) {
	for n := len(a) * inner; len(dst) > 0; dst, x = dst[n:], x[n:] {
		if inner < 64 { // short runs go together
			Affine(dst[:n], x[:n], a, b, inner)
			applyAct(dst[:n], act)
			continue
		}
		for c := range a {
			d := row(dst, c, inner)
			scaleShift(d, row(x, c, inner), a[c], b[c])
			applyAct(d, act)
		}
	}
}

// applyAct replaces x by act(x).
func applyAct[T Float](x []T, act Act) {
	if x, ok := any(x).([]float32); ok {
		act.apply(x)
		return
	}
	switch act {
	case ActNone:
	case ActRelu:
		Relu(x, x)
	case ActRelu6:
		Clip(x, x, []T{0}, []T{6})
	case ActSigmoid:
		Sigmoid(x, x)
	case ActTanh:
		Tanh(x, x)
	case ActGelu:
		Gelu(x, x)
	case ActGeluTanh:
		GeluTanh(x, x)
	case ActSilu:
		Swish(x, x, 1)
	case ActHardSigmoid:
		HardSigmoid(x, x, 1./6, 0.5)
	case ActHardSwish:
		HardSwish(x, x)
	default:
		panic("BUG: unknown activation")
	}
}
