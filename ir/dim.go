package ir

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Dim is the size of one axis: a polynomial with integer coefficients over
// symbols and over functions of other dims (floordiv, max, …). It is immutable
// and in normal form, so that equal text means equal value. The zero Dim is 0.
type Dim struct {
	terms []Term // sorted by key, no zero coefficients
}

// Term is one summand of a [Dim]: Coef times the product of Factors.
type Term struct {
	Coef    int64    // as wide on every machine, so that each compiles to the same code
	Factors []Factor // sorted by text
}

// Factor is a symbol, or a function of dims where Func is not empty.
type Factor struct {
	Sym  string
	Func string // "floordiv", "mod", "max", "min", "bcast", "mul"
	Args []Dim
}

// C returns the constant n.
func C[T int | int64](n T) Dim {
	if n == 0 {
		return Dim{}
	}
	return Dim{[]Term{{Coef: int64(n)}}}
}

// Sym returns the symbol with the given name.
func Sym(name string) Dim {
	return Dim{[]Term{{Coef: 1, Factors: []Factor{{Sym: name}}}}}
}

// Cs returns a constant shape.
func Cs(n ...int) []Dim {
	s := make([]Dim, len(n))
	for i, v := range n {
		s[i] = C(v)
	}
	return s
}

// Terms returns the summands of d; the caller must not change them.
func (d Dim) Terms() []Term { return d.terms }

// Const returns d's value if d is a constant. One that an int of 32 bits does not hold becomes the nearest int.
func (d Dim) Const() (int, bool) {
	n, ok := d.constant()
	return Int(n), ok
}

// constant returns d's exact value if d is a constant.
func (d Dim) constant() (int64, bool) {
	switch {
	case len(d.terms) == 0:
		return 0, true
	case len(d.terms) == 1 && len(d.terms[0].Factors) == 0:
		return d.terms[0].Coef, true
	}
	return 0, false
}

// Is reports whether d is the constant n.
func (d Dim) Is(n int) bool {
	c, ok := d.Const()
	return ok && c == n
}

// Symbol returns the name if d is a bare symbol.
func (d Dim) Symbol() (string, bool) {
	if len(d.terms) == 1 && d.terms[0].Coef == 1 && len(d.terms[0].Factors) == 1 && d.terms[0].Factors[0].Func == "" {
		return d.terms[0].Factors[0].Sym, true
	}
	return "", false
}

// Equal reports whether d and e have the same normal form.
func (d Dim) Equal(e Dim) bool {
	return slices.EqualFunc(d.terms, e.terms, func(a, b Term) bool {
		return a.Coef == b.Coef && slices.EqualFunc(a.Factors, b.Factors, Factor.equal)
	})
}

func (f Factor) equal(g Factor) bool {
	return f.Sym == g.Sym && f.Func == g.Func && slices.EqualFunc(f.Args, g.Args, Dim.Equal)
}

// Add returns d + e.
func (d Dim) Add(e Dim) Dim { return collect(append(slices.Clone(d.terms), e.terms...)) }

// Sub returns d - e.
func (d Dim) Sub(e Dim) Dim { return d.Add(e.Mul(C(-1))) }

// maxProduct limits the size of products that are expanded.
const maxProduct = 1 << 10

// Mul returns d · e. A product that would be too long is not expanded: mul(d,e).
func (d Dim) Mul(e Dim) Dim {
	_, dconst := d.Const()
	_, econst := e.Const()
	if !dconst && !econst && d.width()*len(e.terms)+e.width()*len(d.terms) > maxProduct {
		return product(d, e)
	}
	var out []Term
	for _, a := range d.terms {
		for _, b := range e.terms {
			f := append(slices.Clone(a.Factors), b.Factors...)
			slices.SortFunc(f, func(x, y Factor) int { return strings.Compare(x.String(), y.String()) })
			out = append(out, Term{mulSat(a.Coef, b.Coef), f})
		}
	}
	return collect(out)
}

// product returns the product of d and e as the function mul, with its operands sorted by text.
func product(d, e Dim) Dim {
	if d.String() > e.String() {
		d, e = e, d
	}
	return call("mul", d, e)
}

// width returns the number of factors in all terms of d.
func (d Dim) width() int {
	n := len(d.terms)
	for _, t := range d.terms {
		n += len(t.Factors)
	}
	return n
}

// maxLength limits the number of symbols and functions in a dim.
const maxLength = 1 << 12

// TooLong reports whether d exceeds the length limit, which only maliciously constructed graphs do.
func (d Dim) TooLong() bool { return d.length(maxLength) < 0 }

// length subtracts the number of symbols and functions in d, at any depth, from a budget. It returns the
// remainder, which is negative if the budget was too small.
func (d Dim) length(budget int) int {
	for _, t := range d.terms {
		budget--
		for _, f := range t.Factors {
			budget--
			for _, a := range f.Args {
				if budget < 0 {
					return budget
				}
				budget = a.length(budget)
			}
		}
	}
	return budget
}

// Int converts a number of a file to an int. It saturates where ints have 32 bits, as arithmetic with sizes does.
func Int(x int64) int { return int(min(max(x, math.MinInt), math.MaxInt)) }

// addSat adds a and b, and saturates as [mulSat] does.
func addSat(a, b int64) int64 {
	switch s := a + b; {
	case a > 0 && b > 0 && s < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && s >= 0:
		return math.MinInt64 + 1
	default:
		return s
	}
}

// mulSat multiplies a and b. On overflow, it returns the largest number, so that absurd shapes are still
// rejected by their size.
func mulSat(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p/b != a || (a == math.MinInt64 && b == -1) {
		if (a < 0) == (b < 0) {
			return math.MaxInt64
		}
		return math.MinInt64 + 1
	}
	return p
}

// Max returns the larger of d and e.
func (d Dim) Max(e Dim) Dim {
	d, e = ordered(d, e)
	return choose("max", d, e, func(a, b int64) int64 { return max(a, b) })
}

// Min returns the smaller of d and e.
func (d Dim) Min(e Dim) Dim {
	d, e = ordered(d, e)
	return choose("min", d, e, func(a, b int64) int64 { return min(a, b) })
}

// ordered returns the arguments of a function that does not depend on their order in the order of the normal form:
// a constant comes last, and others are sorted by their text.
func ordered(d, e Dim) (Dim, Dim) {
	_, dok := d.Const()
	_, eok := e.Const()
	if dok && !eok || !dok && !eok && d.String() > e.String() {
		return e, d
	}
	return d, e
}

// Bcast returns the size that d and e broadcast to: e if d is 1, and d otherwise.
func (d Dim) Bcast(e Dim) Dim {
	switch {
	case d.Is(1):
		return e
	case e.Is(1):
		return d
	}
	if _, ok := d.Const(); ok {
		return d // e is 1 or d at run time
	}
	if _, ok := e.Const(); ok {
		return e
	}
	return choose("bcast", d, e, bcast[int64])
}

func bcast[T int | int64](a, b T) T {
	if a == 1 {
		return b
	}
	return a
}

func choose(fn string, d, e Dim, f func(a, b int64) int64) Dim {
	if d.Equal(e) {
		return d
	}
	a, aok := d.constant()
	b, bok := e.constant()
	if aok && bok {
		return C(f(a, b))
	}
	return call(fn, d, e)
}

func call(fn string, args ...Dim) Dim {
	return Dim{[]Term{{Coef: 1, Factors: []Factor{{Func: fn, Args: args}}}}}
}

// collect brings terms into normal form.
func collect(terms []Term) Dim {
	keys := make(map[string]int, len(terms))
	var out []Term
	for _, t := range terms {
		k := t.key()
		if i, ok := keys[k]; ok {
			out[i].Coef = addSat(out[i].Coef, t.Coef)
			continue
		}
		keys[k] = len(out)
		out = append(out, t)
	}
	out = slices.DeleteFunc(out, func(t Term) bool { return t.Coef == 0 })
	slices.SortFunc(out, func(a, b Term) int {
		if c := len(b.Factors) - len(a.Factors); c != 0 {
			return c
		}
		return strings.Compare(a.key(), b.key())
	})
	if len(out) == 0 {
		return Dim{}
	}
	return Dim{out}
}

func (t Term) key() string {
	var s strings.Builder
	for i, f := range t.Factors {
		if i > 0 {
			s.WriteByte('*')
		}
		s.WriteString(f.String())
	}
	return s.String()
}

// String returns the factor in text form: "n" or "floordiv(n,2)". A symbol that is not a plain name is
// quoted, so that it is not confused with something else.
func (f Factor) String() string {
	if f.Func == "" {
		return quoteName(f.Sym)
	}
	args := make([]string, len(f.Args))
	for i, a := range f.Args {
		args[i] = a.String()
	}
	return f.Func + "(" + strings.Join(args, ",") + ")"
}

// String returns d in the text form: "0", "batch", "2*n+1".
func (d Dim) String() string {
	if len(d.terms) == 0 {
		return "0"
	}
	var s strings.Builder
	for i, t := range d.terms {
		k := t.key()
		if i > 0 && t.Coef > 0 {
			s.WriteByte('+')
		}
		switch {
		case k == "":
			s.WriteString(strconv.FormatInt(t.Coef, 10))
		case t.Coef == 1:
			s.WriteString(k)
		case t.Coef == -1:
			s.WriteString("-" + k)
		default:
			s.WriteString(strconv.FormatInt(t.Coef, 10) + "*" + k)
		}
	}
	return s.String()
}

// Eval computes d; env returns the values of symbols.
func (d Dim) Eval(env func(sym string) (int, bool)) (int, bool) {
	var sum int64
	for _, t := range d.terms {
		p := t.Coef
		for _, f := range t.Factors {
			v, ok := f.eval(env)
			if !ok {
				return 0, false
			}
			p = mulSat(p, int64(v))
		}
		sum = addSat(sum, p)
	}
	return Int(sum), true
}

func (f Factor) eval(env func(string) (int, bool)) (int, bool) {
	if f.Func == "" {
		return env(f.Sym)
	}
	a, ok := f.Args[0].Eval(env)
	if !ok {
		return 0, false
	}
	b, ok := f.Args[1].Eval(env)
	if !ok {
		return 0, false
	}
	switch f.Func {
	case "max":
		return max(a, b), true
	case "min":
		return min(a, b), true
	case "bcast":
		return bcast(a, b), true
	case "mul":
		return Int(mulSat(int64(a), int64(b))), true
	}
	if b == 0 {
		return 0, false
	}
	if f.Func == "mod" {
		return a - b*floorDiv(a, b), true
	}
	return floorDiv(a, b), true
}

// Syms calls yield for each symbol in d, possibly several times for the same one.
func (d Dim) Syms(yield func(sym string)) {
	for _, t := range d.terms {
		for _, f := range t.Factors {
			if f.Func == "" {
				yield(f.Sym)
			}
			for _, a := range f.Args {
				a.Syms(yield)
			}
		}
	}
}

// Size returns the number of elements of a shape.
func Size(shape []Dim) Dim {
	n := C(1)
	for _, d := range shape {
		n = n.Mul(d)
	}
	return n
}

// Static returns the shape as integers if every dim is a constant.
func Static(shape []Dim) ([]int, bool) {
	out := make([]int, len(shape))
	for i, d := range shape {
		c, ok := d.Const()
		if !ok {
			return nil, false
		}
		out[i] = c
	}
	return out, true
}

// SameShape reports whether two shapes are equal for every value of the symbols.
func SameShape(a, b []Dim) bool { return slices.EqualFunc(a, b, Dim.Equal) }

func floorDiv[T int | int64](a, b T) T {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
