package cpu

import (
	"math"
	"slices"
)

// Binarize is
//
//	for i, v := range x {
//		dst[i] = 1 if v > threshold, else 0
//	}
func Binarize[T Float | Index](dst, x []T, threshold float64) {
	for i, v := range x[:len(dst)] {
		dst[i] = 0
		if float64(v) > threshold {
			dst[i] = 1
		}
	}
}

// Scale is
//
//	for i, v := range x {
//		dst[i] = (v - offset[i%width]) * scale[i%width]
//	}
//
// where an offset or scale of one element stands for all.
func Scale[T Float | Index](dst []float32, x []T, offset, scale []float32, width int) {
	for r := 0; r+width <= len(dst) && width > 0; r += width {
		for i, v := range x[r : r+width] {
			o, s := offset[min(i, len(offset)-1)], scale[min(i, len(scale)-1)]
			dst[r+i] = float32((float64(v) - float64(o)) * float64(s))
		}
	}
}

// NormalizeRows divides each row of x by its largest absolute value ("MAX"), by the sum of its absolute
// values ("L1") or by its length ("L2"), unless that is 0.
func NormalizeRows[T Float | Index](dst []float32, x []T, norm string, width int) {
	for r := 0; r+width <= len(dst) && width > 0; r += width {
		div := rowNorm(x[r:r+width], norm)
		for i, v := range x[r : r+width] {
			dst[r+i] = float32(float64(v) / div)
		}
	}
}

func rowNorm[T Float | Index](row []T, norm string) float64 {
	n := 0.0
	for _, v := range row {
		a := math.Abs(float64(v))
		switch norm {
		case "MAX":
			n = max(n, a)
		case "L1":
			n += a
		default:
			n += float64(a * a)
		}
	}
	switch {
	case n == 0:
		return 1
	case norm == "L2":
		return math.Sqrt(n)
	}
	return n
}

// Impute copies x, and replaces elements equal to old[0] by values[i%width]. NaN is equal to NaN. One value
// stands for all.
func Impute[T Float | Index](dst, x, values, old []T, width int) {
	o := old[0]
	for i, v := range x[:len(dst)] {
		if v == o || v != v && o != o {
			v = values[min(i%width, len(values)-1)]
		}
		dst[i] = v
	}
}

// FeatureColumns writes x, rows of cols elements, to the columns from, from+1, … of dst, which has rows of
// width elements. If cols is less than n, the other columns become 0.
func FeatureColumns[T Float | Index](dst []float32, x []T, cols, width, from, n int) {
	for r := 0; r < len(dst)/max(width, 1); r++ {
		row := dst[r*width+from:][:n]
		clear(row)
		for i, v := range x[r*cols:][:min(cols, n)] {
			row[i] = float32(v)
		}
	}
}

// OneHotCategories writes a row for each element of x: 1 for the category that is equal to the element, 0 for
// others. If there is none it panics with an [Error], unless zeros is set.
func OneHotCategories[T Float | Index](dst []float32, x []T, cats []int64, zeros bool) {
	clear(dst)
	for i, v := range x {
		k := slices.Index(cats, int64(v))
		if k >= 0 {
			dst[i*len(cats)+k] = 1
		} else if !zeros {
			fail("OneHotEncoder", "%v is none of the categories", v)
		}
	}
}

// OneHotStrings is [OneHotCategories] for strings.
func OneHotStrings(dst []float32, x, cats []string, zeros bool) {
	clear(dst)
	for i, v := range x {
		k := slices.Index(cats, v)
		if k >= 0 {
			dst[i*len(cats)+k] = 1
		} else if !zeros {
			fail("OneHotEncoder", "%q is none of the categories", v)
		}
	}
}

// TakeColumns is
//
//	for each row r of x, k := range index {
//		dst[r*len(index)+k] = x[r*cols+index[k]]
//	}
func TakeColumns[T any](dst, x []T, index []int64, cols int) {
	for k, c := range index {
		if c < 0 || c >= int64(cols) {
			fail("ArrayFeatureExtractor", "index %d is out of range for %d columns", c, cols)
		}
		for i, r := k, int(c); i < len(dst); i, r = i+len(index), r+cols {
			dst[i] = x[r]
		}
	}
}

// LabelEncode writes values[k] if keys[k] is x[i], and other[0] if x[i] is not a key. The keys are sorted.
// NaN is less than all keys and equal to itself.
func LabelEncode[K Float | Index | int16 | string, V any](dst []V, x, keys []K, values, other []V) {
	for i, v := range x[:len(dst)] {
		dst[i] = other[0]
		if k, ok := slices.BinarySearch(keys, v); ok {
			dst[i] = values[k]
		}
	}
}
