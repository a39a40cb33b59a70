//go:build !purego

package cpu

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// tileEmulator runs amx_amd64.s: a few instructions on general registers in text form, and those on tiles by
// their bytes.
type tileEmulator struct {
	t      *testing.T
	line   string
	regs   map[string]uint64
	zero   bool // the flag
	memory []memory
	config []byte // nil: there are no tiles
	tiles  [8][16][64]byte

	vectors [10]vector
}

// tileProgram is the lines of a function, and the places of its labels.
type tileProgram struct {
	lines  []string
	labels map[string]int
}

// parseTiles returns a function of an assembly file, which has one argument.
func parseTiles(t *testing.T, src, name string) tileProgram {
	p := tileProgram{labels: map[string]int{}}
	_, body, found := strings.Cut(src, "TEXT ·"+name+"(SB), NOSPLIT, $0-8\n")
	if !found {
		t.Fatalf("found no function %s with one argument", name)
	}
	body, _, _ = strings.Cut(body, "TEXT")
	for line := range strings.Lines(body) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.Join(strings.Fields(line), " ")
		if label, found := strings.CutSuffix(line, ":"); found {
			p.labels[label] = len(p.lines)
		} else if line != "" {
			p.lines = append(p.lines, line)
		}
	}
	return p
}

// run runs the function with a pointer as its argument.
func (e *tileEmulator) run(p tileProgram, argument uint64) {
	e.regs = map[string]uint64{}
	for i := 0; ; i++ {
		e.line = p.lines[i]
		op, rest, _ := strings.Cut(e.line, " ")
		args := strings.Split(rest, ", ")
		switch op {
		case "BYTE":
			e.encoded(encodedBytes(e.t, e.line))
		case "MOVQ":
			if args[0] == "t+0(FP)" {
				e.set(args[1], argument)
			} else {
				e.set(args[1], e.value(args[0]))
			}
		case "ADDQ":
			e.set(args[1], e.value(args[1])+e.value(args[0]))
		case "SUBQ":
			e.regs[args[1]] -= e.value(args[0])
		case "XORQ":
			e.regs[args[1]] ^= e.value(args[0])
		case "DECQ":
			e.set(args[0], e.value(args[0])-1)
			e.zero = e.value(args[0]) == 0
		case "CMPQ":
			e.zero = e.value(args[0]) == e.value(args[1])
		case "JZ", "JNZ", "JMP":
			if op == "JMP" || (op == "JZ") == e.zero {
				i = p.labels[args[0]] - 1
			}
		case "PREFETCHT1", "SFENCE", "VZEROUPPER":
		case "RET":
			if e.config != nil {
				e.t.Error("tiles are not released")
			}
			return
		default:
			e.vector(op, args)
		}
	}
}

// set changes a register, or memory at (AX) or 8(AX).
func (e *tileEmulator) set(s string, v uint64) {
	if strings.HasSuffix(s, ")") {
		binary.LittleEndian.PutUint64(e.at(e.address(s), 8), v)
		return
	}
	e.regs[s] = v
}

// value returns the value of an operand: $1, AX, (AX) or 8(AX).
func (e *tileEmulator) value(s string) uint64 {
	if number, found := strings.CutPrefix(s, "$"); found {
		return uint64(parseInt(e.t, number))
	}
	if !strings.HasSuffix(s, ")") {
		return e.regs[s]
	}
	return e.load(e.address(s))
}

// address returns the address of (AX) or 8(AX).
func (e *tileEmulator) address(s string) uint64 {
	disp, reg, _ := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	return e.regs[reg] + uint64(parseInt(e.t, cmp.Or(disp, "0")))
}

// encoded runs an instruction on tiles: VEX in three bytes, an opcode, ModRM, and for memory operands an
// index and a displacement.
func (e *tileEmulator) encoded(b []byte) {
	general := []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13"}
	extended := func(bit int) byte { return (^b[1] >> bit & 1) * 8 }
	prefix, second, reg, rm := b[2]&3, ^b[2]>>3&15, b[4]>>3&7, b[4]&7
	if b[0] != 0xc4 || b[1]&0x1f != 2 {
		e.t.Fatalf("%s: no VEX of map 0F38", e.line)
	}
	memory := b[4]>>6 != 3
	if b[4]>>6 == 0 {
		e.t.Fatalf("%s: want registers, or memory with a displacement", e.line)
	}
	var stride uint64
	base := rm
	if memory && rm == 4 {
		stride, base = e.regs[general[b[5]>>3&7+extended(6)]], b[5]&7
	}
	disp := uint64(int8(b[len(b)-1]))
	if b[4]>>6 == 2 {
		disp = uint64(int32(binary.LittleEndian.Uint32(b[len(b)-4:])))
	}
	address := e.regs[general[base+extended(5)]] + disp
	switch name := [2]byte{b[3], prefix}; {
	case name == [2]byte{0x49, 0} && memory: // LDTILECFG
		e.config, e.tiles = slices.Clone(e.at(address, 64)), [8][16][64]byte{}
	case name == [2]byte{0x49, 0}: // TILERELEASE
		e.config = nil
	case name == [2]byte{0x49, 3}: // TILEZERO
		e.tiles[reg] = [16][64]byte{}
	case name == [2]byte{0x4b, 3}, name == [2]byte{0x4b, 1}: // TILELOADD, TILELOADDT1
		rows, n := e.shape(reg)
		e.tiles[reg] = [16][64]byte{}
		for i := range rows {
			copy(e.tiles[reg][i][:], e.at(address+uint64(i)*stride, n))
		}
	case name == [2]byte{0x4b, 2}: // TILESTORED
		rows, n := e.shape(reg)
		for i := range rows {
			copy(e.at(address+uint64(i)*stride, n), e.tiles[reg][i][:])
		}
	case name == [2]byte{0x5e, 1}: // TDPBUSD
		e.dotBytes(reg, rm, second)
	case name == [2]byte{0x5c, 2}: // TDPBF16PS
		e.dotHalves(reg, rm, second)
	default:
		e.t.Fatalf("%s: unknown", e.line)
	}
}

// shape returns the rows of a tile, and the bytes of each.
func (e *tileEmulator) shape(tile byte) (rows, n int) {
	if e.config == nil || e.config[0] != 1 {
		e.t.Fatalf("%s: there are no tiles", e.line)
	}
	rows, n = int(e.config[48+tile]), int(binary.LittleEndian.Uint16(e.config[16+2*tile:]))
	if rows == 0 || rows > 16 || n == 0 || n > 64 {
		e.t.Fatalf("%s: a tile of %d rows of %d bytes", e.line, rows, n)
	}
	return rows, n
}

// product returns the shape of c, and the bytes of a row of a, for an instruction that multiplies tiles.
func (e *tileEmulator) product(c, a, b byte) (rows, n, depth int) {
	rows, n = e.shape(c)
	aRows, depth := e.shape(a)
	bRows, width := e.shape(b)
	if aRows != rows || 4*bRows != depth || width != n {
		e.t.Fatalf("%s: %d×%d of %d×%d and %d×%d", e.line, rows, n, aRows, depth, bRows, width)
	}
	return rows, n, depth
}

// dotHalves adds in an order of its own: the results of tests are exact.
func (e *tileEmulator) dotHalves(c, a, b byte) {
	rows, n, depth := e.product(c, a, b)
	half := func(b []byte) float32 { return tensor.BF16(binary.LittleEndian.Uint16(b)).Float32() }
	for i := range rows {
		for j := 0; j < n; j += 4 {
			sum := math.Float32frombits(binary.LittleEndian.Uint32(e.tiles[c][i][j:]))
			for k := 0; k < depth; k += 2 {
				sum += half(e.tiles[a][i][k:]) * half(e.tiles[b][k/4][j+k%4:])
			}
			binary.LittleEndian.PutUint32(e.tiles[c][i][j:], math.Float32bits(sum))
		}
	}
}

func (e *tileEmulator) dotBytes(c, a, b byte) {
	rows, n, depth := e.product(c, a, b)
	for i := range rows {
		for j := 0; j < n; j += 4 {
			sum := binary.LittleEndian.Uint32(e.tiles[c][i][j:])
			for k := range depth {
				sum += uint32(int32(e.tiles[a][i][k]) * int32(int8(e.tiles[b][k/4][j+k%4])))
			}
			binary.LittleEndian.PutUint32(e.tiles[c][i][j:], sum)
		}
	}
}

// encodedBytes returns the bytes of a line like BYTE $0xc4; BYTE $0xe2.
func encodedBytes(t *testing.T, line string) (b []byte) {
	for part := range strings.SplitSeq(line, "; ") {
		b = append(b, byte(parseInt(t, strings.TrimPrefix(part, "BYTE $"))))
	}
	return b
}

func parseInt(t *testing.T, s string) int64 {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
