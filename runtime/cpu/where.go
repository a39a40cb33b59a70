package cpu

// Where is dst[i] = a[i] where cond[i] holds, b[i] elsewhere, over the shape
// that the three operands, of shapes cs, as and bs, broadcast to.
func Where[T any](dst []T, cond []bool, a, b []T, shape, cs, as, bs []int) {
	if len(dst) == 0 {
		return
	}
	var step [3][maxRank + 1]int
	broadcastStrides(step[0][:], shape, cs)
	broadcastStrides(step[1][:], shape, as)
	broadcastStrides(step[2][:], shape, bs)
	var size [maxRank + 1]int
	rank := 0
	for i, n := range shape { // merge axes that all three step through alike
		if n == 1 {
			continue
		}
		if k := rank - 1; k >= 0 && step[0][k] == step[0][i]*n && step[1][k] == step[1][i]*n && step[2][k] == step[2][i]*n {
			rank = k
			n *= size[k]
		}
		size[rank] = n
		step[0][rank], step[1][rank], step[2][rank] = step[0][i], step[1][i], step[2][i]
		rank++
	}
	if rank == 0 {
		size[0], rank = 1, 1
	}
	n, last := size[rank-1], rank-1
	var index [maxRank + 1]int
	for o, at := 0, [3]int{}; o < len(dst); o += n {
		row := dst[o : o+n]
		c, x, y := at[0], at[1], at[2]
		for i := range row {
			if cond[c] {
				row[i] = a[x]
			} else {
				row[i] = b[y]
			}
			c, x, y = c+step[0][last], x+step[1][last], y+step[2][last]
		}
		for k := last - 1; k >= 0; k-- {
			index[k]++
			back := 0
			if index[k] == size[k] {
				index[k], back = 0, size[k]
			}
			for j := range at {
				at[j] += step[j][k] * (1 - back)
			}
			if back == 0 {
				break
			}
		}
	}
}
