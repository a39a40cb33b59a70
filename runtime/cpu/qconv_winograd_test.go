package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// byteWinogradTest is a convolution for which [QConvWinograd] and [QConv] give the same.
type byteWinogradTest struct {
	channels, filters, images int
	win                       Window
	packed                    []int8
	q                         Requant
}

func newByteWinogradTest(r *rand.Rand, channels, filters, images int, w []int8, win Window) *byteWinogradTest {
	b := &byteWinogradTest{channels: channels, filters: filters, images: images, win: win}
	b.packed = make([]int8, PackConv8Size(filters, channels, 9, 3, 1))
	PackConv8(b.packed, w, filters, channels, 9, 3, 1)
	for range filters {
		b.q.Add = append(b.q.Add, int32(r.IntN(2000)-1000))
		b.q.Mult = append(b.q.Mult, r.Float32()/3000)
	}
	b.q.Zero, b.q.Relu = 3, r.IntN(2) == 0
	return b
}

func (b *byteWinogradTest) shape() ConvShape {
	return ConvShape{Images: b.images, Channels: b.channels, Filters: b.filters, Groups: 1, Window: b.win}
}

func testQConvWinograd[D int8 | uint8 | int32 | float32, X int8 | uint8](t *testing.T, r *rand.Rand, b *byteWinogradTest) {
	t.Helper()
	u := winogradFilters8(b.packed, b.channels, b.filters)
	if len(u) == 0 {
		t.Fatal("the filters have no transforms")
	}
	x, padding := randomInt8s[X](r, b.images*b.channels*volume(b.win.In)), int(X(r.Uint32()))
	want := make([]D, b.images*b.filters*volume(b.win.Out))
	got := make([]D, len(want))
	QConv(want, x, b.packed, b.q, padding, b.shape())
	run := func() { QConvWinograd(got, x, b.packed, u, b.q, padding, b.shape()) }
	run()
	if !slices.Equal(got, want) {
		t.Errorf("%T of %T: the results differ from those of QConv", want, x)
	}
	if n := allocations(3, run); n != 0 && !raceEnabled {
		t.Errorf("%T of %T: %v allocations", want, x, n)
	}
	shifted := b.q
	for range b.filters {
		shifted.Shift = append(shifted.Shift, int32(r.IntN(256)-128))
	}
	QConv(want, x, b.packed, shifted, padding, b.shape())
	if QConvWinograd(got, x, b.packed, u, shifted, padding, b.shape()); !slices.Equal(got, want) {
		t.Errorf("%T of %T: the results of filters with shifts differ from those of QConv", want, x)
	}
	sums, wantSums := make([]int32, len(want)), make([]int32, len(want))
	ConvIntegerLast(wantSums, x, b.packed, b.q.Add, shifted.Shift, []X{X(padding)}, b.shape())
	if ConvIntegerWinograd(sums, x, b.packed, u, b.q.Add, shifted.Shift, []X{X(padding)}, b.shape()); !slices.Equal(sums, wantSums) {
		t.Errorf("%T: the results differ from those of ConvIntegerLast", x)
	}
}

// Integers make the results those of QConv, at every level, for images whose sides leave 0 to 3 pixels after the tiles.
func TestQConvWinograd(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	ones := []int{1, 1}
	eachLevel(t, func(t *testing.T) {
		for side := 1; side <= 10; side++ {
			for _, c := range [][2]int{{16, 16}, {48, 32}, {16, 80}} {
				win := window([]int{side + 2, 13 - side}, []int{3, 3}, ones, ones, []int{side % 2, 1}, []int{1, side % 3 % 2})
				t.Run(fmt.Sprintf("%d→%d channels, %v", c[0], c[1], win.In), func(t *testing.T) {
					b := newByteWinogradTest(r, c[0], c[1], 1+side%2, randomInt8s[int8](r, c[0]*c[1]*9), win)
					testQConvWinograd[int8, uint8](t, r, b)
					testQConvWinograd[uint8, int8](t, r, b)
					testQConvWinograd[int32, int8](t, r, b)
					testQConvWinograd[float32, uint8](t, r, b)
				})
			}
		}
	})
}

// Chunks and threads do not change the results.
func TestQConvWinogradThreads(t *testing.T) {
	defer SetThreads(0)
	r := rand.New(rand.NewPCG(43, 44))
	ones := []int{1, 1}
	b := newByteWinogradTest(r, 64, 48, 2, randomInt8s[int8](r, 64*48*9), window([]int{30, 27}, []int{3, 3}, ones, ones, ones, ones))
	eachLevel(t, func(t *testing.T) {
		for threads := 1; threads <= 3; threads++ {
			SetThreads(threads)
			testQConvWinograd[uint8, uint8](t, r, b)
		}
	})
}

// A sum of 26 bits is the largest whose 576-fold can be divided. Filters of larger sums have no transforms.
func TestWinogradFilters8Exact(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46))
	ones := []int{1, 1}
	const channels, filters, least = 1040, 16, 131587 // the least sum of taps that is refused, of those of 128
	w := make([]int8, channels*filters*9)
	total := 0
	for i := 0; total < least-1; i++ { // of the last filter
		v := min(127, least-1-total)
		w[(filters-1)*channels*9+i] = int8(v)
		total += v
	}
	win := window([]int{5, 4}, []int{3, 3}, ones, ones, ones, ones)
	b := newByteWinogradTest(r, channels, filters, 1, w, win)
	x := make([]uint8, channels*volume(win.In))
	fill(x, 255)
	u := winogradFilters8(b.packed, channels, filters)
	if len(u) == 0 {
		t.Fatal("taps whose sum is the largest have no transforms")
	}
	eachLevel(t, func(t *testing.T) {
		want, got := make([]int32, filters*volume(win.Out)), make([]int32, filters*volume(win.Out))
		QConv(want, x, b.packed, b.q, 255, b.shape())
		QConvWinograd(got, x, b.packed, u, b.q, 255, b.shape())
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	w[(filters-1)*channels*9+channels*9-1]++
	b = newByteWinogradTest(r, channels, filters, 1, w, win)
	if u := winogradFilters8(b.packed, channels, filters); len(u) != 0 {
		t.Error("taps whose sum is too large have transforms")
	}
	for i := range w {
		w[i] = -w[i]
	}
	b = newByteWinogradTest(r, channels, filters, 1, w, win)
	if u := winogradFilters8(b.packed, channels, filters); len(u) != 0 {
		t.Error("taps whose negative sum is too large have transforms")
	}
}

// Convolutions of ResNet-18, with and without the transforms.
func BenchmarkQConvWinograd(b *testing.B) {
	r := rand.New(rand.NewPCG(47, 48))
	ones := []int{1, 1}
	for _, s := range [][2]int{{56, 64}, {32, 64}, {16, 128}, {8, 256}, {14, 256}} {
		side, n := s[0], s[1]
		w := make([]int8, n*n*9)
		for i := range w {
			w[i] = int8(min(max(r.NormFloat64()*30, -127), 127))
		}
		c := newByteWinogradTest(r, n, n, 1, w, window([]int{side, side}, []int{3, 3}, ones, ones, ones, ones))
		x, dst := randomInt8s[uint8](r, n*side*side), make([]uint8, n*side*side)
		for _, form := range []string{"direct", "transforms"} {
			b.Run(fmt.Sprintf("%d×%d,%d/%s", side, side, n, form), func(b *testing.B) {
				u := []int8(nil)
				if form == "transforms" {
					u = winogradFilters8(c.packed, n, n)
				}
				for b.Loop() {
					QConvWinograd(dst, x, c.packed, u, c.q, 7, c.shape())
				}
			})
		}
	}
}
