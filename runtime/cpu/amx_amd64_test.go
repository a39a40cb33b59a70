//go:build !purego

package cpu

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The micro-kernel does what its comment says, and accesses no other memory. An emulator runs the assembly
// file, as few processors have tiles.
func TestByteTileAMX(t *testing.T) {
	needsSources(t)
	src, err := os.ReadFile("amx_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	program := parseTiles(t, string(src), "byteTileAMX")
	r := rand.New(rand.NewPCG(7, 8))
	for _, s := range []struct{ rows, quads, runs, panels int }{
		{2, 16, 1, 1}, {15, 8, 1, 1}, {32, 32, 1, 3}, {17, 21, 1, 1}, {31, 15, 3, 2}, {20, 37, 2, 4}, {16, 48, 2, 1}, {32, 16, 3, 2},
	} {
		tile, want := randomTile(r, s.rows, s.quads, s.runs, s.panels)
		expected := *tile
		expected.c = want
		expected.runGo()
		x := tile.tiles()
		e := &tileEmulator{t: t}
		e.memory = []memory{
			memoryOf(unsafe.Slice(&x, 1)), memoryOf(tile.a), memoryOf(tile.b), memoryOf(tile.c), memoryOf(tile.steps),
		}
		e.run(program, e.memory[0].base)
		if !slices.Equal(tile.c, want) {
			t.Errorf("%+v: got %v, want %v", s, tile.c, want)
		}
	}
}

// The micro-kernels with outputs do what those without and [byteOut.storeGo] do, and access no other memory. They move the
// addresses in their argument, which is in the heap here, behind the operands: there must be memory of the same object, or the
// garbage collector would stop the program.
func TestByteOutputsAMX(t *testing.T) {
	needsSources(t)
	src, err := os.ReadFile("amx_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 8))
	for _, s := range []struct{ rows, quads, runs, panels, groups int }{
		{32, 16, 1, 1, 1}, {15, 16, 1, 3, 2}, {31, 48, 1, 2, 3}, {17, 32, 3, 2, 1}, {32, 560, 1, 2, 1},
	} {
		const width = 3 // columns of the output beside the panels
		n := s.panels*panel + 16*width
		add, mult := make([]int32, n), make([]float32, n)
		for j := range add {
			add[j], mult[j] = int32(r.Uint32N(1000)), r.Float32()/1000
		}
		mult[1] = float32(math.NaN())
		size := s.groups * s.rows * n
		for kernel, out := range map[string]byteOut{
			"byteIntsAMX":    newByteOut(make([]int32, size, size+1), add, nil, nil, 0, false, n),
			"byteFarIntsAMX": newByteOut(alignedInts(size), add, nil, nil, 0, false, n),
			"byteFloatsAMX":  newByteOut(make([]float32, size, size+1), add, nil, mult, 0, true, n),
			"byteBytesAMX":   newByteOut(make([]uint8, size, size+1), add, nil, mult, 7, false, n),
		} {
			tile, _ := randomTile(r, s.rows, s.quads, s.runs, s.panels)
			tile.a = asBytes(randomInt8s[uint8](r, 2*s.groups*s.rows*tile.lda))[:s.groups*s.rows*tile.lda]
			b := byteBlock{byteGemm: &byteGemm{n: n}, b: tile.b, out: out, tile: [tilesAtOnce]byteTile{*tile}, sums: make([]int32, maxByteSums)}
			want := out.copied()
			for g := range s.groups {
				one := *tile
				one.a = tile.a[g*s.rows*tile.lda:]
				one.runGo()
				want.storeGo(one.c, one.ldc, g*s.rows, 0, s.rows, s.panels*panel, nil)
			}
			x, at := b.outputTile(s.groups, 0, s.panels), out.memory()
			x.setDst(unsafe.Pointer(&at.data[0]), n, len(at.data)/size)
			e := &tileEmulator{t: t}
			e.memory = []memory{
				memoryOf(unsafe.Slice(&x, 1)), memoryOf(tile.a), memoryOf(tile.b), memoryOf(b.sums), memoryOf(tile.steps),
				memoryOf(add), memoryOf(mult), at,
			}
			e.run(parseTiles(t, string(src), kernel), e.memory[0].base)
			if !bytes.Equal(at.data, want.memory().data) {
				t.Errorf("%s, %+v: other outputs than in Go", kernel, s)
			}
		}
	}
}

// alignedInts returns n integers that begin with a line of the cache, and do not end with their object.
func alignedInts(n int) []int32 {
	return tensor.View[int32](tensor.Aligned(4*n+4), 0, n)
}

// copied returns an output with memory of its own.
func (o byteOut) copied() byteOut {
	o.ints, o.floats, o.bytes = slices.Clone(o.ints), slices.Clone(o.floats), slices.Clone(o.bytes)
	return o
}

// memory returns the memory of the output.
func (o byteOut) memory() memory {
	switch {
	case o.ints != nil:
		return memoryOf(o.ints)
	case o.floats != nil:
		return memoryOf(o.floats)
	}
	return memoryOf(o.bytes)
}

// randomTile returns a product of random bytes, and another one for the output, which is not computed.
func randomTile(r *rand.Rand, rows, quads, runs, panels int) (*byteTile, []int32) {
	t := &byteTile{quads: quads, runs: runs, rows: rows, panels: panels, ldc: panels*panel + 3, ldp: runs * quads * 4 * panel}
	width := 4*quads + 5 // of a run, with the gap to the next one
	t.lda = runs*width + 7
	for range runs - 1 {
		t.steps = append(t.steps, width)
	}
	t.a = asBytes(randomInt8s[uint8](r, (rows-1)*t.lda+(runs-1)*width+4*quads))
	t.b = asBytes(randomInt8s[int8](r, panels*t.ldp))
	t.c = make([]int32, (rows-1)*t.ldc+panels*panel)
	for i := range t.c {
		t.c[i] = int32(r.Uint32())
	}
	return t, slices.Clone(t.c)
}

// memory is memory from an address on.
type memory struct {
	base uint64
	data []byte
}

func memoryOf[T any](x []T) memory {
	p := unsafe.SliceData(x)
	return memory{uint64(uintptr(unsafe.Pointer(p))), unsafe.Slice((*byte)(unsafe.Pointer(p)), len(x)*int(unsafe.Sizeof(*new(T))))}
}

// at returns n bytes at an address.
func (e *tileEmulator) at(address uint64, n int) []byte {
	for _, m := range e.memory {
		if address >= m.base && address-m.base+uint64(n) <= uint64(len(m.data)) {
			return m.data[address-m.base:][:n]
		}
	}
	e.t.Fatalf("%s: %d bytes at %#x lie outside every known region", e.line, n, address)
	return nil
}

func (e *tileEmulator) load(address uint64) uint64 {
	return binary.LittleEndian.Uint64(e.at(address, 8))
}
