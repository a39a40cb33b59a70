package gradcheck

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// A Case is one line of a table of gradients:
//
//	Gather(x[5,3], i[2]=0,-1) axis=0 twice
//
// Operands that begin with x, pos, unit or big are float64 inputs by which the case is differentiated. Their
// elements have a distance from each other and from 0. They are of any sign, positive, between -1 and 1, or
// above 1. Others are constants: i of int64, i32, b of bools, c of float64, f of float32, q of uint8; _ is an
// omitted operand. An x with the name single is converted to float32 first. Some words among the attributes
// are options of the test: outputs=2, output=1 for only that output, twice for the second derivative as well,
// symbolic for inputs with symbols as sizes, and coarse for operators that round to float32.
type Case struct {
	Line                    string
	Op, Domain              string
	operands                []operand
	attrs                   ir.Attrs
	outputs, output         int // output is the only one to check, unless it is -1
	twice, symbolic, coarse bool
}

// Read returns the cases of a file. A line that begins with # is a comment.
func Read(file string) ([]*Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*Case
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		c, err := Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

var caseSyntax = regexp.MustCompile(`^(?:([\w.]+):)?(\w+)\((.*?)\)((?: [^ ()]+)*)$`)

// Parse reads one line.
func Parse(line string) (*Case, error) {
	c := &Case{Line: line, outputs: 1, output: -1}
	p := caseSyntax.FindStringSubmatch(line)
	if p == nil {
		return nil, fmt.Errorf("%q is no case", line)
	}
	c.Domain, c.Op = p[1], p[2]
	for s := range strings.SplitSeq(p[3], ", ") {
		if s == "" {
			continue
		}
		o, err := parseOperand(s)
		if err != nil {
			return nil, err
		}
		c.operands = append(c.operands, o)
	}
	for _, s := range strings.Fields(p[4]) {
		name, text, _ := strings.Cut(s, "=")
		switch name {
		case "twice":
			c.twice = true
		case "symbolic":
			c.symbolic = true
		case "coarse":
			c.coarse = true
		case "outputs":
			c.outputs, _ = strconv.Atoi(text)
		case "output":
			c.output, _ = strconv.Atoi(text)
		default:
			c.attrs.Set(name, attrOf(text))
		}
	}
	return c, nil
}

// attrOf returns 1, 0.5, [1,2], [0.5,1.5], [a,b] or a word as an attribute's value.
func attrOf(s string) any {
	if list, ok := strings.CutPrefix(s, "["); ok {
		var ints []int64
		var floats []float64
		var words []string
		for _, f := range strings.Split(strings.TrimSuffix(list, "]"), ",") {
			switch v := attrOf(f).(type) {
			case int64:
				ints = append(ints, v)
			case float64:
				floats = append(floats, v)
			case string:
				words = append(words, v)
			}
		}
		switch {
		case floats != nil:
			return floats
		case words != nil:
			return words
		}
		return ints
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	return s
}
