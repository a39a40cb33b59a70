package tensor

import "fmt"

// Map is a map with Values[i] for Keys[i]. Both are vectors of the same length, and keys are unique.
type Map struct {
	Keys   *Tensor // of strings or integers
	Values *Tensor
}

// MapOf returns the map of keys to values. It keeps both.
func MapOf[K string | int64, V Element](keys []K, values []V) *Map {
	return &Map{Keys: Of(keys, len(keys)), Values: Of(values, len(values))}
}

// String returns the map's type: map(string,float32) of 3.
func (m *Map) String() string {
	return fmt.Sprintf("map(%v,%v) of %d", m.Keys.DType, m.Values.DType, m.Keys.Len())
}

// Maps is a list of maps with the same keys, as a classifier returns them: one map for each row of a table with
// a column for each key.
type Maps[K string | int64] struct {
	Keys   []K       // the names of the columns
	Values []float32 // row by row
}

// Len is the number of maps.
func (m *Maps[K]) Len() int { return len(m.Values) / max(len(m.Keys), 1) }

// Row is the values of map i, in the order of m.Keys. It is a part of m.Values.
func (m *Maps[K]) Row(i int) []float32 {
	n := len(m.Keys)
	return m.Values[i*n : (i+1)*n : (i+1)*n]
}

// Sequence returns m as a sequence of maps, for callers that use only tensors. It shares m's memory.
func (m *Maps[K]) Sequence() *Sequence {
	s := &Sequence{Elem: Float32, Items: make([]Value, m.Len())}
	for i := range s.Items {
		s.Items[i] = MapOf(m.Keys, m.Row(i))
	}
	return s
}

func (*Map) isValue()     {}
func (*Maps[K]) isValue() {}
