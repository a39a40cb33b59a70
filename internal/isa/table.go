package isa

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed instructions.txt
var instructions string

// table has the lines of instructions.txt.
var table = parseTable(instructions)

// A row is an instruction and the extension of each form, "" for missing forms.
type row struct {
	name           string
	prefix, opmap  string // as in 66.0F38
	w              string // W0, W1, or WIG if W is ignored
	opcodes        []opcode
	legacy         string
	xmm, ymm, evex string
	evexW          string
}

// opcode is a byte, and the opcode extension in ModRM or -1.
type opcode struct {
	code  byte
	digit int
}

// baseline reports whether every amd64 processor has the instruction.
func (r row) baseline() bool { return r.opcodes == nil }

// parseTable parses lines with a name, an encoding, opcodes and extensions, and lines with names of baseline
// instructions.
func parseTable(text string) []row {
	var rows []row
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case f[0] == "amd64":
			for _, name := range f[1:] {
				rows = append(rows, row{name: name})
			}
		case len(f) == 4:
			r := parseEncoding(f)
			r.legacy = f[3]
			rows = append(rows, r)
		case len(f) == 6:
			r := parseEncoding(f)
			r.xmm, r.ymm = orNone(f[3]), orNone(f[4])
			r.evexW, r.evex, _ = strings.Cut(orNone(f[5]), ":")
			rows = append(rows, r)
		default:
			panic(fmt.Sprintf("BUG: instructions.txt: got %q, want four or six columns", line))
		}
	}
	return rows
}

func parseEncoding(f []string) row {
	enc := append(strings.Split(f[1], "."), "WIG")
	r := row{name: f[0], prefix: enc[0], opmap: enc[1], w: enc[2]}
	for o := range strings.SplitSeq(f[2], ",") {
		code, digit, found := strings.Cut(o, "/")
		d := -1
		if found {
			d = int(parseUint(digit, 10))
		}
		r.opcodes = append(r.opcodes, opcode{byte(parseUint(code, 16)), d})
	}
	return r
}

func orNone(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func parseUint(s string, base int) uint64 {
	n, err := strconv.ParseUint(s, base, 8)
	if err != nil {
		panic("BUG: instructions.txt: " + err.Error())
	}
	return n
}

// evexExtensions returns the extensions of an EVEX form: its own one, the foundation, and AVX512VL if its
// registers are shorter than 512 bits.
func evexExtensions(own string, bits int) []string {
	es := []string{own}
	if own != "AVX512F" {
		es = append(es, "AVX512F")
	}
	if bits < 512 {
		es = append(es, "AVX512VL")
	}
	slices.Sort(es)
	return es
}
