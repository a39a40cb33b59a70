package cpu

// Requantize converts sums of products, in matrices of m×n, to quantized elements:
//
//	for i, j := range dst {
//		dst[i, j] = saturate(round(float32(sums[i, j]) * (rows[i]*cols[j]/scale)) + zero)
//	}
//
// A half is rounded to even. There is one factor for all rows or one for each, and likewise for the columns.
// Scale and zero have one element.
func Requantize[T int8 | uint8](dst []T, sums []int32, rows, cols, scale []float32, zero []T, m, n int) {
	const block = 128 // columns, whose factors stay in L1
	var mult [block]float32
	var add [block]int32
	o := byteOut{add: add[:], mult: mult[:], zero: int32(zero[0])}
	o.setRange(signed[T]())
	out := asBytes(dst)
	for r := 0; r*n < len(dst); r++ {
		row, first := rows[r%len(rows)], r/m*n
		for j := 0; j < n; j += block {
			w := min(block, n-j)
			for c := range w {
				f := cols[0]
				if len(cols) > 1 {
					f = cols[(first+j+c)%len(cols)]
				}
				mult[c] = row * f / scale[0]
			}
			o.bytes = out[r*n+j:][:w]
			o.store(sums[r*n+j:], w, 0, 0, 1, w, nil)
		}
	}
}
