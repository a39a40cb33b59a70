package cpu

import "math"

// Requantize makes quantized elements of sums of products, which stand in
// matrices of m×n:
//
//	for i, j := range dst {
//		dst[i, j] = saturate(round(sums[i, j]*rows[i]*cols[j]/scale) + zero)
//	}
//
// A half is rounded to even. There is one factor for all rows or one for each,
// and so for the columns. Scale and zero have one element.
func Requantize[T int8 | uint8](dst []T, sums []int32, rows, cols, scale []float32, zero []T, m, n int) {
	least, most := float64(0), float64(255)
	if lowest[T]() < 0 {
		least, most = -128, 127
	}
	zp := float64(zero[0])
	for r := 0; r*n < len(dst); r++ {
		row := rows[r%len(rows)]
		d, src := dst[r*n:][:n], sums[r*n:]
		if len(cols) == 1 {
			f := float64(row * cols[0] / scale[0])
			for j := range d {
				d[j] = T(min(max(math.RoundToEven(float64(src[j])*f)+zp, least), most))
			}
			continue
		}
		first := r / m * n
		for j := range d {
			f := float64(row * cols[(first+j)%len(cols)] / scale[0])
			d[j] = T(min(max(math.RoundToEven(float64(src[j])*f)+zp, least), most))
		}
	}
}
