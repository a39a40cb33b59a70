package forward

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// parser reads a line of the table. A value is
//
//	float32[2,3]=1,2,3,4,5,6      a tensor; the last element stands for those that follow
//	string[2]="a","b"             of strings, in Go's quotes
//	seq:float32(A, B)             a sequence of values
//	optional(A), optional()       an optional, which may have none
//	map(string[1]="k", int64[1]=1)  keys and their values
type parser struct {
	rest string
}

var header = regexp.MustCompile(`^(?:([\w.]+):)?(\w+)(?:@(\d+))?\(`)

// Parse reads one line.
func Parse(line string) (c *Case, err error) {
	c = &Case{Text: line, As: Weighted}
	h := header.FindStringSubmatch(line)
	if h == nil {
		return nil, fmt.Errorf("%q is no case", line)
	}
	c.Domain, c.Op = h[1], h[2]
	c.Version, _ = strconv.Atoi(h[3])
	p := &parser{rest: line[len(h[0]):]}
	if c.In, err = p.values(); err != nil {
		return nil, err
	}
	for p.skip(" ") && !p.skip("-> ") {
		if err := p.word(c); err != nil {
			return nil, err
		}
	}
	if p.skip("!") {
		c.Refused = strings.TrimSpace(p.rest)
		c.Out = slices.Repeat([]tensor.Value{tensor.New(tensor.Float32)}, max(len(c.Out), 1))
		return c, nil
	}
	p.rest += ")"
	if c.Out, err = p.values(); err != nil {
		return nil, err
	}
	if p.rest != "" {
		return nil, fmt.Errorf("%q follows the case", p.rest)
	}
	return c, nil
}

// skip drops s if it comes next.
func (p *parser) skip(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest = rest
	return ok
}

// until returns what comes before any of the characters.
func (p *parser) until(chars string) string {
	i := strings.IndexAny(p.rest, chars)
	if i < 0 {
		i = len(p.rest)
	}
	s := p.rest[:i]
	p.rest = p.rest[i:]
	return s
}

// values reads values up to a closing parenthesis.
func (p *parser) values() ([]tensor.Value, error) {
	var out []tensor.Value
	for !p.skip(")") {
		if len(out) > 0 && !p.skip(", ") {
			return nil, fmt.Errorf("%q: want a comma and a space", p.rest)
		}
		if p.skip("_") {
			out = append(out, nil)
			continue
		}
		x, err := p.value()
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

func (p *parser) value() (tensor.Value, error) {
	switch {
	case p.skip("seq:"):
		elem, ok := tensor.ParseDType(p.until("("))
		p.skip("(")
		items, err := p.values()
		if !ok {
			return nil, fmt.Errorf("%q: a sequence of an unknown type", p.rest)
		}
		return &tensor.Sequence{Elem: elem, Items: items}, err
	case p.skip("optional("):
		items, err := p.values()
		if err != nil || len(items) == 0 {
			return &tensor.Optional{}, err
		}
		return &tensor.Optional{Value: items[0]}, nil
	case p.skip("map("):
		items, err := p.values()
		if err != nil {
			return nil, err
		}
		if len(items) != 2 {
			return nil, fmt.Errorf("a map has keys and values")
		}
		return &tensor.Map{Keys: items[0].(*tensor.Tensor), Values: items[1].(*tensor.Tensor)}, nil
	}
	return p.tensor()
}

var tensorSyntax = regexp.MustCompile(`^(\w+)\[([\d,]*)\](=?)`)

func (p *parser) tensor() (*tensor.Tensor, error) {
	s := tensorSyntax.FindStringSubmatch(p.rest)
	if s == nil {
		return nil, fmt.Errorf("%q: want a value", p.rest)
	}
	p.rest = p.rest[len(s[0]):]
	d, ok := tensor.ParseDType(s[1])
	if !ok {
		return nil, fmt.Errorf("%q is no element type", s[1])
	}
	shape := []int{}
	for f := range strings.SplitSeq(s[2], ",") {
		if f != "" {
			n, _ := strconv.Atoi(f)
			shape = append(shape, n)
		}
	}
	t := tensor.New(d, shape...)
	if s[3] == "" {
		if t.Len() > 0 {
			return nil, fmt.Errorf("%s has no elements", s[0])
		}
		return t, nil
	}
	for i := range t.Len() {
		text, err := p.element(i)
		if err != nil {
			return nil, err
		}
		if text == "" { // repeat the last one
			t.SetItem(i, t.Item(i-1))
			continue
		}
		if err := setElement(t, i, text); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// element reads element i of a list, or returns "" at the end.
func (p *parser) element(i int) (string, error) {
	if i > 0 && (strings.HasPrefix(p.rest, ", ") || !p.skip(",")) {
		return "", nil
	}
	if strings.HasPrefix(p.rest, `"`) {
		s, err := strconv.QuotedPrefix(p.rest)
		p.rest = p.rest[len(s):]
		return s, err
	}
	s := p.until(", )")
	if s == "" {
		return "", fmt.Errorf("element %d is missing before %q", i, p.rest)
	}
	return s, nil
}

// word reads an attribute, or a keyword of the test.
func (p *parser) word(c *Case) error {
	name := p.until("= ")
	if !p.skip("=") {
		switch tol, ok := strings.CutPrefix(name, "~"); {
		case ok:
			var err error
			c.Tol, err = strconv.ParseFloat(tol, 64)
			return err
		case name == "exact":
			c.Exact = true
		case name == "shape":
			c.Shape = true
		case name == "constants":
			c.Constant = true
		case name == "static":
			c.Static = true
		case name == "fed":
			c.As = Fed
		case name == "symbolic":
			c.As = Symbolic
		case name == "outputs":
			o := op.Find(c.Domain, c.Op)
			if o == nil {
				return fmt.Errorf("there is no operator %s", c.Name())
			}
			c.Out = make([]tensor.Value, len(o.Outputs))
		default:
			return fmt.Errorf("%q is no word of a case", name)
		}
		return nil
	}
	v, err := p.attribute()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.Attrs.Set(name, v)
	return nil
}

// attribute reads 1, 0.5, "word", a list [1,2] of one of them, or a tensor.
func (p *parser) attribute() (any, error) {
	if tensorSyntax.MatchString(p.rest) {
		return p.tensor()
	}
	if !p.skip("[") {
		return p.scalar()
	}
	var ints []int64
	var floats []float64
	var words []string
	for i := 0; !p.skip("]"); i++ {
		if i > 0 && !p.skip(",") {
			return nil, fmt.Errorf("%q: want a comma", p.rest)
		}
		v, err := p.scalar()
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
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
		return floats, nil
	case words != nil:
		return words, nil
	}
	return ints, nil
}

// scalar reads one number or word.
func (p *parser) scalar() (any, error) {
	if strings.HasPrefix(p.rest, `"`) {
		q, err := strconv.QuotedPrefix(p.rest)
		if err != nil {
			return nil, err
		}
		p.rest = p.rest[len(q):]
		return strconv.Unquote(q)
	}
	s := p.until(",] ")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(s, 64)
}
