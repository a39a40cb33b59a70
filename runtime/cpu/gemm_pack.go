package cpu

// panel is the number of columns of a panel of a packed matrix.
const panel = 32

// PackB32Size returns how many floats [PackB32] writes for a k×n matrix.
func PackB32Size(k, n int) int { return (n + panel - 1) / panel * panel * k }

// PackB32 packs the k×n matrix b in the layout that products at every level read: panels of 32 columns, one
// after the other, each with its k rows of 32 floats. The last panel is filled with zeros.
//
//	for j := range n {
//		for l := range k {
//			dst[j/32*32*k+l*32+j%32] = b[l*n+j]
//		}
//	}
func PackB32(dst, b []float32, k, n int) { packB(dst, b[:k*n], k, n, n, false, 1) }

// PackB32T is [PackB32] for a matrix given by its transpose, n×k.
func PackB32T(dst, b []float32, k, n int) { packB(dst, b[:k*n], k, n, k, true, 1) }

func packB(dst, b []float32, k, n, ldb int, trans bool, alpha float32) {
	p := packers.get()
	*p = packer{dst: dst[:PackB32Size(k, n)], b: b, k: k, n: n, ldb: ldb, trans: trans, alpha: alpha}
	p.do(1)
	packers.put(p)
}

var packers freelist[packer]

// packer is the task of packing matrices of k×n. A turn packs one panel.
type packer struct {
	dst, b []float32
	k, n   int
	ldb    int // from one row of b to the next
	trans  bool
	alpha  float32
	stride int // from one matrix in b to the next
}

func (p *packer) do(matrices int) {
	panels := (p.n + panel - 1) / panel
	parallel(matrices*panels, matrices*p.k*p.n/8, p)
	p.dst, p.b = nil, nil
}

func (p *packer) run(i int) {
	panels := (p.n + panel - 1) / panel
	dst := p.dst[i*panel*p.k : (i+1)*panel*p.k]
	b := p.b[i/panels*p.stride:]
	j := i % panels * panel
	cols := min(panel, p.n-j)
	if !p.trans {
		packPanel(dst, b[min(j, len(b)):], p.k, cols, p.ldb)
	} else {
		packPanelT(dst, b[j*p.ldb:], p.k, cols, p.ldb)
	}
	if p.alpha != 1 {
		VecMulS32(dst, dst, p.alpha)
	}
}

// transposeAll writes the transpose of the m×n matrix src to dst.
func transposeAll(dst, src []float32, m, n int) { transposeBiased(dst, src, nil, m, n) }

// transposeBiased is [transposeAll] with a bias, which is added to each row of the result. It may be nil.
func transposeBiased(dst, src, bias []float32, m, n int) {
	t := transposers.get()
	*t = transposer{dst: dst, src: src, bias: bias, m: m, n: n}
	parallel((n+transposeRows-1)/transposeRows, m*n/4, t)
	*t = transposer{}
	transposers.put(t)
}

const transposeRows = 32 // of the result

var transposers freelist[transposer]

// transposer is the task of transposing an m×n matrix. A turn writes some rows.
type transposer struct {
	dst, src, bias []float32
	m, n           int
}

func (t *transposer) run(i int) {
	j, end := i*transposeRows, min((i+1)*transposeRows, t.n)
	transpose(t.dst[j*t.m:], t.src[min(j, len(t.src)):], t.m, end-j, t.m, t.n)
	for ; j < end && t.bias != nil; j++ {
		VecAdd32(row(t.dst, j, t.m), row(t.dst, j, t.m), t.bias)
	}
}

// packPanelT packs cols rows of k floats as columns, and fills them with zeros.
func packPanelT(dst, b []float32, k, cols, ldb int) {
	if cols < panel {
		clear(dst)
	}
	transpose(dst, b, cols, k, panel, ldb)
}

// packPanelGo packs k rows of cols floats, ldb apart, and fills them with zeros.
func packPanelGo(dst, b []float32, k, cols, ldb int) {
	if cols < panel {
		clear(dst[:k*panel])
	}
	for l := range k {
		copy(dst[l*panel:l*panel+cols], b[l*ldb:])
	}
}

// transposeGo is
//
//	for i := range m {
//		for j := range n {
//			dst[j*ldd+i] = src[i*lds+j]
//		}
//	}
func transposeGo(dst, src []float32, m, n, ldd, lds int) {
	i := 0
	for ; i+4 <= m; i += 4 {
		for j := range n {
			d, s := dst[j*ldd+i:][:4], i*lds+j
			d[0], d[1], d[2], d[3] = src[s], src[s+lds], src[s+2*lds], src[s+3*lds]
		}
	}
	for ; i < m; i++ {
		for j := range n {
			dst[j*ldd+i] = src[i*lds+j]
		}
	}
}
