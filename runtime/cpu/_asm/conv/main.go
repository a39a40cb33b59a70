// Command conv writes conv_amd64.s: the kernels of convolutions and pooling for data with the channels last.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/prune"
)

func main() {
	kernels.Begin()
	masks()
	winogradTable()
	for _, s := range []isa{avx512{}, avx2{}} {
		for k := 2; k <= 4; k++ {
			interleave(s, k)
		}
		copyRows(s)
		winograd{s, 4}.emit()
		winograd{s, 2}.emit()
		weightedLines(s)
		for _, taps := range []int{3, 5, 7} {
			slide{s, taps, 1}.emit()
			slide{s, taps, 2}.emit()
		}
		for _, pixels := range []int{1, 2, 4, 8} {
			for _, f := range []fold{weighted, largest, total} {
				taps{s, f, pixels}.emit()
			}
		}
	}
	prune.SelfMoves()
	Generate()
}

// copyRows emits the copying of rows > 0 runs of n > 0 floats.
func copyRows(s isa) {
	name := "copyRows" + s.name()
	kernels.AtLevel("copyRows", s.name(), "func(dst, src *float32, n, rows, ldd, lds int)")
	Doc(name + " copies rows of n floats, which are ldd floats apart in dst and lds in src.")
	dst, src := Load(Param("dst"), GP64()).(GPVirtual), Load(Param("src"), GP64()).(GPVirtual)
	n, rows := Load(Param("n"), GP64()).(GPVirtual), Load(Param("rows"), GP64()).(GPVirtual)
	ldd, lds := Load(Param("ldd"), GP64()).(GPVirtual), Load(Param("lds"), GP64()).(GPVirtual)
	bytes(ldd)
	bytes(lds)
	whole, rest := GP64(), GP64() // bytes in whole vectors, and the floats after them
	MOVQ(n, rest)
	ANDQ(U32(s.lanes()-1), rest)
	MOVQ(n, whole)
	SUBQ(rest, whole)
	bytes(whole)
	m := s.first(rest)

	Label("row")
	at := GP64()
	XORQ(at, at)
	quads := GP64()
	MOVQ(whole, quads)
	SUBQ(U32(16*s.lanes()), quads)
	JL(LabelRef("vectors"))
	Label("quad")
	var v [4]VecVirtual
	for i := range v {
		v[i] = s.vec()
		load(Mem{Base: src, Index: at, Scale: 1, Disp: 4 * s.lanes() * i}, v[i])
	}
	for i := range v {
		store(v[i], Mem{Base: dst, Index: at, Scale: 1, Disp: 4 * s.lanes() * i})
	}
	ADDQ(U32(16*s.lanes()), at)
	CMPQ(at, quads)
	JLE(LabelRef("quad"))
	Label("vectors")
	CMPQ(at, whole)
	JGE(LabelRef("rest"))
	load(Mem{Base: src, Index: at, Scale: 1}, v[0])
	store(v[0], Mem{Base: dst, Index: at, Scale: 1})
	ADDQ(U32(4*s.lanes()), at)
	JMP(LabelRef("vectors"))
	Label("rest")
	TESTQ(rest, rest)
	JZ(LabelRef("next"))
	m.load(Mem{Base: src, Index: at, Scale: 1}, v[0])
	m.store(v[0], Mem{Base: dst, Index: at, Scale: 1})
	Label("next")
	ADDQ(ldd, dst)
	ADDQ(lds, src)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
