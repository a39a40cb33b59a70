package cpu

// GatherGrad is the gradient of [Gather]: dst begins as zeros and gets
//
//	dst[o, index[k], i] += dy[o, k, i]
func GatherGrad[T Float, I Index](dst, dy []T, index []I, outer, axis, inner int) {
	clear(dst)
	for o := range outer {
		rows := dst[o*axis*inner:][:axis*inner]
		in := dy[o*len(index)*inner:][:len(index)*inner]
		if inner == 1 {
			for k, i := range index {
				rows[wrap("GatherGrad", toInt(i), axis)] += in[k]
			}
			continue
		}
		for k, i := range index {
			d := rows[wrap("GatherGrad", toInt(i), axis)*inner:][:inner]
			Add(d, d, in[k*inner:][:inner])
		}
	}
}

// GatherNDGrad is the gradient of [GatherND]: dst begins as zeros and gets
//
//	dst[b, index[b, i, 0], …, index[b, i, k-1]] += dy[b, i]
func GatherNDGrad[T Float, I Index](dst, dy []T, index []I, batches, n, k int, shape []int) {
	clear(dst)
	whole, part := volume(shape), volume(shape[k:])
	for b := range batches {
		ScatterNDReduce(dst[b*whole:][:whole], dy[b*n*part:][:n*part], index[b*n*k:][:n*k], n, k, shape, ReduceAdd)
	}
}
