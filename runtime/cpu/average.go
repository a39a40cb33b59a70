package cpu

// AddScaled64 is
//
//	for i, v := range x {
//		dst[i] += scale * float64(v)
//	}
//
// where the product is rounded.
func AddScaled64(dst []float64, x []float32, scale float64) { addScaled64(dst, x[:len(dst)], scale) }

func addScaled64Go(dst []float64, x []float32, scale float64) {
	for i, v := range x {
		dst[i] += float64(scale * float64(v))
	}
}

// DivNarrow is
//
//	for i, v := range x {
//		dst[i] = float32(v / d)
//	}
//
// where dst may be the first half of the memory of x.
func DivNarrow(dst []float32, x []float64, d float64) { divNarrow(dst, x[:len(dst)], d) }

func divNarrowGo(dst []float32, x []float64, d float64) {
	for i, v := range x {
		dst[i] = float32(v / d)
	}
}

// AverageScaled is
//
//	for i := range dst {
//		sum := 0.0
//		for k := range x {
//			sum += scale[k] * float64(x[k][i])
//		}
//		dst[i] = float32(sum / d)
//	}
//
// where each product is rounded. The sums of a block of elements stay in the cache.
func AverageScaled(dst []float32, x [][]float32, scale []float64, d float64) {
	t := averagers.get()
	*t = averager{dst, x, scale, d}
	parallel((len(dst)+averageTurn-1)/averageTurn, len(dst)*(len(x)+1)/2, t)
	*t = averager{}
	averagers.put(t)
}

// averager is the task of AverageScaled.
type averager struct {
	dst   []float32
	x     [][]float32
	scale []float64
	d     float64
}

// averageTurn is the number of elements of a turn, whose sums, of eight bytes each, stay in L1.
const averageTurn = 4096

var (
	averagers   freelist[averager]
	averageSums freelist[[averageTurn]float64]
)

func (t *averager) run(i int) {
	sums := averageSums.get()
	lo, hi := i*averageTurn, min((i+1)*averageTurn, len(t.dst))
	sum := sums[:hi-lo]
	clear(sum)
	for k, x := range t.x {
		addScaled64(sum, x[lo:hi], t.scale[k])
	}
	divNarrow(t.dst[lo:hi], sum, t.d)
	averageSums.put(sums)
}
