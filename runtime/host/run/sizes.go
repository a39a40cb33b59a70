package run

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
)

// sizes are those of symbolic dimensions of random inputs, by name. A dimension without one has size 1.
type sizes map[string]int

// inCalls are the characters of dimensions that are neither names nor sums of products, such as min(n,3).
const inCalls = "(),-"

// mostElements is the largest number of elements of a random input.
const mostElements = 1 << 30

// String returns the sizes as they are given.
func (s sizes) String() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		words = append(words, fmt.Sprintf("%s=%d", name, s[name]))
	}
	return strings.Join(words, ",")
}

// Set adds sizes, such as batch=8,seq=128.
func (s sizes) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if !ok || err != nil || n < 1 || n > mostElements || name == "" {
			return fmt.Errorf("%q, want NAME=SIZE with a size from 1 to 2^30", word)
		}
		if _, twice := s[name]; twice {
			return fmt.Errorf("%s is given twice", name)
		}
		s[name] = n
	}
	return nil
}

// complete sets the sizes that are not given to 1. It returns an error for a size of no dimension of the inputs.
func (s sizes) complete(p model.Program) error {
	known := map[string]bool{}
	for _, x := range p.Inputs {
		for _, d := range x.Dims {
			for _, name := range strings.FieldsFunc(d, func(r rune) bool { return strings.ContainsRune("+*", r) }) {
				if _, err := strconv.Atoi(name); err != nil && !strings.ContainsAny(name, inCalls) {
					known[name] = true
				}
			}
		}
	}
	for name := range s {
		if known[name] {
			continue
		}
		if len(known) == 0 {
			return Usagef("-size %s: all dimensions of the inputs are fixed", name)
		}
		return Usagef("-size %s: no input has such a dimension; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	for name := range known {
		if s[name] == 0 {
			s[name] = 1
		}
	}
	return nil
}

// shape returns the shape of an input.
func (s sizes) shape(x model.Port) ([]int, error) {
	shape, elements := make([]int, len(x.Dims)), 1
	for i, d := range x.Dims {
		shape[i] = s.of(d)
		if shape[i] > 0 && elements > mostElements/shape[i] {
			return nil, Usagef("-size %v: input %q would have more than 2^30 elements", s, x.Name)
		}
		elements *= shape[i]
	}
	return shape, nil
}

// of returns the size of a dimension: a number, a name, or a sum of products of them, such as past+2*seq. It is 1 for what
// is none of these, and at most mostElements.
func (s sizes) of(dim string) int {
	sum := int64(0)
	for term := range strings.SplitSeq(dim, "+") {
		product := int64(1)
		for factor := range strings.SplitSeq(term, "*") {
			n, err := strconv.Atoi(factor)
			switch given, ok := s[factor]; {
			case ok:
				n = given
			case err != nil && strings.ContainsAny(factor, inCalls):
				return 1
			case err != nil:
				n = 1
			}
			product = min(product*int64(n), mostElements)
		}
		sum = min(sum+product, mostElements)
	}
	return int(sum)
}
