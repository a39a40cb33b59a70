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

// A row is an instruction and what its forms belong to, "" where it has no such form.
type row struct {
	name           string
	prefix, opmap  string // as in 66.0F38
	w              string // W0, W1, or WIG where both will do
	opcodes        []opcode
	legacy         string
	xmm, ymm, evex string
	evexW          string
}

// opcode is a byte, and the digit beside it or -1.
type opcode struct {
	code  byte
	digit int
}

// baseline returns the row of an instruction that every amd64 has.
func (r row) baseline() bool { return r.opcodes == nil }

// parseTable reads lines of a name, an encoding, opcodes and extensions, and lines of names that every amd64 has.
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

// evexExtensions returns what an EVEX form needs: its own extension, the foundation, and another one if it is short.
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
