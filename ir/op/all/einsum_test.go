package all_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// einsumTerm is one operand of an equation: letters, where a dot stands for the dimensions of an ellipsis.
type einsumTerm struct {
	letters  []byte
	ellipsis int // the number of its dimensions; the letters A, B, … stand for them from the right
	shape    []int
	x        []float64
}

// names returns a letter for each dimension.
func (e *einsumTerm) names() []byte {
	var out []byte
	for _, c := range e.letters {
		if c != '.' {
			out = append(out, c)
			continue
		}
		for k := range e.ellipsis {
			out = append(out, 'A'+byte(e.ellipsis-1-k))
		}
	}
	return out
}

// at returns the element for values of letters; a dimension of 1 in an ellipsis is repeated.
func (e *einsumTerm) at(value map[byte]int) float64 {
	at := 0
	for k, c := range e.names() {
		at *= e.shape[k]
		if e.shape[k] > 1 {
			at += value[c]
		}
	}
	return e.x[at]
}

// einsum computes an equation letter by letter: for all values of all letters, the product of the operands is added to an
// element of the result.
func einsum(terms []*einsumTerm, result []byte, size map[byte]int) (shape []int, y []float64) {
	n := 1
	for _, c := range result {
		shape = append(shape, size[c])
		n *= size[c]
	}
	y = make([]float64, n)
	var all []byte
	for c := range size {
		all = append(all, c)
	}
	value := map[byte]int{}
	var each func(k int)
	each = func(k int) {
		if k < len(all) {
			for value[all[k]] = range size[all[k]] {
				each(k + 1)
			}
			return
		}
		product, at := 1.0, 0
		for _, e := range terms {
			product *= e.at(value)
		}
		for _, c := range result {
			at = at*size[c] + value[c]
		}
		y[at] += product
	}
	each(0)
	return shape, y
}

// written is letters with an ellipsis for a dot.
func written(letters []byte) string { return strings.ReplaceAll(string(letters), ".", "...") }

// TestEinsumModel compares random equations with the sum over all letters: letters that repeat in an operand, that no result
// has, ellipses that broadcast, and results that are not written.
func TestEinsumModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 600 {
		sizes := map[byte]int{}
		for _, c := range []byte("ijkmA") {
			sizes[c] = 1 + rng.IntN(3)
		}
		sizes['B'] = 1 + rng.IntN(2)
		used := map[byte]int{}
		var terms []*einsumTerm
		var names, in []string
		var tensors []*tensor.Tensor
		count, dots := map[byte]int{}, false
		for range 1 + rng.IntN(3) {
			e := &einsumTerm{}
			for range rng.IntN(4) {
				c := "ijkm"[rng.IntN(4)]
				e.letters = append(e.letters, c)
				count[c]++
			}
			if rng.IntN(3) == 0 {
				e.letters = slices.Insert(e.letters, rng.IntN(len(e.letters)+1), '.')
				e.ellipsis, dots = rng.IntN(3), true
			}
			for _, c := range e.names() {
				n := sizes[c]
				if c < 'a' && rng.IntN(3) == 0 {
					n = 1
				}
				e.shape = append(e.shape, n)
				used[c] = max(used[c], n)
			}
			x := drawn(rng, e.shape...)
			e.x = x.Data.([]float64)
			terms, tensors = append(terms, e), append(tensors, x)
			names, in = append(names, written(e.letters)), append(in, fmt.Sprint(e.shape))
		}
		deepest := 0
		for _, e := range terms {
			deepest = max(deepest, e.ellipsis)
		}
		equation := strings.Join(names, ",")
		var result []byte
		if implicit := rng.IntN(3) == 0; implicit { // the ellipsis, then the letters that are there once, in order
			if dots {
				result = append(result, '.')
			}
			for _, c := range []byte("ijkm") {
				if count[c] == 1 {
					result = append(result, c)
				}
			}
		} else {
			for c := range count {
				if rng.IntN(2) == 0 {
					result = append(result, c)
				}
			}
			slices.Sort(result)
			rng.Shuffle(len(result), func(i, j int) { result[i], result[j] = result[j], result[i] })
			if dots {
				result = slices.Insert(result, rng.IntN(len(result)+1), '.')
			}
			equation += "->" + written(result)
		}
		y := &einsumTerm{letters: result, ellipsis: deepest}
		shape, want := einsum(terms, y.names(), used)
		what := equation + " of " + strings.Join(in, ", ")
		out, err := compute(1, fmt.Sprintf("Einsum {equation = %q}", equation), tensors...)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !slices.Equal(out[0].Shape, shape) {
			t.Errorf("%s: shape is %v, want %v", what, out[0].Shape, shape)
			continue
		}
		closeTo(t, what, out[0].Data.([]float64), want, 1e-10)
	}
}
