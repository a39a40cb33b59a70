package cpu

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// ZipMap makes dst a map for each row of x, from the keys to the elements of the row.
func ZipMap[K int64 | string](dst *tensor.Maps[K], x []float32, keys []K) {
	dst.Keys = append(dst.Keys[:0], keys...)
	dst.Values = append(dst.Values[:0], x...)
}

// CopyMaps makes dst a copy of src.
func CopyMaps[K int64 | string](dst, src *tensor.Maps[K]) { ZipMap(dst, src.Values, src.Keys) }

// CopyMap makes dst a copy of src.
func CopyMap(dst, src *tensor.Map) { *dst = *src }

// DictVectorize writes the value of each key of m to the position of the key in a vocabulary, which is
// sorted: the position of keys[k] is at[k]. Keys that are not in the vocabulary are ignored, and positions
// without a key are zero.
func DictVectorize[K int64 | string, V any](dst []V, m *tensor.Map, keys []K, at []int64) {
	ks, vs := mapColumns[K, V]("DictVectorizer", m)
	clear(dst)
	for i, key := range ks {
		if k, ok := slices.BinarySearch(keys, key); ok {
			dst[at[k]] = vs[i]
		}
	}
}

// MapLen returns the number of keys of m.
func MapLen(m *tensor.Map) int {
	if m == nil || m.Keys == nil {
		fail("CastMap", "the map is missing")
	}
	return m.Keys.Len()
}

// MapValues writes the values of m in the order of its keys.
func MapValues[V any](dst []V, m *tensor.Map) {
	ks, vs := mapColumns[int64, V]("CastMap", m)
	order := make([]int, len(ks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ks[i], ks[j]) })
	for i, k := range order {
		dst[i] = vs[k]
	}
}

// MapSpread writes the value of each key k of m to dst[k]; the other elements are other[0].
func MapSpread[V any](dst []V, m *tensor.Map, other []V) {
	ks, vs := mapColumns[int64, V]("CastMap", m)
	for i := range dst {
		dst[i] = other[0]
	}
	for i, k := range ks {
		if k < 0 || k >= int64(len(dst)) {
			fail("CastMap", "key %d is out of range for %d values", k, len(dst))
		}
		dst[k] = vs[i]
	}
}

// mapColumns returns the keys and values of m.
func mapColumns[K, V any](kernel string, m *tensor.Map) ([]K, []V) {
	if m == nil || m.Keys == nil || m.Values == nil {
		fail(kernel, "the map is missing")
	}
	ks, ok := m.Keys.Data.([]K)
	vs, ok2 := m.Values.Data.([]V)
	if !ok || !ok2 || len(ks) != len(vs) {
		fail(kernel, "the map is %v with %d values, want keys and values of other types, or as many", m, m.Values.Len())
	}
	return ks, vs
}
