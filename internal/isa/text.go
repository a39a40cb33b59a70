package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// A Kernel is a function of a file of assembly.
type Kernel struct {
	Name  string
	Lines []Line
}

// A Line is an instruction and its line number.
type Line struct {
	Number int
	Text   string
}

// Kernels returns the functions of a file in Go's assembler.
func Kernels(src string) ([]Kernel, error) {
	var ks []Kernel
	n := 0
	for line := range strings.Lines(src) {
		n++
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		switch {
		case len(f) == 0, strings.HasSuffix(f[0], ":"), f[0] == "GLOBL", f[0] == "DATA", f[0] == "#include":
		case f[0] == "TEXT":
			name, _, _ := strings.Cut(strings.TrimPrefix(f[1], "·"), "(")
			ks = append(ks, Kernel{Name: name})
		case strings.HasPrefix(f[0], "#") || strings.Contains(line, ";") && f[0] != "BYTE":
			return nil, fmt.Errorf("line %d: got %q, want one plain instruction: macros hide what they are", n, line)
		case len(ks) == 0:
			return nil, fmt.Errorf("line %d: got %q before any TEXT", n, line)
		default:
			k := &ks[len(ks)-1]
			k.Lines = append(k.Lines, Line{n, strings.TrimSpace(line)})
		}
	}
	return ks, nil
}

// OfText returns the extensions that an instruction needs, from its line. Baseline instructions need none. A
// line may contain the bytes of an instruction that Go's assembler does not support, as in BYTE $0xc4; BYTE
// $0xe2.
func OfText(line string) ([]string, error) {
	if strings.HasPrefix(line, "BYTE") {
		return ofEncoded(line)
	}
	name, operands, _ := strings.Cut(strings.Replace(line, "\t", " ", 1), " ")
	name, suffix, _ := strings.Cut(name, ".")
	v := vectorsOf(operands)
	for _, r := range table {
		if r.name != name {
			continue
		}
		switch {
		case r.baseline():
			return nil, nil
		case r.legacy != "":
			return []string{r.legacy}, nil
		case suffix != "" || v.high || v.bits == 512 || v.masked && r.evex != "" || r.xmm == "" && r.ymm == "":
			if r.evex == "" {
				return nil, fmt.Errorf("%s: instructions.txt has no EVEX form of %s", line, name)
			}
			return evexExtensions(r.evex, v.bits), nil
		case v.bits == 256 && r.ymm != "":
			return []string{r.ymm}, nil
		case v.bits != 256 && r.xmm != "":
			return []string{r.xmm}, nil
		}
		return nil, fmt.Errorf("%s: instructions.txt has no form of %s with %d bits", line, name, v.bits)
	}
	return nil, fmt.Errorf("%s: instructions.txt does not have %s", line, name)
}

func ofEncoded(line string) ([]string, error) {
	var b []byte
	for part := range strings.SplitSeq(line, ";") {
		value, found := strings.CutPrefix(strings.Join(strings.Fields(part), " "), "BYTE $")
		c, err := strconv.ParseUint(value, 0, 8)
		if !found || err != nil {
			return nil, fmt.Errorf("%s: got %q, want BYTE and a value", line, part)
		}
		b = append(b, byte(c))
	}
	_, es, err := OfBytes(b)
	return es, err
}

// vectors describes the form of an instruction, from its operands.
type vectors struct {
	bits   int  // of the longest register; 0 if there is none
	high   bool // one of them is a register that only EVEX can encode
	masked bool
}

func vectorsOf(operands string) (v vectors) {
	for op := range strings.FieldsFuncSeq(operands, func(r rune) bool { return strings.ContainsRune(", ()*[]+", r) }) {
		n, err := strconv.Atoi(op[1:])
		if err != nil {
			continue // not a register with a number
		}
		switch op[0] {
		case 'X':
			v.bits = max(v.bits, 128)
		case 'Y':
			v.bits = max(v.bits, 256)
		case 'Z':
			v.bits = 512
		case 'K':
			v.masked = true
			continue
		default:
			continue
		}
		v.high = v.high || n >= 16
	}
	return v
}
