package byround

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/runtime/values"
)

// itemSize is the minimum size of a value in a snapshot: that of its execution, a peer and three numbers.
const itemSize = 32 + 3

// Append appends the number of the values and, for each, its execution and what one appends for it.
func (v *Values[T]) Append(b []byte, one func(b []byte, x *T) []byte) []byte {
	return v.AppendItems(values.AppendScalar(b, int64(len(v.list))), one)
}

// AppendItems is Append without the number, for a component that writes [Values.Len] in another form.
func (v *Values[T]) AppendItems(b []byte, one func(b []byte, x *T) []byte) []byte {
	for r, x := range v.Each() {
		b, _ = r.AppendBinary(b)
		b = one(b, x)
	}
	return b
}

// Read reads the output of Append into empty values; one reads what its counterpart has appended. Read stops at the first
// error, so that a malformed state allocates a small multiple of its size at most. The component calls [Values.Replace]
// with the result when it has read all of its state, so that an error leaves it unchanged.
func (v *Values[T]) Read(f *values.Fields, one func(f *values.Fields, x *T) error) error {
	var n int64
	values.ReadScalar(f, &n)
	if most := int64(len(f.Rest()) / itemSize); n < 0 || n > most {
		return fmt.Errorf("values of %d executions in %d bytes, want 0 to %d", n, len(f.Rest()), most)
	}
	return v.ReadItems(f, int(n), one)
}

// ReadItems is Read without the number: n values follow.
func (v *Values[T]) ReadItems(f *values.Fields, n int, one func(f *values.Fields, x *T) error) error {
	for range n {
		x := item[T]{value: new(T)}
		if x.of.Read(f); f.Err() != nil {
			return f.Err()
		}
		err := one(f, x.value)
		if err := cmp.Or(f.Err(), err); err != nil {
			return err
		}
		v.list = append(v.list, x)
	}
	return f.Err()
}

// Replace replaces the values by those that were read, and returns the former ones, so that the caller can release what
// they hold. The calling execution remains the same.
func (v *Values[T]) Replace(by Values[T]) (former []*T) {
	for _, x := range v.Each() {
		former = append(former, x)
	}
	v.list = by.list
	return former
}
