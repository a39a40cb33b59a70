package cpu

import (
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// MatMulPackedAddStored is [MatMulPackedAdd32], with the same bits, of a packed b whose elements are stored in 16
// bits, in the order of [PackB32]. Few rows are multiplied with b as it is. For more rows, turns widen the panels that they
// read.
//
// The elements of a may be stored in bfloat16. If those of b are as well, and the processor multiplies tiles of bfloat16 (AMX),
// large products use these: the order of the sums is another one, and denormals are zero.
func MatMulPackedAddStored[A Left, B Half](dst []float32, a []A, packedB []B, bias, res []float32, s MatMulShape, act Act) {
	dst, a, packedB = dst[:s.M*s.N], a[:s.M*s.K], packedB[:PackB32Size(s.K, s.N)]
	if s.M == 0 || s.N == 0 {
		return
	}
	if bias != nil {
		bias = bias[:s.N]
	}
	if res != nil {
		res = res[:s.M*s.N]
	}
	b := halfPanelsOf(packedB)
	if half, ok := any(a).([]tensor.BF16); ok && b.bf16 != nil && halfWorth(s.M, s.K, s.N) {
		timesPanels(dst, half, b.bf16, bias, res, s, act)
		return
	}
	wide, own := widened(a)
	b.times(dst, wide, bias, res, s, act)
	scratch.put(own)
}

// Left is float32, or bfloat16 that is stored instead of it.
type Left interface{ float32 | tensor.BF16 }

// halfPanels is a packed matrix of floats of 16 bits. One of the slices is set.
type halfPanels struct {
	f16  []tensor.F16
	bf16 []tensor.BF16
}

func halfPanelsOf[B Half](packed []B) (h halfPanels) {
	switch b := any(packed).(type) {
	case []tensor.F16:
		h.f16 = b
	case []tensor.BF16:
		h.bf16 = b
	}
	return h
}

// times is [MatMulPackedAddStored] of a in float32.
func (h *halfPanels) times(dst, a, bias, res []float32, s MatMulShape, act Act) {
	if s.M <= fewHalves() {
		h.fewRows(dst, a, bias, res, s, act)
		return
	}
	g := gemms.get()
	*g = gemm{dst: dst, a: a, half: *h, bias: bias, res: res, batch: 1, m: s.M, k: s.K, n: s.N, lda: s.K, ldc: s.N, packs: true, widen: (*gemmBlock).widenHalves, act: act}
	g.do()
	gemms.put(g)
}

func (h *halfPanels) isSet() bool { return h.f16 != nil || h.bf16 != nil }

// widen converts the elements from at on to float32.
func (h *halfPanels) widen(dst []float32, at int) {
	if h.f16 != nil {
		fromF16(dst, h.f16[at:])
	} else {
		fromBF16(dst, h.bf16[at:])
	}
}

// address returns the memory from element at on as that of floats. Only assembly reads it.
func (h *halfPanels) address(at int) []float32 {
	if h.f16 != nil {
		return asFloats(h.f16[min(at, len(h.f16)):])
	}
	return asFloats(h.bf16[min(at, len(h.bf16)):])
}

func asFloats[T Half | byte](x []T) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0]))/4)
}

// fewRows is a product with as few rows as one micro-kernel for halves has.
func (h *halfPanels) fewRows(dst, a, bias, res []float32, s MatMulShape, act Act) {
	t := fewHalvesTasks.get()
	*t = fewHalvesTask{halfPanels: *h, dst: dst, bias: bias, res: res, n: s.N, act: act}
	t.tile = gemmTile{a: a, lda: s.K, ldb: panel, ldp: panel * s.K, ldc: s.N, k: s.K, rows: s.M, flags: tileAct(act)}
	if bias != nil {
		t.tile.flags |= tileBias
	}
	if res != nil {
		t.tile.flags |= tileRes
	}
	const least = 2500 // nanoseconds that a turn should take
	panels, step := (s.N+panel-1)/panel, tilePanels(s.M)
	each := s.K * panel * max(1, s.M) / 32 // nanoseconds
	t.perTurn = (max(step, least/(each+1)) + step - 1) / step * step
	parallel((panels+t.perTurn-1)/t.perTurn, panels*each, t)
	*t = fewHalvesTask{}
	fewHalvesTasks.put(t)
}

// fewHalvesTask is the task of a product with few rows. A turn is a few panels.
type fewHalvesTask struct {
	halfPanels
	dst, bias, res []float32
	n              int
	act            Act
	tile           gemmTile
	perTurn        int
}

var fewHalvesTasks freelist[fewHalvesTask]

func (t *fewHalvesTask) run(i int) {
	tile, step := t.tile, tilePanels(t.tile.rows)*panel
	j0, j1 := i*t.perTurn*panel, min((i+1)*t.perTurn*panel, t.n)
	for j := j0; j < j1; j += step {
		if j+step > j1 {
			step = panel
		}
		tile.cols = min(step, j1-j)
		tile.b, tile.c = t.address(j*tile.k), t.dst[j:]
		tile.bias, tile.res = from(t.bias, j), from(t.res, j)
		tile.runStored(t.bf16 != nil)
	}
	if t.act != ActNone && tileAct(t.act) == 0 {
		for r := range tile.rows {
			t.act.apply(t.dst[r*t.n+j0 : r*t.n+j1])
		}
	}
}
