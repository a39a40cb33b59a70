package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// attrs reads {alpha = 0.5, transB = 1}.
func (p *parser) attrs() Attrs {
	var attrs Attrs
	seen := map[string]bool{}
	p.expect("{")
	p.list("}", func() {
		t := p.peek()
		name := p.name("an attribute's name")
		if seen[name] {
			p.failf(t, "attribute %q is set twice", name)
		}
		seen[name] = true
		p.expect("=")
		attrs = append(attrs, Attr{name, p.attr()})
	})
	slices.SortFunc(attrs, func(a, b Attr) int { return strings.Compare(a.Name, b.Name) })
	return attrs
}

func (p *parser) attr() any {
	t, second := p.peek(), p.ahead(1)
	bracket := second.kind == tokPunct && second.text == "["
	switch {
	case p.accept("$"):
		return Ref(p.name("an attribute's name"))
	case t.kind == tokString:
		return p.next().text
	case p.is("["):
		return p.attrList()
	case p.is("floats") && bracket:
		p.next()
		return floats(p.attrList())
	case p.is("strings") && bracket:
		p.next()
		if l, ok := p.attrList().([]string); ok {
			return l
		}
		return []string{}
	case p.is("tensors") && bracket:
		p.next()
		p.next()
		list := []*tensor.Tensor{}
		p.list("]", func() { list = append(list, p.tensor(Type{})) })
		return list
	case p.is("type"):
		p.next()
		return p.typ()
	case t.kind == tokNumber, p.is("-"), p.is("NaN"), p.is("Inf"):
		return p.number()
	case t.kind == tokName && bracket:
		return p.tensor(Type{})
	}
	p.want("a value of an attribute")
	return nil
}

// number reads a number: an int64, or a float64 if it is written as one.
func (p *parser) number() any {
	t := p.peek()
	s := p.numeral()
	if !strings.ContainsAny(s, ".eEIN") && !strings.HasSuffix(s, "f64") {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			p.failf(t, "%s is not an int64", s)
		}
		return v
	}
	bits := 32
	if d, ok := strings.CutSuffix(s, "f64"); ok {
		s, bits = d, 64
	}
	return p.float(t, s, bits)
}

// numeral reads the text of a number with its sign.
func (p *parser) numeral() string {
	sign := ""
	if p.accept("-") {
		sign = "-"
	}
	if p.peek().kind != tokNumber && !p.is("NaN") && !p.is("Inf") {
		p.want("a number")
		return "0"
	}
	return sign + p.next().text
}

// float returns the value of numeral s, which is at t.
func (p *parser) float(t token, s string, bits int) float64 {
	v, err := strconv.ParseFloat(strings.TrimPrefix(s, "-"), bits)
	if err != nil {
		p.failf(t, "%s is not a float%d", s, bits)
	}
	if strings.HasPrefix(s, "-") {
		return -v
	}
	return v
}

// attrList reads a list of integers, floats or strings.
func (p *parser) attrList() any {
	ints, strs, nums := []int64{}, []string{}, []float64{}
	isFloat := false
	p.expect("[")
	p.list("]", func() {
		t := p.peek()
		if t.kind == tokString {
			strs = append(strs, p.next().text)
		} else {
			switch x := p.number().(type) {
			case int64:
				ints = append(ints, x)
				nums = append(nums, float64(x))
			case float64:
				isFloat = true
				nums = append(nums, x)
			}
		}
		if len(strs) > 0 && len(nums) > 0 {
			p.failf(t, "found %s in a list of another kind", t)
		}
	})
	switch {
	case len(strs) > 0:
		return strs
	case isFloat:
		return nums
	}
	return ints
}

// floats converts a list of numbers to floats.
func floats(list any) []float64 {
	out := []float64{}
	switch l := list.(type) {
	case []float64:
		return l
	case []int64:
		for _, x := range l {
			out = append(out, float64(x))
		}
	}
	return out
}

// tensor reads the content of a constant. Its type is that of the context, unless the text gives one.
func (p *parser) tensor(context Type) *tensor.Tensor {
	at := p.peek()
	typ := context
	if second := p.ahead(1); at.kind == tokName && second.kind == tokPunct && second.text == "[" {
		typ = p.typ()
	}
	shape, ok := typ.Static()
	if !ok || !typ.Elem.Valid() {
		p.failf(at, "found %s, want a tensor with its type, like float32[2] [1, 2]", at)
		return nil
	}
	n, err := tensor.NumElements(shape)
	if err != nil {
		p.failf(at, "%v", err)
		return nil
	}
	if p.peek().kind == tokElided {
		return p.zerosOf(typ.Elem, shape, n)
	}
	if n > len(p.toks)-p.pos { // before memory is allocated
		p.want(fmt.Sprintf("%d elements", n))
		return nil
	}
	t := tensor.New(typ.Elem, shape...)
	set := p.setter(t)
	p.nested(shape, n, 0, set)
	return t
}

// nested reads n elements starting at position at. Rows may be in brackets, as the function nested prints
// them.
func (p *parser) nested(shape []int, n, at int, set func(i int)) {
	if len(shape) == 0 {
		set(at)
		return
	}
	p.expect("[")
	if !p.is("[") || n == 0 || len(shape) > maxNested {
		shape = []int{n}
	}
	step := 1
	if n > 0 {
		step = n / shape[0]
	}
	k := 0
	p.list("]", func() {
		if k == shape[0] {
			p.want(fmt.Sprintf(`"]" after %d`, k))
			return
		}
		p.nested(shape[1:], step, at+k*step, set)
		k++
		if k < shape[0] && p.is("]") {
			p.want(fmt.Sprintf("%d more", shape[0]-k))
		}
	})
	if k < shape[0] {
		p.want(fmt.Sprintf("%d elements", n))
	}
}

// setter returns a function that reads element i of t.
func (p *parser) setter(t *tensor.Tensor) func(i int) {
	switch d := t.Data.(type) {
	case []float32:
		return func(i int) { d[i] = float32(p.floatElem(32)) }
	case []float64:
		return func(i int) { d[i] = p.floatElem(64) }
	case []bool:
		return func(i int) { d[i] = p.boolElem() }
	case []string:
		return func(i int) { d[i] = p.str() }
	case []complex64:
		return func(i int) { d[i] = complex64(p.complexElem(32)) }
	case []complex128:
		return func(i int) { d[i] = p.complexElem(64) }
	case []int8:
		return intSetter(p, d, t.DType)
	case []int16:
		return intSetter(p, d, t.DType)
	case []int32:
		return intSetter(p, d, t.DType)
	case []int64:
		return intSetter(p, d, t.DType)
	case []uint8:
		return intSetter(p, d, t.DType)
	case []uint16:
		return intSetter(p, d, t.DType)
	case []uint32:
		return intSetter(p, d, t.DType)
	case []uint64:
		return intSetter(p, d, t.DType)
	case []tensor.I2:
		return intSetter(p, d, t.DType)
	case []tensor.I4:
		return intSetter(p, d, t.DType)
	case []tensor.U2:
		return intSetter(p, d, t.DType)
	case []tensor.U4:
		return intSetter(p, d, t.DType)
	case []tensor.F16:
		return smallSetter(p, d, tensor.ToFloat16)
	case []tensor.BF16:
		return smallSetter(p, d, tensor.ToBFloat16)
	case []tensor.F8E4M3FN:
		return smallSetter(p, d, func(f float32) tensor.F8E4M3FN { return tensor.ToFloat8E4M3FN(f, false) })
	case []tensor.F8E4M3FNUZ:
		return smallSetter(p, d, func(f float32) tensor.F8E4M3FNUZ { return tensor.ToFloat8E4M3FNUZ(f, false) })
	case []tensor.F8E5M2:
		return smallSetter(p, d, func(f float32) tensor.F8E5M2 { return tensor.ToFloat8E5M2(f, false) })
	case []tensor.F8E5M2FNUZ:
		return smallSetter(p, d, func(f float32) tensor.F8E5M2FNUZ { return tensor.ToFloat8E5M2FNUZ(f, false) })
	case []tensor.F8E8M0:
		return smallSetter(p, d, func(f float32) tensor.F8E8M0 { return tensor.ToFloat8E8M0(f, false, tensor.RoundNearest) })
	case []tensor.F4E2M1:
		return smallSetter(p, d, tensor.ToFloat4E2M1)
	}
	panic("BUG: no elements of " + t.DType.String())
}

func intSetter[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](p *parser, d []T, dt tensor.DType) func(i int) {
	return func(i int) {
		t := p.peek()
		s := p.numeral()
		var err error
		if dt.IsSigned() {
			var v int64
			v, err = strconv.ParseInt(s, 10, dt.Bits())
			d[i] = T(v)
		} else {
			var v uint64
			v, err = strconv.ParseUint(s, 10, dt.Bits())
			d[i] = T(v)
		}
		if err != nil {
			p.failf(t, "%s is not %s", s, dt)
		}
	}
}

func smallSetter[T any](p *parser, d []T, to func(f float32) T) func(i int) {
	return func(i int) { d[i] = to(float32(p.floatElem(32))) }
}

func (p *parser) floatElem(bits int) float64 {
	t := p.peek()
	return p.float(t, p.numeral(), bits)
}

func (p *parser) boolElem() bool {
	v := p.accept("true")
	if !v && !p.accept("false") {
		p.want(`"true" or "false"`)
	}
	return v
}

// complexElem reads (re, im).
func (p *parser) complexElem(bits int) complex128 {
	p.expect("(")
	re := p.floatElem(bits)
	p.expect(",")
	im := p.floatElem(bits)
	p.expect(")")
	return complex(re, im)
}

// maxZeros limits the memory of elided constants.
const maxZeros = 256 << 20

// zerosOf returns the tensor of an elided constant.
func (p *parser) zerosOf(dt tensor.DType, shape []int, n int) *tensor.Tensor {
	t := p.next()
	size := dt.Size()
	if dt == tensor.String {
		size = 16 // the size of a string header
	}
	if n > (maxZeros-p.zeros)/size {
		p.failf(t, "elided constants of more than %d MiB", maxZeros>>20)
		return nil
	}
	p.zeros += n * size
	sum, ok := strings.CutPrefix(t.text, "sha256:")
	sum, count, _ := strings.Cut(sum, " ")
	if !ok || count != fmt.Sprintf("%d elements", n) {
		p.failf(t, "found %s, want <sha256:… %d elements>", t, n)
		return nil
	}
	if p.m.elided == nil {
		p.m.elided = map[*tensor.Tensor]string{}
	}
	x := tensor.New(dt, shape...)
	p.m.elided[x] = sum
	return x
}
