package cpu

// TfIdfParams is the parameters of [TfIdf]. The grams are Counts[0] of length 1, then Counts[1] of length 2 and
// so on, each length sorted.
type TfIdfParams struct {
	Counts                []int
	Once                  bool // counts above 1 become 1
	Rows                  int
	MinLen, MaxLen, Skips int
}

// TfIdf counts n-grams in the rows of x:
//
//	for each skip s, start i, length n {
//		if x[i], x[i+s], … x[i+(n-1)·s] is gram g {
//			dst[row, index[g]]++
//		}
//	}
//
// Single tokens count once, independent of skips. A row is multiplied by weights, which may be nil.
func TfIdf[T Index | string](dst []float32, x, grams []T, index []int64, weights []float32, o TfIdfParams) {
	clear(dst)
	if o.Rows == 0 {
		return
	}
	width, n := len(dst)/o.Rows, len(x)/o.Rows
	for r := range o.Rows {
		y, row := dst[r*width:(r+1)*width], x[r*n:(r+1)*n]
		g, at := 0, 0
		for length := 1; length <= min(o.MaxLen, len(o.Counts)); length++ {
			table := grams[at : at+o.Counts[length-1]*length]
			if length >= o.MinLen && len(table) > 0 {
				countGrams(y, row, table, index[g:], length, o.Skips)
			}
			g += o.Counts[length-1]
			at += len(table)
		}
		for i, v := range y {
			if o.Once {
				v = min(v, 1)
			}
			if weights != nil {
				v *= weights[i]
			}
			y[i] = v
		}
	}
}

// countGrams counts the n-grams of one length.
func countGrams[T Index | string](y []float32, row, table []T, index []int64, length, skips int) {
	if length == 1 {
		skips = 0
	}
	for step := 1; step <= skips+1; step++ {
		if (length - 1) > (len(row)-1)/step {
			break // longer steps do not fit either
		}
		for i := 0; i+(length-1)*step < len(row); i++ {
			if g, ok := findGram(table, row[i:], length, step); ok {
				y[index[g]]++
			}
		}
	}
}

// findGram looks up x[0], x[step], … in a sorted table of n-grams.
func findGram[T Index | string](table, x []T, length, step int) (int, bool) {
	lo, hi := 0, len(table)/length
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		c := 0
		for k, v := range table[mid*length : (mid+1)*length] {
			if w := x[k*step]; v < w {
				c = -1
				break
			} else if v > w {
				c = 1
				break
			}
		}
		switch {
		case c == 0:
			return mid, true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0, false
}
