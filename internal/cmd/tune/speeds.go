package tune

import (
	"fmt"
	"math"
	"time"

	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// speeds measures the numbers of the cost model: how long kernels take whose costs it computes from them.
type speeds struct {
	rounds int
	time   time.Duration // of each measurement
	caches []target.Cache
	stage  func(format string, args ...any)

	// Of a test, which has no clock: the nanoseconds of what was prepared.
	least func(name string, run func()) float64
}

// The measured sizes. A product of square matrices stays in L1 and L2. The convolutions have as many filters as channels, and
// both images fit into L2.
const (
	side     = 192 // of a matrix
	depth    = 1024
	channels = 16
	small    = 28 // pixels of a side of an image
	large    = 56
)

// measure returns the numbers of one thread, and from what each was computed by its name. What the larger image takes longer
// is products and transforms of its further tiles: the difference has neither the reading of filters nor the overhead of a call.
func (s *speeds) measure() (t *target.Target, from map[string]string) {
	const flips = 36 // elements of a transformed tile
	product := s.nanoseconds("product", prepareProduct(side, side, side))
	perTile := s.nanoseconds("large", prepareConv(large)) - s.nanoseconds("small", prepareConv(small))
	n := readColumns(s.caches)
	read := s.nanoseconds("read", prepareProduct(1, depth, n))
	first := s.nanoseconds("small", prepareConv(small))

	products := side * side * side / product
	perTile /= float64(tiles(large) - tiles(small))
	inProducts := flips * channels * channels / products
	transforms := 4 * flips * 2 * channels / max(perTile-inProducts, 0.001)
	call := first - float64(tiles(small))*perTile
	t = &target.Target{
		Products: whole(products), Transforms: whole(transforms), Bytes: whole(float64(4*depth*n) / read), Call: int(math.Round(min(max(call, 0), 1e9))),
	}
	image := fmt.Sprintf("Winograd convolutions of %d to %d channels, %d×%d and %d×%d pixels, one thread", channels, channels, large, large, small, small)
	return t, map[string]string{
		"products":   fmt.Sprintf("a product of matrices of %d×%d, one thread", side, side),
		"transforms": image + ": the difference, without its products",
		"bytes":      fmt.Sprintf("a row times a matrix of %d×%d, %d KiB, one thread", depth, n, 4*depth*n>>10),
		"call":       image + ": the time of the smaller one without its tiles",
	}
}

// whole rounds a speed, of which the slowest is 1.
func whole(v float64) int { return max(1, int(math.Round(min(v, 1<<20)))) }

func tiles(pixels int) int { return (pixels + 3) / 4 * ((pixels + 3) / 4) }

// readColumns returns the columns of a matrix that is read from the last cache: it is half as large as that, but four times the
// size of the one before. If caches are unknown, it has 8 MiB.
func readColumns(caches []target.Cache) int {
	const unknown, largest = 8 << 20, 64 << 20
	size := unknown
	if n := len(caches); n > 0 {
		size = caches[n-1].Bytes / 2
		if n > 1 {
			size = max(size, 4*caches[n-2].Bytes)
		}
	}
	return max(64, min(size, largest)/(4*depth)/64*64)
}

// prepareProduct returns a product of an m×k and a k×n matrix.
func prepareProduct(m, k, n int) func() {
	a, b, dst := pattern(m*k), make([]float32, cpu.PackB32Size(k, n)), make([]float32, m*n)
	cpu.PackB32(b, pattern(k*n), k, n)
	return func() { cpu.MatMulPacked32(dst, a, b, nil, m, k, n, cpu.ActNone) }
}

// prepareConv returns a convolution of an image.
func prepareConv(pixels int) func() {
	packed := make([]float32, cpu.PackB32Size(9*channels, channels))
	cpu.PackB32(packed, pattern(9*channels*channels), 9*channels, channels)
	u := cpu.WinogradFilters32(packed, channels, channels)
	x, dst := pattern(channels*pixels*pixels), make([]float32, channels*pixels*pixels)
	two := func(n int) []int { return []int{n, n} }
	s := cpu.ConvShape{Images: 1, Channels: channels, Filters: channels, Groups: 1, Window: cpu.Window{
		In: two(pixels), Out: two(pixels), Kernel: two(3), Stride: two(1), Dilation: two(1), Pad: two(1), PadEnd: two(1),
	}}
	return func() { cpu.Winograd32(dst, x, u, nil, nil, s, cpu.ActNone) }
}

// pattern returns n small numbers.
func pattern(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%7) / 8
	}
	return x
}

// nanoseconds returns the least time of a call.
func (s *speeds) nanoseconds(name string, run func()) float64 {
	if s.least != nil {
		return s.least(name, run)
	}
	best := math.Inf(1)
	for round := range s.rounds {
		s.stage("measuring %s, round %d of %d", name, round+1, s.rounds)
		for begin := time.Now(); time.Since(begin) < s.time || math.IsInf(best, 1); {
			best = min(best, float64(few(run))/fewCalls)
		}
	}
	return max(best, 1)
}

// fewCalls are timed together, as a clock may be as slow as a short call.
const fewCalls = 4

func few(run func()) time.Duration {
	begin := time.Now()
	for range fewCalls {
		run()
	}
	return time.Since(begin)
}
