package status

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// A Number is a number that the program reports.
type Number struct {
	Name  string `json:"name"`
	Value real   `json:"value"`
	Round uint64 `json:"round,omitempty"` // for emitted numbers: the number of the execution at its origin
	Count uint64 `json:"count,omitempty"` // for means: how many numbers there were
}

// real is a float that may be NaN or infinite, which JSON writes as null.
type real float64

// MarshalJSON writes the number.
func (x real) MarshalJSON() ([]byte, error) {
	if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// Numbers holds the last number of each name that the program has given to its host, such as its loss or
// accuracy.
type Numbers struct {
	list []Number // sorted by name
}

// Tell handles an event of the node. It returns the number in it, if there is one.
func (x *Numbers) Tell(e runtime.Event) (v float64, ok bool) {
	t, ok := e.Value.(*tensor.Tensor)
	if !ok || e.Kind != runtime.Emitted || t.Len() != 1 {
		return 0, false
	}
	if v, ok = number(t); !ok {
		return 0, false
	}
	i, found := slices.BinarySearchFunc(x.list, e.Name, func(n Number, name string) int { return cmp.Compare(n.Name, name) })
	if !found {
		if len(x.list) >= maxTold {
			return 0, false
		}
		x.list = slices.Insert(x.list, i, Number{Name: e.Name})
	}
	x.list[i].Value, x.list[i].Round = real(v), e.Exec.Number
	return v, true
}

// All returns the numbers, by name.
func (x *Numbers) All() []Number { return slices.Clone(x.list) }

// maxTold is how many names of numbers are recorded.
const maxTold = 64

// number returns the only element of a tensor.
func number(t *tensor.Tensor) (float64, bool) {
	switch d := t.Data.(type) {
	case []float32:
		return float64(d[0]), true
	case []float64:
		return d[0], true
	case []int32:
		return float64(d[0]), true
	case []int64:
		return float64(d[0]), true
	case []uint64:
		return float64(d[0]), true
	}
	return 0, false
}

// Counted returns the counters among the stores of a program, and the means of its rings.
func Counted(stores []runtime.Store) (counters, records []Number) {
	for _, s := range stores {
		switch s := s.(type) {
		case *runtime.Counter:
			counters = append(counters, Number{Name: s.Name, Value: real(s.Value())})
		case *runtime.Ring:
			list := s.Values(nil)
			sum := 0.0
			for _, x := range list {
				sum += x
			}
			records = append(records, Number{Name: s.Name, Value: real(sum / float64(max(len(list), 1))), Count: s.Total()})
		}
	}
	return counters, records
}
