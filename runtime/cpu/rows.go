package cpu

// rowWalk iterates over the rows of a tensor and computes the corresponding places in another tensor.
type rowWalk struct {
	axes        int // the number of axes before the last
	size, step  [maxRank]int
	index       [maxRank]int
	rows, at, n int // number of rows, place, length of a row
}

// init starts at the first row of a tensor of the given shape; step is that of
// the other tensor.
func (w *rowWalk) init(shape, step []int) {
	w.axes = len(shape) - 1
	w.rows, w.n = 1, shape[w.axes]
	for i, n := range shape[:w.axes] {
		w.size[i], w.step[i] = n, step[i]
		w.rows *= n
	}
}

func (w *rowWalk) next() {
	for k := w.axes - 1; k >= 0; k-- {
		w.index[k]++
		w.at += w.step[k]
		if w.index[k] < w.size[k] {
			return
		}
		w.at -= w.step[k] * w.size[k]
		w.index[k] = 0
	}
}

// elementRows iterates over the rows of an index tensor of shape ishape that selects elements of a tensor of
// the given shape along an axis. It returns the steps of the selected place along a row and along the axis.
func elementRows(w *rowWalk, kernel string, ishape, shape []int, axis int) (along, by int) {
	var step [maxRank]int
	strides(step[:], shape)
	by = step[axis]
	for i, n := range ishape {
		if i != axis && n > shape[i] {
			fail(kernel, "indices of shape %s do not fit an input of shape %s", listed(ishape), listed(shape))
		}
	}
	step[axis] = 0
	w.init(ishape, step[:])
	return step[len(shape)-1], by
}
