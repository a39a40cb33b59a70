package cpu

// GatherElements picks one element for each index; shape is that of x, ishape
// that of index and dst.
//
//	dst[i, j] = x[i, index[i, j]]   for axis = 1
func GatherElements[T any, I Index](dst, x []T, index []I, ishape, shape []int, axis int) {
	var w rowWalk
	along, by := elementRows(&w, "GatherElements", ishape, shape, axis)
	n := shape[axis]
	for r := range w.rows {
		at := w.at
		out := dst[r*w.n:][:w.n]
		for j, i := range index[r*w.n:][:w.n] {
			out[j] = x[at+wrap("GatherElements", toInt(i), n)*by]
			at += along
		}
		w.next()
	}
}
