//go:build !purego

package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// timesPanels is [MatMulPackedAddStored] of operands in bfloat16, by tiles.
func timesPanels(dst []float32, a, panels []tensor.BF16, bias, res []float32, s MatMulShape, act Act) {
	g := halfGemms.get()
	*g = halfGemm{dst: dst, a: halfOperand{half: a}, b: panels, m: s.M, k: s.K, n: s.N, inOrder: true, from: bias}
	if res != nil {
		g.from, g.ldFrom = res, s.N
	}
	g.do()
	*g = halfGemm{}
	halfGemms.put(g)
	if res != nil && bias != nil {
		for i := range s.M {
			VecAdd32(dst[i*s.N:][:s.N], dst[i*s.N:][:s.N], bias)
		}
	}
	if act != ActNone {
		AddAct(dst, nil, act)
	}
}

// panelOrder is the task of bringing the panels of a packed matrix of k rows into the order of tiles. A turn is a panel.
type panelOrder struct {
	dst, b []tensor.BF16
	k      int
}

var panelOrders freelist[panelOrder]

// packPanels is packHalves of a matrix in the order of [PackB32].
func packPanels(dst, b []tensor.BF16, k, n int) {
	p := panelOrders.get()
	*p = panelOrder{dst, b, k}
	parallel((n+panel-1)/panel, k*n/20, p)
	*p = panelOrder{}
	panelOrders.put(p)
}

func (p *panelOrder) run(i int) {
	orderPanel(p.dst[i*halfSteps(p.k)*halfTileB:], p.b[i*p.k*panel:], p.k)
}

// orderPanel brings a panel of k rows into the order of tiles, and fills the last step with zeros.
func orderPanel(dst, b []tensor.BF16, k int) {
	if last := (halfSteps(k) - 1) * halfTileB; k%halfStep != 0 {
		clear(dst[last:][:halfTileB])
	}
	if pairs := k / 2; pairs > 0 {
		pairHalvesAVX512((*uint16)(&dst[0]), (*uint16)(&b[0]), pairs, 2*panel)
	}
	if k%2 == 0 {
		return
	}
	for j, v := range b[(k-1)*panel:][:panel] {
		dst[halfIndex(k-1, j)] = v
	}
}
