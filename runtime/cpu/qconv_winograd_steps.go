package cpu

import "unsafe"

var byteWinogradSteps freelist[byteWinogradStep]

// The steps of a chunk of tiles.
const (
	fromPixels = iota // pixels to v
	products          // v and u to m
	toPixels          // m to pixels
)

// byteWinogradStep is the task of a step of n tiles from t0 on. A turn is a few tiles, or one of the 36 matrices.
type byteWinogradStep struct {
	*byteWinograd
	t0, n   int
	v       []int16 // 36 matrices of n×channels, vStep apart
	m       []int32 // 36 matrices of n×filters, mStep apart
	vStep   int
	mStep   int
	what    int
	perTurn int
}

// transform runs a step of tiles that take cost nanoseconds each.
func (s *byteWinogradStep) transform(what, cost int) {
	s.what, s.perTurn = what, 1+2000/cost
	parallel((s.n+s.perTurn-1)/s.perTurn, s.n*cost, s)
}

func (s *byteWinogradStep) run(turn int) {
	if s.what == products {
		s.multiply(turn)
		return
	}
	buf, own := scratchInts(max(9*s.channels, 16*s.filters) + 36*8)
	own, tmp := own[:len(own)-36*8], own[len(own)-36*8:]
	for i := turn * s.perTurn; i < min((turn+1)*s.perTurn, s.n); i++ {
		tile := s.t0 + i
		image, y, x := tile/(s.th*s.tw), tile/s.tw%s.th*4, tile%s.tw*4
		if s.what == fromPixels {
			s.in(i, image, y-s.ph, x-s.pw, own, tmp)
		} else {
			s.store(i, image, y, x, own, tmp)
		}
	}
	scratch.put(buf)
}

// in transforms the 6×6 pixels from (y, x) on.
func (s *byteWinogradStep) in(i, image, y, x int, own, tmp []int32) {
	n := s.channels
	t := pixelTile8{dst: s.v[i*n:], tmp: asWords(signedBytes(intBytes(tmp))), n: n, pixel: n, row: s.iw * n, step: s.vStep, flip: uint32(s.flip) * 0x00010001}
	plane := s.x[image*s.ih*s.iw*n:]
	if y >= 0 && x >= 0 && y+6 <= s.ih && x+6 <= s.iw {
		t.src = plane[(y*s.iw+x)*n:]
	} else {
		t.src, t.row = intBytes(own)[:36*n], 6*n
		s.cutOut(t.src, plane, y, x)
	}
	t.in()
}

// cutOut copies the 6×6 pixels from (y, x) on, of which some are padding.
func (s *byteWinogradStep) cutOut(dst, plane []byte, y, x int) {
	n := s.channels
	x0, x1 := min(max(0, -x), 6), max(0, min(6, s.iw-x))
	for r := range 6 {
		d := dst[r*6*n:][:6*n]
		if y+r < 0 || y+r >= s.ih || x0 >= x1 {
			fill(d, s.padding)
			continue
		}
		fill(d[:x0*n], s.padding)
		copy(d[x0*n:x1*n], plane[((y+r)*s.iw+x+x0)*n:])
		fill(d[x1*n:], s.padding)
	}
}

// multiply computes the products of transforms at one of the 36 places of all tiles and filters.
func (s *byteWinogradStep) multiply(place int) {
	v, m := s.v[place*s.vStep:], s.m[place*s.mStep:]
	size := s.channels * wordPanel
	u := s.u[place*s.channels*s.filters:]
	groups := (s.n + wordRows - 1) / wordRows
	for j := 0; j < s.filters; j += wordPanel {
		for g := range groups {
			from, to := g*s.n/groups, (g+1)*s.n/groups
			t := wordTile{
				a: v[from*s.channels:], b: u[j/wordPanel*size:][:size], c: m[from*s.filters+j:],
				lda: s.channels, ldc: s.filters, pairs: s.channels / 2, rows: to - from,
			}
			t.run()
		}
	}
}

// store computes the pixels from (y, x) on, at most 4×4, from the transforms of tile i.
func (s *byteWinogradStep) store(i, image, y, x int, own, tmp []int32) {
	n, w := s.filters, min(4, s.ow-x)
	t := sumTile8{src: s.m[i*n:], dst: own[:16*n], tmp: tmp, n: n, step: s.mStep}
	t.out()
	for r := range min(4, s.oh-y) {
		var sums []int32
		if s.sums != nil {
			sums = tmp[:w]
			s.windowSums(sums, image, y+r, x)
		}
		s.out.store(own[4*r*n:], n, (image*s.oh+y+r)*s.ow+x, 0, w, n, sums)
	}
}

// intBytes returns the bytes of x.
func intBytes(x []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
